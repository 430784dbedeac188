"""What calls become when a program handles several rows at once.

A load or a store that depends on the row is masked by the rows that there are. A reduction is
along the columns, which are the second axis then. A helper stays as it is where all that it does
is lane by lane, and it is given tiles of one kind.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.language import (
    ATOMICS,
    ELEMENTWISE,
    OPERATORS,
    RANDOM,
    REDUCTION_PARAMETERS,
    function,
    is_lane_by_lane,
)
from tritonopt.facts.program_ids import sure_callee
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.source import Kernel
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import CodeEdits
from tritonopt.transforms.rank_lifting.axes import (
    CLAIM,
    OF_ROWS,
    OPEN,
    ROWS,
    SCALAR,
    TILE,
    Axes,
    met,
    not_lifted,
    widening,
)
from tritonopt.transforms.rank_lifting.lifted_expressions import LiftedExpressions

_ACCESSES = {
    "load": ("pointer", "mask", "other"),
    "store": ("pointer", "value", "mask"),
    **dict.fromkeys(
        ATOMICS - {"atomic_cas", "atomic_xchg"}, ("pointer", "val", "mask", "sem", "scope")
    ),
}
"""Parameters of what touches memory, in their order."""
_TILES = frozenset({"pointer", "mask", "other", "value", "val"})
_POLICIES = frozenset({"cache_modifier", "eviction_policy", "sem", "scope"})
"""What an access may be told beside these, whatever its rank is."""
_OF_SEED = RANDOM & {"rand", "randn", "randint"}
_OF_ONE = frozenset({"cast", "zeros_like"})
"""Functions that make something of the first argument alone."""
_REDUCTIONS = {**REDUCTION_PARAMETERS, "reduce": ("input", "axis", "combine_fn", "keep_dims")}
_ANY_OPTION = frozenset(
    {"input", "axis", "dtype", "combine_fn", "tie_break_left", "return_indices_tie_break_left"}
)
_ORDERLESS = frozenset({"max", "min", "argmax", "argmin", "xor_sum", "reduce_or"})


@dataclass
class LiftedCalls:
    """The axes of calls, and the edits that they need."""

    facts: KernelFacts
    row_mask: str
    """The name of what is true of the rows that there are."""
    accesses: set[ast.Call] = field(default_factory=set)
    """The loads and stores of rows."""
    is_summed: bool = False
    """Whether tiles of rows are reduced in another way than to the largest or the smallest."""

    def axes(self, inside: LiftedExpressions, call: ast.Call) -> Axes:
        """The axes of a call that has to do with rows. Raises Declined."""
        called = inside.kernel.module.resolve(call.func)
        name = function(called)
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        ):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        if name == "load":
            return self._access(inside, call, name)
        if name in _REDUCTIONS:
            return self._reduction(inside, call, name, list(call.args))
        if name == "cdiv" or called == "triton.cdiv" or is_lane_by_lane(name) or name in OPERATORS:
            return inside.together(_arguments(call), call.lineno)
        if name in _OF_ONE and call.args:
            return self._of_one(inside, call, call.args[0])
        if name in _OF_SEED and len(call.args) >= 2:
            return self._random(inside, call)
        if not called and isinstance(call.func, ast.Attribute):
            return self._method(inside, call, call.func)
        helper = sure_callee(inside.kernel, call)
        if helper is not None and helper.is_called_as_written:
            return self._helper(inside, call, helper)
        raise not_lifted(f"`{ast.unparse(call.func)}`", call.lineno)

    def write(self, inside: LiftedExpressions, call: ast.Call) -> None:
        """A store, or an atomic whose old value is not used. Raises Declined."""
        name = function(inside.kernel.module.resolve(call.func))
        if name not in _ACCESSES or name == "load":
            raise not_lifted(f"`{ast.unparse(call.func)}`", call.lineno)
        self._access(inside, call, name)

    # Memory

    def _access(self, inside: LiftedExpressions, call: ast.Call, name: str) -> Axes:
        given = _given(call, _ACCESSES[name])
        if not set(given) <= _TILES | _POLICIES or "pointer" not in given:
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        pointer = given["pointer"]
        target = inside.axes(pointer)
        if ROWS not in target:
            detail = f"line {call.lineno} goes to the same place for each row"
            if name != "load":
                raise refuted(CLAIM, "one-place-for-all-rows", detail)
            why = "but what it is masked by, or gives elsewhere, differs"
            raise unknown(CLAIM, "not-lane-by-lane", f"{detail}, {why}")
        for parameter, part in given.items():
            if parameter not in _TILES - {"pointer"}:
                continue
            axes = inside.axes(part)
            if axes == OPEN or met((axes, target), part.lineno) != target:
                raise not_lifted(f"`{ast.unparse(part)}`", part.lineno)
            inside.widen(part, axes, target)
        self._mask(inside, call, given.get("mask"), target)
        self.accesses.add(call)
        return target

    def _mask(
        self, inside: LiftedExpressions, call: ast.Call, mask: ast.expr | None, target: Axes
    ) -> None:
        rows = self.row_mask + widening(OF_ROWS, target)
        value = self.facts.values.get(mask) if mask is not None else None
        if mask is None:
            inside.edits.added[call] = [f"mask={rows}"]
        elif value is not None and (value.is_none or value.constant is True):
            inside.edits.instead[mask] = rows
        elif value is not None and value.dtype in ("bool", "int1"):
            inside.edits.before[mask] = rows
        else:
            detail = f"`{ast.unparse(mask)}` in line {mask.lineno} may be other than true or false"
            raise unknown(CLAIM, "mask-is-not-boolean", detail)

    # Reductions

    def of_several(self, inside: LiftedExpressions, call: ast.Call) -> list[Axes]:
        """The axes of each result of a call that has several. Raises Declined."""
        name = function(inside.kernel.module.resolve(call.func))
        if name not in ("max", "min"):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        return [self._reduction(inside, call, name, list(call.args), indices=True)] * 2

    def _reduction(
        self,
        inside: LiftedExpressions,
        call: ast.Call,
        name: str,
        arguments: Sequence[ast.expr],
        *,
        indices: bool = False,
    ) -> Axes:
        """`arguments` are those by their places, with a method's own tile in front.

        `indices` says that the places of the largest or the smallest are wanted too.
        """
        names = _REDUCTIONS[name]
        given = dict(zip(names, arguments, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        tile, axis = given.get("input"), given.get("axis")
        options = {key: _flag(part) for key, part in given.items() if key not in _ANY_OPTION}
        wanted = {"return_indices": True} if indices else {}
        asked = {key: flag for key, flag in options.items() if flag is not False}
        if tile is None or len(arguments) > len(names) or asked != wanted:
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        if inside.axes(tile) != TILE:
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        if axis is None:
            inside.edits.added[call] = ["axis=1"]
        elif isinstance(axis, ast.Constant) and axis.value in (0, None):
            inside.edits.instead[axis] = "1"
        elif ast.unparse(axis) != "-1":
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        self.is_summed |= self._rounds(call, name)
        return OF_ROWS

    def _rounds(self, call: ast.Call, name: str) -> bool:
        """Whether the order of a reduction may matter to rounding. Raises Declined."""
        if name != "reduce":
            return name not in _ORDERLESS
        found = reducing(self.facts, call)
        if found is None or found.combining is None:
            # It might ask for an order of the lanes.
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        return found.combining.rounds

    # What is lane by lane

    def _of_one(self, inside: LiftedExpressions, call: ast.Call, tile: ast.expr) -> Axes:
        others = [part for part in _arguments(call) if part is not tile]
        if any(inside.has_rows(part) for part in others):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        return inside.axes(tile)

    def _random(self, inside: LiftedExpressions, call: ast.Call) -> Axes:
        """Numbers that are drawn by a seed for all, and an offset for each lane."""
        seed, offset = call.args[:2]
        if inside.has_rows(seed):
            raise not_lifted(f"`{ast.unparse(call)}`", call.lineno)
        return self._of_one(inside, call, offset)

    def _method(self, inside: LiftedExpressions, call: ast.Call, of: ast.Attribute) -> Axes:
        if of.attr in ("to", "cast"):
            return self._of_one(inside, call, of.value)
        if of.attr in REDUCTION_PARAMETERS:
            return self._reduction(inside, call, of.attr, [of.value, *call.args])
        if of.attr in ELEMENTWISE:
            return inside.together([of.value, *_arguments(call)], call.lineno)
        raise not_lifted(f".{of.attr}()", call.lineno)

    # Helpers

    def _helper(self, inside: LiftedExpressions, call: ast.Call, helper: Kernel) -> Axes:
        names = [parameter.name for parameter in helper.parameters]
        given = _given(call, names)
        why_not = f"{helper.name}, which line {call.lineno} calls,"
        kinds = {name: inside.axes(part) for name, part in given.items()}
        defaults = [p.name for p in helper.parameters if p.default is not None]
        lifted = {axes for axes in kinds.values() if ROWS in axes}
        if len(lifted) != 1 or any(axes not in (SCALAR, *lifted) for axes in kinds.values()):
            detail = f"{why_not} is given tiles of several kinds"
            raise unknown(CLAIM, "not-lane-by-lane", detail)
        if not set(names) <= {*kinds, *defaults} or not set(kinds) <= set(names):
            detail = f"{why_not} is given other arguments than it takes"
            raise unknown(CLAIM, "not-lane-by-lane", detail)
        shared = {*defaults, *names} - {name for name, axes in kinds.items() if axes}
        edits = CodeEdits(helper.module)
        body = LiftedExpressions(helper, edits, _numbers_of(shared), self.axes)
        for name, axes in kinds.items():
            body.names.bind(name, axes)
        returned = _returned(body, helper, shared)
        if returned != lifted.pop() or edits:
            detail = f"{why_not} does more than to compute lane by lane"
            raise unknown(CLAIM, "not-lane-by-lane", detail)
        return returned


def _returned(body: LiftedExpressions, helper: Kernel, shared: set[str]) -> Axes:
    """The axes of what a helper returns, all of whose statements are plain; else unknown."""
    statements = helper.node.body[1:] if ast.get_docstring(helper.node) else helper.node.body
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                axes = body.axes(value)
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                read = ast.copy_location(ast.Name(name, ast.Load()), target)
                axes = body.together([read, value], statement.lineno)
            case ast.Return(value=ast.expr() as value):
                return body.axes(value) if statement is statements[-1] else OPEN
            case _:
                return OPEN
        body.names.bind(name, axes)
        (shared.add if axes == SCALAR else shared.discard)(name)
    return OPEN


def _numbers_of(shared: set[str]) -> Callable[[ast.expr], Axes]:
    """The axes of a helper's expressions that no row comes into: numbers, as far as it is seen."""

    def axes(node: ast.expr) -> Axes:
        names = [part for part in walk(node) if isinstance(part, ast.Name)]
        plain = not any(isinstance(part, (ast.Call, ast.Subscript)) for part in walk(node))
        return SCALAR if plain and all(name.id in shared for name in names) else OPEN

    return axes


def _given(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """The arguments of a call by their parameters; "" for those that there are too many of."""
    places = [*parameters, *[""] * len(call.args)]
    given = dict(zip(places, call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None}


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _flag(option: ast.expr) -> object:
    """Whether an option is set, as far as it is written there."""
    return option.value if isinstance(option, ast.Constant) else None
