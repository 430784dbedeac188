"""What each statement of a kernel becomes when its program handles several rows at once.

A forward walk over the statements, with what each name stands for. A loop carries a name in one
kind only: where it is bound to one number or one tile before the loop and becomes one for each row
in it, it begins as one for each row, and the walk starts again.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.language import LOOP_CALLS, function
from tritonopt.facts.operations import Op
from tritonopt.passes.row_batch.lifted_expressions import (
    CLAIM,
    EITHER,
    OF_ROWS,
    OPEN,
    ROWS,
    SCALAR,
    SHARED,
    TILE,
    Axes,
    LiftedExpressions,
    at_most,
    changes_kind,
    either,
    met,
    not_lifted,
    of_rows,
)
from tritonopt.passes.row_batch.row_masks import LiftedBody, RowExits, RowNames, statements_of

_ARITHMETIC = (
    (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
    + (ast.BitAnd, ast.BitOr, ast.BitXor)
)  # fmt: skip


class _StartAgain(Exception):
    """Something must begin as one for each row that was one for all."""


def lift_body(facts: KernelFacts, rows: RowNames, writer: Writer) -> LiftedBody:
    """Raises Declined where the kernel does something that cannot be done for several rows."""
    begun: dict[ast.stmt, Axes] = {}
    while True:
        try:
            return _Walk(facts, rows, writer, begun).lift()
        except _StartAgain:
            continue


class _Walk:
    """One walk over the statements of a kernel."""

    def __init__(
        self,
        facts: KernelFacts,
        rows: RowNames,
        writer: Writer,
        begun: dict[ast.stmt, Axes],
    ) -> None:
        self._facts, self._rows, self._writer = facts, rows, writer
        self._kernel, self._begun = facts.kernel, begun
        self._edits = CodeEdits(facts.kernel.module)
        self._edits.instead.update(rows.instead)
        self._inside = LiftedExpressions(
            facts.kernel, self._edits, self._closed, facts, frozenset(rows.ids)
        )
        self._written: set[ast.AST] = set()
        self._exits = RowExits(facts, self._inside)

    def lift(self) -> LiftedBody:
        for node in self._kernel.nodes:
            if isinstance(node, (ast.NamedExpr, ast.Global, ast.Nonlocal)):
                raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)
        self._block(statements_of(self._kernel))
        self._check_writes()
        self._exits.check(self._inside.accesses)
        return LiftedBody(self._facts, self._rows, self._inside, self._exits)

    def _check_writes(self) -> None:
        """Whether all that is written was seen to be written for each row. Raises Declined."""
        for effect in self._facts.effects:
            unseen = effect.node not in self._written
            if effect.kind in (EffectKind.STORE, EffectKind.ATOMIC) and unseen:
                raise not_lifted(f"the {effect.name}", effect.line)

    def _closed(self, node: ast.expr) -> Axes:
        """The axes of an expression in which nothing is lifted, as it is written."""
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
            case ast.AugAssign(target=ast.Name()):
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
        wanted = self._begun.get(statement)
        if wanted is not None and ROWS not in self._inside.reads(value):
            self._begin(statement, value, wanted)
            self._inside.bind(name, wanted)
        else:
            lifted = bool(self._inside.reads(value))
            self._inside.bind(name, self._inside.axes(value), lifted=lifted)

    def _update(self, statement: ast.AugAssign) -> None:
        """`x += y`, which is lane by lane."""
        assert isinstance(statement.target, ast.Name)
        inside, name, value = self._inside, statement.target.id, statement.value
        mine = inside.reads(ast.copy_location(ast.Name(name, ast.Load()), statement.target))
        lifted = bool(mine | inside.reads(value))
        if lifted and not isinstance(statement.op, _ARITHMETIC):
            self._other(statement)
        mine = mine or _axes_of(self._facts.before[statement].get(name))
        axes = met([mine, inside.axes(value)], statement.lineno)
        inside.bind(name, axes, lifted=lifted)

    def _bind_each(self, statement: ast.stmt, targets: Sequence[ast.expr], value: ast.expr) -> None:
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        found = [SCALAR] * len(names)
        lifted = bool(self._inside.reads(value))
        if isinstance(value, ast.Tuple):
            found = [self._inside.axes(part) for part in value.elts]
        elif lifted and isinstance(value, ast.Call):
            name = function(self._kernel.module.resolve(value.func))
            if name not in ("max", "min") or len(names) != 2:
                self._other(statement)
            found = [self._inside.reduction(value, name, value.args, indices=True)] * 2
        if len(found) != len(targets) or len(names) != len(targets):
            self._other(statement)
        for name, axes in zip(names, found, strict=True):
            self._inside.bind(name, axes, lifted=lifted)

    def _expression(self, value: ast.expr) -> None:
        writes = any(e.node is value and e.writes for e in self._facts.effects)
        if isinstance(value, ast.Call) and writes:
            self._written.add(value)
            self._inside.write(value)
        elif of_rows(self._inside.reads(value)):
            raise not_lifted(f"`{ast.unparse(value)}`", value.lineno)

    # Branches and loops

    def _branch(self, statement: ast.If) -> None:
        test = statement.test
        reads = self._inside.reads(test)
        if ROWS in reads:
            return self._exits.note(statement)
        if reads and self._inside.axes(test):
            raise not_lifted(f"`{ast.unparse(test)}`", test.lineno)
        before = dict(self._inside.names)
        self._block(statement.body)
        then, self._inside.names = self._inside.names, before
        self._block(statement.orelse)
        names = self._inside.names
        in_both = names_bound(ast.Module(statement.body, []))
        in_both &= names_bound(ast.Module(statement.orelse, []))
        decided = is_constexpr(self._facts, test)
        for name in (then.keys() | names.keys()) & names_bound(statement):
            mine, other = then.get(name, SCALAR), names.get(name, SCALAR)
            if mine == other and (decided or at_most(mine) == mine):
                continue
            if name not in in_both and name not in self._facts.before[statement]:
                # The other branch does not bind it: who reads it comes from this one.
                names[name] = mine or other
            elif EITHER in (mine, other) or OPEN in (mine, other):
                names[name] = EITHER
            elif decided:
                names[name] = either(mine, other)
            else:
                raise changes_kind(name, statement.lineno)

    def _loop(self, statement: ast.For) -> None:
        call, target = statement.iter, statement.target
        module = self._kernel.module
        called = ""
        if isinstance(call, ast.Call):
            called = module.resolve(call.func) or module.builtin(call.func)
        if called not in LOOP_CALLS or not isinstance(target, ast.Name) or statement.orelse:
            raise not_lifted(f"the loop over `{ast.unparse(call)}`", statement.lineno)
        if self._inside.reads(call):
            detail = f"how often the loop in line {statement.lineno} iterates depends on the row"
            raise unknown(CLAIM, "rows-differ", detail)
        before = dict(self._inside.names)
        self._inside.bind(target.id, SCALAR)
        self._block(statement.body)
        self._carried(statement, before, unrolled=function(called) == "static_range")

    def _carried(self, loop: ast.For, before: dict[str, Axes], *, unrolled: bool) -> None:
        """Whether each name is of one kind at the start of all iterations. Raises Declined."""
        after = self._inside.names
        for name in self._facts.before[loop].keys() & names_bound(loop):
            mine, theirs = before.get(name, SCALAR), after.get(name, SCALAR)
            if mine == EITHER or mine == theirs == at_most(mine):
                continue  # who reads it before it is bound again is declined
            if ROWS in theirs and ROWS not in mine:
                self._start_with_rows(loop, name, theirs, unrolled)
            raise changes_kind(name, loop.lineno)
        for name in {*before, *after}:
            if before.get(name, SCALAR) != after.get(name, SCALAR):
                after[name] = EITHER  # what only the loop binds is not there behind it

    def _start_with_rows(self, loop: ast.For, name: str, wanted: Axes, unrolled: bool) -> None:
        """Has a name begin as one for each row where it is bound before a loop. Raises Declined."""
        begins = set(self._begins(self._facts.before[loop][name]))
        statements: dict[ast.stmt, Value] = {}
        for statement in self._kernel.nodes:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=bound)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value)
                ) if bound == name and self._facts.values.get(value) in begins:
                    statements[statement] = self._facts.values[value]
        # In an unrolled loop a number takes on the type of what it meets; a tile of it would not.
        is_number = any(value.constant is not None for value in begins)
        is_known = begins == set(statements.values()) and not statements.keys() & self._begun
        if not is_known or (unrolled and is_number):
            raise changes_kind(name, loop.lineno)
        self._begun.update(dict.fromkeys(statements, wanted))
        raise _StartAgain

    def _begins(self, value: Value) -> Iterator[Value]:
        """What a name may be bound to before a loop, whichever branch or outer loop bound it."""
        if value.op is Op.PHI:
            yield from self._begins(value.then)
            yield from self._begins(value.other)
        elif value.op is Op.CARRIED:
            yield from self._begins(
                self._facts.loops[value.carrier.loop].initial[value.carrier.name]
            )
        else:
            yield value

    # What begins as one for each row

    def _begin(self, statement: ast.stmt, value: ast.expr, wanted: Axes) -> None:
        """Writes a number, or a tile of one, with an axis for the rows. Raises Declined."""
        known = self._facts.values.get(value)
        number = None if known is None else known.constant
        size, sizes = self._rows.size, self._inside.sizes_of(value)
        if wanted == OF_ROWS and isinstance(number, (int, float)) and not isinstance(number, bool):
            if not _is_of_32_bits(number):
                raise changes_kind(ast.unparse(value), statement.lineno)
            dtype = self._writer.language("float32" if isinstance(number, float) else "int32")
            is_zero = number == 0 and isinstance(value, ast.Constant)
            full = self._writer.language("zeros" if is_zero else "full")
            filled = "" if is_zero else f"{self._kernel.module.text_of(value)}, "
            self._edits.instead[value] = f"{full}([{size}, 1], {filled}dtype={dtype})"
        elif sizes is not None and wanted == (TILE if sizes.elts else OF_ROWS):
            self._inside.size(sizes, size)
        else:
            detail = (
                f"what line {statement.lineno} binds before a loop becomes one for each row in "
                "it, and is neither a number nor tl.zeros or tl.full"
            )
            raise refuted(CLAIM, "rows-differ", detail)


def _axes_of(value: Value | None) -> Axes:
    """The axes of a value before it is lifted."""
    rank = None if value is None else value.rank
    return OPEN if rank is None or rank > 1 else SHARED if rank else SCALAR


def _is_of_32_bits(number: float) -> bool:
    """Whether a loop that carries a Python number makes a tensor of 32 bits of it."""
    if isinstance(number, int):
        return -(2**31) <= number < 2**31
    return number in (0.0, math.inf, -math.inf) or 2**-126 <= abs(number) <= (2 - 2**-23) * 2**127
