"""What each expression of a kernel becomes when its program handles several rows at once.

A tile gets its new axis where it is made: `tl.arange(0, BLOCK)[None, :]`. Reductions are along the
columns and keep them as an axis of one. All else that is lane by lane stays as it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.writing import Writer, check_no_comment
from tritonopt.facts import KernelFacts
from tritonopt.facts.language import (
    ACCESSES,
    ATOMICS,
    ELEMENTWISE,
    HINTS,
    OPERATORS,
    REDUCTION_PARAMETERS,
    arguments_of,
    function,
    is_lane_by_lane,
)
from tritonopt.facts.program_ids import sure_callee
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.source import Kernel
from tritonopt.source.trees import children, walk

ROWS, COLUMNS, UNKNOWN = "rows", "columns", "unknown"

Axes = frozenset[str]
"""Those along which a value may have more than one element; `UNKNOWN` is in no other's company."""

SCALAR: Axes = frozenset()
OF_ROWS: Axes = frozenset({ROWS})
SHARED: Axes = frozenset({COLUMNS})
TILE: Axes = frozenset({ROWS, COLUMNS})
OPEN: Axes = frozenset({UNKNOWN})

CLAIM = "rows-can-be-lifted"

AXIS = 0
"""Of the grid: the one that numbers the rows."""


def met(parts: Iterable[Axes], line: int) -> Axes:
    """The axes of what is computed lane by lane from several parts. Raises Declined."""
    axes = SCALAR.union(*parts)
    if UNKNOWN not in axes:
        return axes - {f"{axis}?" for axis in axes}
    if of_rows(axes):
        detail = f"a value in line {line} has unknown axes, or more than one"
        raise unknown(CLAIM, "not-lane-by-lane", detail)
    return OPEN


def either(one: Axes, other: Axes) -> Axes:
    """The axes of what the compiler takes from one of two branches: `rows?` is what one has."""
    return (one & other) | {f"{axis.rstrip('?')}?" for axis in one ^ other}


def of_rows(axes: Axes) -> bool:
    """Whether a value may differ between rows."""
    return not axes.isdisjoint({ROWS, f"{ROWS}?"})


def at_most(axes: Axes) -> Axes:
    """The axes of a value that has all that it may have."""
    return frozenset(axis.rstrip("?") for axis in axes)


def not_lifted(what: str, line: int) -> Declined:
    """The reason for something that is not known to do the same for several rows."""
    return unknown(
        CLAIM, "not-lane-by-lane", f"{what} in line {line} is not known to work on several rows"
    )


def changes_kind(name: str, line: int) -> Declined:
    """The reason for a name that is one value in one place, and one for each row in another."""
    detail = f"{name} in line {line} may have one value for all rows, or one per row"
    return refuted(CLAIM, "rows-differ", detail)


def on_the_row(test: ast.expr) -> Declined:
    """The reason for a branch that is not the same for all rows."""
    detail = f"`{ast.unparse(test)}` in line {test.lineno} may be true for some rows only"
    return unknown(CLAIM, "rows-differ", detail)


# What each expression of a kernel becomes when its program handles several rows at once

EITHER: Axes = frozenset({"either"})
"""Of a name that may have one value for all rows, or one per row."""

BOOLEAN = ("bool", "int1")
"""The types of a mask."""

ARITHMETIC = (
    (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
    + (ast.BitAnd, ast.BitOr, ast.BitXor)
)  # fmt: skip
_OPERATORS = (*ARITHMETIC, ast.LShift, ast.RShift)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ATOMIC = ("pointer", "val", "mask", "sem", "scope")
_ACCESSES = {**ACCESSES, **dict.fromkeys(ATOMICS - {"atomic_cas", "atomic_xchg"}, _ATOMIC)}
_TILES = frozenset({"pointer", "mask", "other", "value", "val"})
_POLICIES = frozenset({"cache_modifier", "eviction_policy", "sem", "scope"})
"""What an access may be told beside these, whatever its rank is."""
_TILE_AT = {"cast": 0, "to": 0, "zeros_like": 0, "rand": 1, "randn": 1, "randint": 1}
"""Functions that make something of one argument: the place of that. The others are the same for
all lanes."""
_SCANS = frozenset({"cumsum", "cumprod"})
_METHODS = {"to", "cast", *_SCANS, *REDUCTION_PARAMETERS, *ELEMENTWISE}
_REDUCTIONS = {**REDUCTION_PARAMETERS, "reduce": ("input", "axis", "combine_fn", "keep_dims")}
_ANY_OPTION = frozenset(
    {"input", "axis", "dtype", "combine_fn", "tie_break_left", "return_indices_tie_break_left"}
)
_ORDERLESS = frozenset({"max", "min", "argmax", "argmin", "xor_sum", "reduce_or"})
_OF_ALL_AXES = frozenset({"sum", "max", "min", "xor_sum", "reduce"})
"""Reductions to a number for `axis=None`."""


def _is_plain(side: ast.expr) -> bool:
    """Whether an expression may be computed also where it is not chosen."""
    match side:
        case ast.Name() | ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_plain(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_plain(left) and _is_plain(right)
    return False


@dataclass
class LiftedExpressions:
    """Finds the axes of expressions, and notes what must be edited for them."""

    kernel: Kernel
    """The kernel, or a helper that it calls."""
    edits: CodeEdits
    closed: Callable[[ast.expr], Axes]
    """The axes of an expression in which nothing is lifted, as it is written."""
    facts: KernelFacts | None = None
    """Of the kernel; none of a helper."""
    ids: frozenset[ast.expr] = frozenset()
    """The program ids, which become rows."""
    names: dict[str, Axes] = field(default_factory=dict)
    """Of what is lifted."""
    found: dict[ast.expr, Axes] = field(default_factory=dict)
    """What was found, by expression."""
    accesses: dict[ast.Call, ast.expr | None] = field(default_factory=dict)
    """The loads and stores of rows, with their masks, which do not test the rows yet."""
    is_summed: bool = False
    """Whether a tile is reduced in another way than to the largest or the smallest."""

    def axes(self, node: ast.expr) -> Axes:
        """The axes of an expression. Raises Declined where it cannot do several rows at once."""
        axes = OF_ROWS if node in self.ids else self._axes(node)
        self.found[node] = axes
        return axes

    def reads(self, node: ast.AST) -> Axes:
        """The axes of the names in an expression; empty where nothing in it is lifted."""
        match node:
            case ast.Name(id=name) if self.names.get(name) == EITHER:
                raise changes_kind(name, node.lineno)
            case ast.Name(id=name):
                return self.names.get(name, SCALAR)
            case ast.Attribute(attr="dtype"):
                return SCALAR
            case ast.expr() if node in self.ids:
                return OF_ROWS
        return SCALAR.union(*map(self.reads, children(node)))

    def bind(self, name: str, axes: Axes, *, lifted: bool = True) -> None:
        """Notes what a name stands for from here on: what is lifted, or what is not known."""
        self.names.pop(name, None)
        if axes and (axes != OPEN or lifted):
            self.names[name] = axes

    def together(self, parts: list[ast.expr], line: int) -> Axes:
        """The axes of what is computed lane by lane. Raises Declined."""
        return met(map(self.axes, parts), line)

    def _axes(self, node: ast.expr) -> Axes:
        if not self.reads(node):
            axes = SCALAR if isinstance(node, ast.Constant) else self.closed(node)
            if axes != SHARED:
                return axes
            if not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
                self._widen(node)
                return axes
        match node:
            case ast.Name(id=name):
                return self.names[name]
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                return self.together([left, right], node.lineno)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                return self.axes(operand)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
                op, _COMPARISONS
            ):
                return self.together([left, right], node.lineno)
            case ast.IfExp(test=test, body=body, orelse=other):
                if self.reads(test) and self.axes(test):
                    return self._selected(node)
                if self.axes(body) != self.axes(other):
                    raise changes_kind(f"`{ast.unparse(node)}`", node.lineno)
                return self.found[body]
            case ast.Call():
                return self._call(node)
        raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)

    def _selected(self, node: ast.IfExp) -> Axes:
        """The axes of `1.0 if scale == 0 else scale`, which selects for each row.

        Both sides are of one type, for one kernel has both, and are computed for all rows: so they
        may neither access memory nor divide integers. Raises Declined.
        """
        sides = [node.body, node.orelse]
        value = self.facts.values.get(node.test) if self.facts is not None else None
        is_mask = value is not None and value.dtype in BOOLEAN
        named = any(isinstance(n, ast.Name) for side in sides for n in walk(side))
        plain = named and all(map(_is_plain, sides))
        if self.facts is None or not (is_mask and plain):
            raise on_the_row(node.test)
        check_no_comment(self.facts.kernel.module, node)
        axes = self.together([node.test, *sides], node.lineno)
        codes = ", ".join(map(self.edits.code, [node.test, *sides]))
        self.edits.instead[node] = f"{Writer(self.facts).language('where')}({codes})"
        return axes

    def _widen(self, node: ast.expr) -> None:
        """Gives a tile that all rows share an axis of one in front."""
        sizes = self.sizes_of(node)
        if sizes is None:
            self.edits.behind[node] = "[None, :]"
        else:
            self.size(sizes, "1")

    def sizes_of(self, node: ast.expr) -> ast.List | ast.Tuple | None:
        """The shape of `tl.zeros([BLOCK])`, of one axis or none, or of `tl.full`; else None."""
        match node:
            case ast.Call(func=called, args=[ast.List() | ast.Tuple() as sizes, *_]):
                named = function(self.kernel.module.resolve(called)) in ("zeros", "full")
                return sizes if named and len(sizes.elts) < 2 else None
        return None

    def size(self, sizes: ast.List | ast.Tuple, rows: str) -> None:
        """Gives such a tile so many rows."""
        many = ", ".join([rows, *map(self.kernel.module.text_of, sizes.elts)])
        many += "" if sizes.elts else ", 1"
        self.edits.instead[sizes] = f"[{many}]" if isinstance(sizes, ast.List) else f"({many})"

    # Calls

    def _call(self, call: ast.Call) -> Axes:
        called, receiver = self.kernel.module.resolve(call.func), list[ast.expr]()
        name = function(called)
        if not called and isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
            name, receiver = call.func.attr, [call.func.value]
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if None in named or any(isinstance(argument, ast.Starred) for argument in call.args):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        if name == "load":
            return self._access(call, name)
        if name in _REDUCTIONS:
            return self.reduction(call, name, *receiver)
        if name in _SCANS:
            return self._scan(call, *receiver)
        arguments = [*receiver, *call.args]
        everything = [*arguments, *named.values()]
        if called == "triton.cdiv" or name in ("cdiv", *OPERATORS) or is_lane_by_lane(name):
            return self.together(everything, call.lineno)
        if name in _TILE_AT and len(arguments) > _TILE_AT[name]:
            tile = arguments[_TILE_AT[name]]
            if not any(self.reads(part) for part in everything if part is not tile):
                return self.axes(tile)
        if name in HINTS and len(arguments) == 2 and self.axes(arguments[0]) == SHARED:
            self.edits.instead[arguments[1]] = f"[1, {self.kernel.module.text_of(arguments[1])}]"
            return SHARED
        helper = sure_callee(self.kernel, call)
        if helper is not None and helper.is_called_as_written:
            return self._helper(call, helper)
        raise not_lifted(f"`{ast.unparse(call.func)}`", call.lineno)

    def write(self, call: ast.Call) -> None:
        """A store, or an atomic whose old value is not used. Raises Declined."""
        name = function(self.kernel.module.resolve(call.func))
        if name not in _ACCESSES or name == "load":
            raise not_lifted(f"`{ast.unparse(call.func)}`", call.lineno)
        self._access(call, name)

    def _access(self, call: ast.Call, name: str) -> Axes:
        given = arguments_of(call, _ACCESSES[name]) or {}
        if not set(given) <= _TILES | _POLICIES or "pointer" not in given:
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        axes = {key: self.axes(part) for key, part in given.items() if key in _TILES}
        target = axes["pointer"]
        if at_most(target) != target:
            raise not_lifted(f"`{ast.unparse(given['pointer'])}`", call.lineno)
        if ROWS not in target and (name != "load" or any(map(of_rows, axes.values()))):
            detail = f"line {call.lineno} has the same address for each row"
            if name != "load":
                raise refuted(CLAIM, "one-place-for-all-rows", detail)
            why = "but its mask or its other= differs"
            raise unknown(CLAIM, "not-lane-by-lane", f"{detail}, {why}")
        for key, part in axes.items():
            if not at_most(part) <= target:
                raise not_lifted(f"`{ast.unparse(given[key])}`", given[key].lineno)
        if ROWS in target:
            self._check_mask(given.get("mask"))
            self.accesses[call] = given.get("mask")
        return target

    def _check_mask(self, mask: ast.expr | None) -> None:
        """Whether a mask can be joined to another one. Raises Declined."""
        value = self.facts.values.get(mask) if self.facts and mask else None
        if mask is None or (value is not None and (value.is_none or value.dtype in BOOLEAN)):
            return
        detail = (
            f"`{ast.unparse(mask)}` in line {mask.lineno} may have values other than true and false"
        )
        raise unknown(CLAIM, "mask-is-not-boolean", detail)

    def reduction(
        self, call: ast.Call, name: str, *receiver: ast.expr, indices: bool = False
    ) -> Axes:
        """A reduction along the columns. Raises Declined.

        `indices` says that the places of the largest or the smallest are wanted too.
        """
        given = arguments_of(call, _REDUCTIONS[name], *receiver) or {}
        tile, axis, keep = given.get("input"), given.get("axis"), given.pop("keep_dims", None)
        flags = {key: getattr(part, "value", None) for key, part in given.items()}
        asked = {k: flag for k, flag in flags.items() if k not in _ANY_OPTION and flag is not False}
        keeps = False if keep is None else getattr(keep, "value", None)
        along = axis is None or ast.unparse(axis) in ("0", "-1", "None")
        if tile is None or asked != ({"return_indices": True} if indices else {}) or not along:
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        axes = self.axes(tile)
        is_whole = axes == SHARED and not keeps and not indices and name in _OF_ALL_AXES
        if not is_whole and (axes != TILE or not isinstance(keeps, bool)):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        self.is_summed |= self._rounds(call, name)
        if is_whole:
            if axis is not None:
                self.edits.instead[axis] = "None"
            return SCALAR
        self._along_columns(call, axis)
        if keep is None:
            self.edits.added.setdefault(call, []).append("keep_dims=True")
        elif not keeps:
            self.edits.instead[keep] = "True"
        # Where the kernel keeps the axis, it has a tile of one column.
        return TILE if keeps else OF_ROWS

    def _scan(self, call: ast.Call, *receiver: ast.expr) -> Axes:
        """The sums or products up to each column. Raises Declined."""
        given = arguments_of(call, ("input", "axis"), *receiver) or {}
        tile, axis = given.get("input"), given.get("axis")
        axes = OPEN if tile is None else self.axes(tile)
        if COLUMNS not in axes or (axis is not None and ast.unparse(axis) not in ("0", "-1")):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        self.is_summed = True
        self._along_columns(call, axis)
        return axes

    def _along_columns(self, call: ast.Call, axis: ast.expr | None) -> None:
        if axis is None:
            self.edits.added[call] = ["axis=1"]
        elif ast.unparse(axis) != "-1":
            self.edits.instead[axis] = "1"

    def _rounds(self, call: ast.Call, name: str) -> bool:
        """Whether the order of a reduction may matter to rounding. Raises Declined."""
        if name != "reduce":
            return name not in _ORDERLESS
        found = None if self.facts is None else reducing(self.facts, call)
        if found is None or found.combining is None:
            # It might ask for an order of the lanes.
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        return found.combining.rounds

    # Helpers

    def _helper(self, call: ast.Call, helper: Kernel) -> Axes:
        """What a helper returns that does nothing but to compute lane by lane. Raises Declined."""
        names = [parameter.name for parameter in helper.parameters]
        given = arguments_of(call, names)
        why_not = f"{helper.name}, which line {call.lineno} calls,"
        defaults = [p.name for p in helper.parameters if p.default is not None]
        if given is None or not set(names) <= {*given, *defaults}:
            detail = f"{why_not} gets other arguments than it has parameters for"
            raise unknown(CLAIM, "not-lane-by-lane", detail)
        lifted = {name: self.axes(part) for name, part in given.items()}
        numbers = {name for name in names if not lifted.get(name)}
        body = LiftedExpressions(helper, CodeEdits(helper.module), _numbers_of(numbers))
        body.names = {name: axes for name, axes in lifted.items() if axes}
        returned = _returned(body, helper, numbers)
        self.is_summed |= body.is_summed
        if returned == OPEN or body.edits or body.accesses:
            detail = f"{why_not} does more than compute lane by lane"
            raise unknown(CLAIM, "not-lane-by-lane", detail)
        return returned


def _returned(body: LiftedExpressions, helper: Kernel, numbers: set[str]) -> Axes:
    """The axes of what a helper returns, all of whose statements are plain; else unknown."""
    for statement in helper.statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                axes = body.axes(value)
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                read = ast.copy_location(ast.Name(name, ast.Load()), target)
                axes = body.together([read, value], statement.lineno)
            case ast.Return(value=ast.expr() as value):
                return body.axes(value) if statement is helper.statements[-1] else OPEN
            case _:
                return OPEN
        body.bind(name, axes)
        (numbers.add if axes == SCALAR else numbers.discard)(name)
    return OPEN


def _numbers_of(numbers: set[str]) -> Callable[[ast.expr], Axes]:
    """The axes of a helper's expressions that no row comes into: numbers, as far as it is seen."""

    def axes(node: ast.expr) -> Axes:
        names = [part for part in walk(node) if isinstance(part, ast.Name)]
        plain = not any(isinstance(part, (ast.Call, ast.Subscript)) for part in walk(node))
        return SCALAR if plain and all(name.id in numbers for name in names) else OPEN

    return axes
