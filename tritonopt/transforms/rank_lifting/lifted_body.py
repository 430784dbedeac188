"""What each statement of a kernel becomes when its program handles several rows at once.

A forward walk over the statements, with what each name stands for. A loop carries a name in one
kind only: where it is bound to one number or one tile before the loop and becomes one for each row
in it, it begins as one for each row, and the walk starts again.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.language import LOOP_CALLS, function
from tritonopt.source import Change, Remove, Replace
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import CodeEdits, in_parentheses
from tritonopt.transforms.rank_lifting.axes import (
    CLAIM,
    OF_ROWS,
    OPEN,
    SCALAR,
    SHARED,
    Axes,
    changes_kind,
    met,
    not_lifted,
    widening,
)
from tritonopt.transforms.rank_lifting.lifted_calls import LiftedCalls
from tritonopt.transforms.rank_lifting.lifted_expressions import (
    LiftedExpressions,
    Names,
)
from tritonopt.transforms.rank_lifting.lifted_part import LiftedPart
from tritonopt.transforms.rank_lifting.row_exits import RowExits
from tritonopt.transforms.rank_lifting.row_names import RowNames
from tritonopt.transforms.writing import Writer, names_bound

_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_WIDTH = 88
"""Of a line, where none in the file is longer."""


@dataclass(frozen=True)
class LiftedBody:
    """The edits of a kernel's statements."""

    edits: CodeEdits
    replaced: dict[ast.stmt, str]
    """Statements that are written anew."""
    is_summed: bool
    """Tiles of rows are summed up, or more than that, in an order of their own."""

    def changes(self, kernel: ast.FunctionDef, said: Collection[str]) -> Iterator[Change]:
        """Statements that are `said` already go. Raises NotExpressible."""
        for statement, code in self.replaced.items():
            yield Remove(statement) if code in said else Replace(statement, code)
        gone = {node for statement in self.replaced for node in walk(statement)}
        yield from (c for c in self.edits.changes(kernel) if c.anchor not in gone)


class _StartAgain(Exception):
    """Something must begin as one for each row that was one for all."""


@dataclass
class _Begun:
    """What must begin as one for each row: statements that bind a name before a loop."""

    statements: dict[ast.stmt, Axes] = field(default_factory=dict)


def lift_body(facts: KernelFacts, part: LiftedPart, rows: RowNames, writer: Writer) -> LiftedBody:
    """Raises Declined where the part does something that cannot be done for several rows."""
    begun = _Begun()
    while True:
        try:
            return _Walk(facts, part, rows, writer, begun).lift()
        except _StartAgain:
            continue


class _Walk:
    """One walk over the statements of a kernel."""

    def __init__(
        self,
        facts: KernelFacts,
        part: LiftedPart,
        rows: RowNames,
        writer: Writer,
        begun: _Begun,
    ) -> None:
        self._facts = facts
        self._part = part
        self._rows = rows
        self._writer = writer
        self._begun = begun
        self._kernel = facts.kernel
        self._edits = CodeEdits(facts.kernel.module)
        self._edits.instead.update(rows.instead)
        self._calls = LiftedCalls(facts, rows.mask)
        ids = frozenset(rows.ids)
        self._inside = LiftedExpressions(
            facts.kernel, self._edits, self._shared, self._calls.axes, ids
        )
        self._bound_by: dict[str, set[ast.stmt | None]] = {}
        """The statements that may have bound a name last; None for one that cannot change."""
        self._replaced: dict[ast.stmt, str] = {}
        self._written: set[ast.AST] = set()
        self._exits = RowExits(facts, part, rows.mask, self._inside)

    def lift(self) -> LiftedBody:
        for node in self._kernel.nodes:
            if isinstance(node, (ast.NamedExpr, ast.Global, ast.Nonlocal)):
                raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)
        self._block(self._part.statements)
        self._check_writes()
        self._exits.check(self._calls.accesses)
        texts = self._kernel.module.texts
        width = max(_WIDTH, *(len(line) for text in texts for line in text.split("\n")))
        for call in self._calls.accesses:
            self._edits.break_long_line(call, width)
        return LiftedBody(self._edits, self._replaced, self._calls.is_summed)

    def _check_writes(self) -> None:
        """Whether all that is written was seen to be written for each row. Raises Declined."""
        seen = self._written | self._part.left
        for effect in self._facts.effects:
            unseen = effect.node not in seen
            if effect.kind in (EffectKind.STORE, EffectKind.ATOMIC) and unseen:
                raise not_lifted(f"the {effect.name}", effect.line)

    @property
    def _names(self) -> Names:
        return self._inside.names

    def _shared(self, node: ast.expr) -> Axes:
        """The axes of what all rows share, which is what it was."""
        return _axes_of(self._facts.values.get(node))

    # Statements

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._bind(statement, name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._bind(statement, name, value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                self._bind_each(statement, targets, value)
            case ast.AugAssign(target=ast.Name(), value=value):
                self._update(statement)
            case ast.Expr(value=value):
                self._expression(value)
            case ast.If():
                self._branch(statement)
            case ast.For():
                self._loop(statement)
            case ast.Pass() | ast.Return(value=None | ast.Constant(value=None)):
                pass  # where all rows come to a `return`, they leave together
            case _:
                self._other(statement)

    def _other(self, statement: ast.stmt) -> None:
        what = ast.unparse(statement).partition("\n")[0]
        raise not_lifted(f"`{what}`", statement.lineno)

    def _bind(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        wanted = self._begun.statements.get(statement)
        if wanted is not None and not self._inside.has_rows(value):
            self._begin(statement, value, wanted)
            axes = wanted
        else:
            axes = self._inside.axes(value)
        self._names.bind(name, axes)
        self._bound_by[name] = {statement if axes != OPEN else None}

    def _bind_each(self, statement: ast.stmt, targets: Sequence[ast.expr], value: ast.expr) -> None:
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(names) != len(targets):
            self._other(statement)
        parts = value.elts if isinstance(value, ast.Tuple) else []
        found = [SCALAR] * len(names)
        if len(parts) == len(names):
            found = [self._inside.axes(part) for part in parts]
        elif isinstance(value, ast.Call) and self._inside.has_rows(value):
            found = self._calls.of_several(self._inside, value)
        elif self._inside.has_rows(value):
            raise not_lifted(f"`{ast.unparse(value)}`", statement.lineno)
        if len(found) != len(names):
            self._other(statement)
        for name, axes in zip(names, found, strict=True):
            self._names.bind(name, axes)
            self._bound_by[name] = {None}

    def _update(self, statement: ast.AugAssign) -> None:
        """`x += y`, which is lane by lane; where x has fewer axes than y it is written out."""
        assert isinstance(statement.target, ast.Name)
        name, value = statement.target.id, statement.value
        read = ast.copy_location(ast.Name(name, ast.Load()), statement.target)
        of_rows = self._inside.has_rows(read)
        if not of_rows and not self._inside.has_rows(value):
            self._bound_by[name] = {None}
            return
        if type(statement.op) not in _OPERATORS:
            raise not_lifted(f"`{ast.unparse(statement)}`", statement.lineno)
        shared = _axes_of(self._facts.before[statement].get(name))
        mine = self._names.of_rows[name] if of_rows else shared
        theirs = self._inside.axes(value)
        target = met([mine, theirs], statement.lineno)
        self._inside.widen(value, theirs, target)
        index = widening(mine, target)
        if index:
            operator = _OPERATORS[type(statement.op)]
            code = self._edits.code(value)
            own = self._edits.instead.get(statement.target, name)
            self._replaced[statement] = f"{own} = {own}{index} {operator} {in_parentheses(code)}"
        self._names.bind(name, target)
        self._bound_by[name] = {None}

    def _expression(self, value: ast.expr) -> None:
        writes = any(e.node is value and e.writes for e in self._facts.effects)
        if isinstance(value, ast.Call) and writes:
            self._written.add(value)
            self._calls.write(self._inside, value)
        elif self._inside.has_rows(value):
            raise not_lifted(f"`{ast.unparse(value)}`", value.lineno)

    # Branches and loops

    def _branch(self, statement: ast.If) -> None:
        if self._inside.has_rows(statement.test):
            self._replaced[statement] = self._exits.masked(statement)
            return
        before, bound = self._names.copy(), dict(self._bound_by)
        self._block(statement.body)
        then, bound_then = self._inside.names, self._bound_by
        self._inside.names, self._bound_by = before, bound
        self._block(statement.orelse)
        other = self._inside.names
        self._inside.names = joined = _either(then, other)
        known = self._facts.before[statement]
        for side, block in ((then, statement.orelse), (other, statement.body)):
            for name in side.of_rows.keys() - {*known, *_stored_in(block)}:
                # The other branch does not bind it: who reads it comes from this one.
                joined.bind(name, side.of_rows[name])
        for name, statements in bound_then.items():
            self._bound_by[name] = self._bound_by.get(name, set()) | statements

    def _loop(self, statement: ast.For) -> None:
        call, target = statement.iter, statement.target
        module = self._kernel.module
        counted = isinstance(call, ast.Call) and (
            (module.resolve(call.func) or module.builtin(call.func)) in LOOP_CALLS
        )
        if not counted or not isinstance(target, ast.Name) or statement.orelse:
            raise not_lifted(f"the loop over `{ast.unparse(call)}`", statement.lineno)
        if self._inside.has_rows(call):
            detail = f"how often the loop in line {statement.lineno} turns depends on the row"
            raise unknown(CLAIM, "rows-differ", detail)
        unrolled = (
            isinstance(call, ast.Call) and function(module.resolve(call.func)) == "static_range"
        )
        before, bound = self._names.copy(), dict(self._bound_by)
        self._names.bind(target.id, SCALAR)
        self._bound_by[target.id] = {None}
        self._block(statement.body)
        self._carried(statement, before, bound, unrolled=unrolled)

    def _carried(
        self,
        loop: ast.For,
        before: Names,
        bound: dict[str, set[ast.stmt | None]],
        *,
        unrolled: bool,
    ) -> None:
        """Whether each name is of one kind at the start of all iterations. Raises Declined."""
        after = self._names
        for name in {**self._facts.before[loop], **bound}:
            if name in before.unclear or name not in _stored_in([loop]):
                continue  # who reads it before it is bound again is declined
            mine, theirs = before.of_rows.get(name), after.of_rows.get(name)
            if name not in after.unclear and mine == theirs:
                continue
            if name not in after.unclear and mine is None and theirs is not None:
                self._start_with_rows(loop, name, theirs, bound.get(name, {None}), unrolled)
            raise changes_kind(name, loop.lineno)
        # What only the loop binds is not there behind it.
        self._inside.names = _either(before, after)
        self._bound_by = {name: self._bound_by[name] | bound[name] for name in bound}

    def _start_with_rows(
        self,
        loop: ast.For,
        name: str,
        wanted: Axes,
        statements: set[ast.stmt | None],
        unrolled: bool,
    ) -> None:
        for statement in statements:
            if statement is None or statement in self._begun.statements:
                raise changes_kind(name, loop.lineno)
            known = self._facts.values.get(statement.value)  # type: ignore[attr-defined]
            if unrolled and known is not None and known.constant is not None:
                # A number takes on the type of what it meets; a tile of it would not.
                raise changes_kind(name, loop.lineno)
        for statement in statements:
            assert statement is not None
            self._begun.statements[statement] = wanted
        raise _StartAgain

    # What begins as one for each row

    def _begin(self, statement: ast.stmt, value: ast.expr, wanted: Axes) -> None:
        """Writes a number, or a tile of one, with an axis for the rows. Raises Declined."""
        known = self._facts.values.get(value)
        number = None if known is None else known.constant
        if wanted == OF_ROWS and isinstance(number, (int, float)) and not isinstance(number, bool):
            dtype = "float32" if isinstance(number, float) else "int32"
            if not _is_of_32_bits(number):
                raise changes_kind(ast.unparse(value), statement.lineno)
            full, type_ = self._writer.language("full"), self._writer.language(dtype)
            text = self._kernel.module.text_of(value)
            if number == 0 and isinstance(value, ast.Constant):
                zeros = self._writer.language("zeros")
                self._edits.instead[value] = f"{zeros}([{self._rows.size}], dtype={type_})"
            else:
                self._edits.instead[value] = f"{full}([{self._rows.size}], {text}, dtype={type_})"
            return
        match value:
            case ast.Call(func=called, args=[ast.List(elts=sizes) | ast.Tuple(elts=sizes), *_]):
                named = function(self._kernel.module.resolve(called))
                if named in ("zeros", "full") and len(sizes) == len(wanted) - 1:
                    size = ", ".join([self._rows.size, *map(self._kernel.module.text_of, sizes)])
                    assert isinstance(value, ast.Call)
                    many = f"({size})" if isinstance(value.args[0], ast.Tuple) else f"[{size}]"
                    many = many if len(wanted) > 1 or many[0] == "[" else f"({size},)"
                    self._edits.instead[value.args[0]] = many
                    return
        detail = (
            f"what line {statement.lineno} binds before a loop becomes one for each row in it, "
            "and is neither a number nor tl.zeros or tl.full"
        )
        raise refuted(CLAIM, "rows-differ", detail)


def _axes_of(shared: Value | None) -> Axes:
    """The axes of a value that is the same for all rows."""
    rank = None if shared is None else shared.rank
    if rank is None or rank > 1:
        return OPEN
    return SHARED if rank else SCALAR


def _is_of_32_bits(number: float) -> bool:
    """Whether a loop that carries a Python number makes a tensor of 32 bits of it."""
    if isinstance(number, int):
        return -(2**31) <= number < 2**31
    return number in (0.0, math.inf, -math.inf) or 2**-126 <= abs(number) <= (2 - 2**-23) * 2**127


def _stored_in(statements: Sequence[ast.stmt]) -> set[str]:
    return {name for statement in statements for name in names_bound(statement)}


def _either(one: Names, other: Names) -> Names:
    """What names stand for where two ways meet."""
    names = Names(dict(one.of_rows), one.unclear | other.unclear)
    for name in {*one.of_rows, *other.of_rows}:
        mine, theirs = one.of_rows.get(name), other.of_rows.get(name)
        if mine != theirs:
            names.of_rows.pop(name, None)
            names.unclear.add(name)
    return names
