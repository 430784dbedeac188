"""What each statement of a kernel becomes when its program handles several rows at once.

A forward walk over the statements, with what each name stands for. A loop carries a name in one
kind only: where it is bound to one number or one tile before the loop and becomes one for each row
in it, it begins as one for each row, and the walk starts again.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import CodeEdits, in_parentheses
from tritonopt.emit.writing import Writer, filled, names_bound
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.language import LOOP_CALLS, function
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.values import INTEGER_DTYPES, is_integer
from tritonopt.passes.row_batch.lifted_expressions import (
    ARITHMETIC,
    BOOLEAN,
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
    on_the_row,
)
from tritonopt.source import Change, InsertAfter, InsertBefore, Remove, Replace
from tritonopt.source.editing.width import line_width
from tritonopt.source.trees import CONTRARY, walk


@dataclass(frozen=True)
class RowNames:
    rows: str
    """The numbers of the rows of a program."""
    mask: str
    """Which of these there are."""
    size: str
    """The constexpr that says how many a program has."""
    ids: frozenset[ast.expr]
    """The program ids."""
    instead: Mapping[ast.expr, str]
    """Code in the place of program ids, and of the name that one was bound to."""
    anchor: ast.stmt
    """The statement behind which the mask is made; before which, where the rows are new."""
    made: str = ""
    """Code for the rows where no statement of the kernel bound the program id."""
    stay: bool = True
    """The rows keep their name to the end."""

    def changes(self, test: str) -> list[Change]:
        """Statements for the rows where they are new, and for the mask; "" where it has no name."""
        mask = f"{self.mask} = {test}" if test else ""
        if self.made:
            return [InsertBefore(self.anchor, f"{self.rows} = {self.made}\n{mask}".rstrip("\n"))]
        return [InsertAfter(self.anchor, mask)] if mask else []


def name_rows(facts: KernelFacts, ids: ProgramIds, writer: Writer) -> RowNames:
    """The names for the rows of a kernel. Raises NotExpressible."""
    kernel = facts.kernel
    size, mask = writer.fresh(*_size_names(facts)), writer.fresh("row_mask")
    arange = writer.language("arange")
    several = f" * {size} + {arange}(0, {size})[:, None]"
    texts: dict[ast.expr, str] = {
        call: f"{kernel.module.text_of(call)}{several}" for call in ids.calls
    }
    calls = frozenset(texts)
    bound = _binding(facts, calls)
    if bound is None:
        first = next(s for s in facts.kernel.statements if not calls.isdisjoint(walk(s)))
        rows = writer.fresh("rows")
        plain = [call for call in texts if call not in ids.conversions]
        instead = dict(texts)
        instead.update((call, rows) for call in plain)
        made = texts[(plain or [*texts])[0]]
        return RowNames(rows, mask, size, calls, instead, first, made)
    statement, name, call = bound
    lifted = (node for s in facts.kernel.statements for node in walk(s))
    own = [node for node in lifted if isinstance(node, ast.Name) and node.id == name]
    is_cast = statement.value is not call or call in ids.conversions
    stays = [node for node in own if isinstance(node.ctx, ast.Store)] == statement.targets
    instead = {**texts, statement.value: f"{kernel.module.text_of(statement.value)}{several}"}
    if stays and not is_cast:
        others = (c for c in texts if c is not call and c not in ids.conversions)
        instead.update((call, name) for call in others)
    return RowNames(name, mask, size, calls, instead, statement, stay=stays)


def _size_names(facts: KernelFacts) -> tuple[str, ...]:
    """What the kernel would call the number of rows of a program, as it calls its constexprs."""
    constexprs = [p.name for p in facts.kernel.parameters if p.constexpr]
    if constexprs and all(name.islower() for name in constexprs):
        return "rows_per_program", "num_rows_per_program"
    return "ROWS", "ROWS_PER_PROGRAM"


def _binding(
    facts: KernelFacts, calls: frozenset[ast.expr]
) -> tuple[ast.Assign, str, ast.Call] | None:
    """The statement that binds a name to the program id, cast or not, before all else with it."""
    for statement in facts.kernel.statements:
        if calls.isdisjoint(walk(statement)):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                call = _cast_of(facts, value)
                return (statement, name, call) if call in calls else None
        return None
    return None


def _cast_of(facts: KernelFacts, value: ast.Call) -> ast.Call:
    """What a call casts to an integer that tells all rows apart; itself where it casts nothing."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call() as inner, attr="to"), args=[to], keywords=[]
        ) if function(facts.kernel.module.resolve(to)) in ("int32", "int64"):
            return inner
    return value


# Where a lifted kernel tests which of its rows there are


@dataclass(frozen=True)
class LiftedBody:
    """The edits of a kernel's statements, each access of rows to be masked by those there are.

    A mask that is made for such accesses alone tests the rows where it is made; elsewhere each
    access does. What stands in one place is written there, and has a name otherwise.
    """

    facts: KernelFacts
    names: RowNames
    inside: LiftedExpressions
    exits: RowExits

    def changes(self, count: str) -> list[Change]:
        """Of a kernel of `count` rows; once only. Raises NotExpressible."""
        kernel, edits, names = self.facts.kernel, self.inside.edits, self.names
        test = f"{names.rows} < {count}"
        said = (test, f"~({names.rows} >= {count})")
        left = [leaves for leaves in self.exits.found if self.exits.stays(leaves) not in said]
        once = self._bound_once
        begin = max(map(_place, [names.anchor, *left]))
        tested: dict[ast.Call | ast.stmt, ast.expr | None] = {}
        for access, mask in self.inside.accesses.items():
            if (
                not left
                and names.stay
                and (self._is_tested(mask, test) or self._tests_rows(mask, count))
            ):
                continue
            made = (once[p.id] for p in _all(mask) if isinstance(p, ast.Name) and p.id in once)
            by = next((s for s in made if _place(s) >= begin and self._is_for_rows(s)), None)
            tested[by or access] = by.value if by else mask
        is_inline = names.stay and not left and len(tested) <= 1
        for place, mask in tested.items():
            self._test(place, mask, test if is_inline else names.mask)
        edits.break_long_lines(kernel.node, line_width(kernel.module))
        changes = names.changes("" if is_inline else test)
        for leaves in self.exits.found:
            masked = f"{names.mask} &= {self.exits.stays(leaves)}"
            changes.append(Replace(leaves, masked) if leaves in left else Remove(leaves))
        gone = {node for leaves in self.exits.found for node in walk(leaves)}
        return changes + [c for c in edits.changes(kernel.node) if c.anchor not in gone]

    def _test(self, place: ast.Call | ast.stmt, mask: ast.expr | None, test: str) -> None:
        """Writes the test of the rows into an access, or into what makes its mask."""
        edits, value = self.inside.edits, self.facts.values.get(mask) if mask else None
        if mask is None:
            assert isinstance(place, ast.Call)
            edits.added[place] = [f"mask={test}"]
        elif value is not None and (value.is_none or value.constant is True):
            edits.instead[mask] = test
        else:
            edits.before[mask] = in_parentheses(test)

    @cached_property
    def _bound_once(self) -> dict[str, ast.Assign]:
        """The names that one statement of the kernel binds, and that."""
        kernel = self.facts.kernel
        names = [node for node in kernel.nodes if isinstance(node, ast.Name)]
        bound = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
        bound.update(parameter.name for parameter in kernel.parameters)
        found: dict[str, ast.Assign] = {}
        for node in kernel.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) if bound[name] == 1:
                    found[name] = node
        return found

    def _is_tested(self, mask: ast.expr | None, test: str) -> bool:
        """Whether a mask tests the rows as it is."""
        made = self._bound_once
        return any(
            self._is_tested(made[part.id].value, test)
            if isinstance(part, ast.Name) and part.id in made
            else self.inside.edits.code(part) == test
            for part in _all(mask)
        )

    def _tests_rows(self, mask: ast.expr | None, count: str) -> bool:
        """Whether a mask is on where a program id is below the number of rows alone."""
        values = self.facts.values
        known = values.get(mask) if mask is not None else None
        parts, ids = [known] if known is not None else [], {values.get(i) for i in self.names.ids}
        while parts:
            part = parts.pop()
            if part.op is Op.AND:
                parts += [part.left, part.right]
            elif part.op is Op.LT and part.right.op in (Op.PARAM, Op.CONSTEXPR):
                is_wide = part.left.op is Op.CAST and part.left.dtype in ("int32", "int64")
                row = part.left.operand if is_wide else part.left
                if row in ids and part.right.name == count:
                    return True
        return False

    def _is_for_rows(self, made: ast.Assign) -> bool:
        """Whether all that reads the mask that a statement makes does so for each row by itself."""
        target, known = made.targets[0], self.facts.values.get(made.value)
        name = target.id if isinstance(target, ast.Name) else ""
        reads = (
            node
            for node in self.facts.kernel.nodes
            if isinstance(node, ast.Name) and node is not target and node.id == name
        )
        is_mask = known is not None and known.dtype in BOOLEAN and not known.constant
        return is_mask and all(map(self._is_of_rows, reads))

    def _is_of_rows(self, name: ast.Name) -> bool:
        """Whether what reads a name does so for each row by itself."""
        parents = self.facts.kernel.module.names.parents
        reader = parents[name]
        if isinstance(reader, ast.keyword):
            reader = parents[reader]
        of_rows = isinstance(reader, ast.expr) and ROWS in self.inside.found.get(reader, SCALAR)
        return of_rows or reader in self.inside.accesses


def _place(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.col_offset


def _all(mask: ast.expr | None) -> Iterator[ast.expr]:
    """What a mask is a conjunction of."""
    match mask:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            yield from _all(left)
            yield from _all(right)
        case ast.expr():
            yield mask


_LOOSE = (ast.Compare, ast.BoolOp, ast.IfExp)
"""What means something else beside a comparison without parentheses."""


@dataclass
class RowExits:
    """The early returns of a kernel that some rows take and others do not."""

    facts: KernelFacts
    inside: LiftedExpressions
    found: list[ast.If] = field(default_factory=list)
    """In their order."""

    def note(self, statement: ast.If) -> None:
        """An `if` that asks something of the row. Raises Declined.

        It must return and do nothing else, in no other branch or loop: what follows is done for the
        rows that stay, for each access of a row is masked by what rows there are.
        """
        test = statement.test
        value = self.facts.values.get(test)
        match statement:
            case ast.If(body=[ast.Return(value=None)], orelse=[]) if (
                statement in self.facts.kernel.statements
                and value is not None
                and value.dtype in ("bool", "int1")
                and self.inside.axes(test) == OF_ROWS
            ):
                self._check_comments(statement)
                self.found.append(statement)
            case _:
                raise on_the_row(test)

    def check(self, accesses: Collection[ast.AST]) -> None:
        """Whether all that is done behind such a return is an access of a row. Raises Declined.

        What is done for all rows would be done where all of them have left, too.
        """
        if not self.found:
            return
        first = self.found[0]
        body = self.facts.kernel.statements
        behind = dict.fromkeys(node for s in body[body.index(first) + 1 :] for node in walk(s))
        for effect in self.facts.effects:
            of_rows = effect.kind is EffectKind.EXIT or effect.node in accesses
            if effect.node in behind and not of_rows:
                detail = (
                    f"{on_the_row(first.test)}, and line {effect.line}, executed once for "
                    "all rows, would also run if all rows have returned"
                )
                raise unknown(CLAIM, "rows-differ", detail)
        for node in (node for node in behind if isinstance(node, ast.Call)):
            value = self.facts.values.get(node)
            if value is not None and value.op is Op.LANE and self._may_be_empty(value.extent):
                detail = (
                    f"{on_the_row(first.test)}, and the tile of line {node.lineno} may have "
                    "no lanes, which is right only for rows that return before it: move it up"
                )
                raise unknown(CLAIM, "rows-differ", detail)

    def _may_be_empty(self, extent: Value) -> bool:
        """Whether a launch may ask for a tile of no lanes: `next_power_of_2(0)` is 0."""
        form = self.facts.forms.of(extent)
        passed = [substitute(form, binding) for binding in self.facts.launches.bindings]
        numbers = [one.constant_value for one in passed]
        return not all(number is not None and number > 0 for number in numbers or [None])

    def _check_comments(self, statement: ast.If) -> None:
        module = self.facts.kernel.module
        start, end = statement.lineno, (statement.end_lineno or statement.lineno) + 1
        if "#" in module.text[module.lines.start(start) : module.lines.start(end)]:
            detail = f"a comment below line {start} would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", detail)

    def stays(self, statement: ast.If) -> str:
        """Code for the contrary of what rows leave for, as far as that is edited already."""
        edits, test = self.inside.edits, statement.test
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if not (
                isinstance(left, _LOOSE) or isinstance(right, _LOOSE)
            ):
                are_whole = self._is_whole(left) and self._is_whole(right)
                # Of NaN neither an order nor its contrary is true.
                if are_whole or isinstance(op, (ast.Eq, ast.NotEq)):
                    return f"{edits.code(left)} {CONTRARY[type(op)]} {edits.code(right)}"
        return f"~{in_parentheses(edits.code(test))}"

    def _is_whole(self, node: ast.expr) -> bool:
        value = self.facts.values[node]
        whole = is_integer(value.dtype) or value.dtype == "int"
        return whole or self.facts.types.of(value).all_in(INTEGER_DTYPES | {"int"})


# What each statement of a kernel becomes when its program handles several rows at once


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
    def __init__(
        self, facts: KernelFacts, rows: RowNames, writer: Writer, begun: dict[ast.stmt, Axes]
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
        self._block(self._kernel.statements)
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
        raise not_lifted(f"`{ast.unparse(statement).partition(chr(10))[0]}`", statement.lineno)

    def _bind(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        wanted = self._begun.get(statement)
        if wanted is not None and ROWS not in self._inside.reads(value):
            self._begin(statement, value, wanted)
            self._inside.bind(name, wanted)
        else:
            lifted = bool(self._inside.reads(value))
            self._inside.bind(name, self._inside.axes(value), lifted=lifted)

    def _update(self, statement: ast.AugAssign) -> None:
        assert isinstance(statement.target, ast.Name)
        inside, name, value = self._inside, statement.target.id, statement.value
        mine = inside.reads(ast.copy_location(ast.Name(name, ast.Load()), statement.target))
        lifted = bool(mine | inside.reads(value))
        if lifted and not isinstance(statement.op, ARITHMETIC):
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
            found = [self._inside.reduction(value, name, indices=True)] * 2
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
        for name in sorted((then.keys() | names.keys()) & names_bound(statement)):
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
            detail = f"the trip count of the loop in line {statement.lineno} depends on the row"
            raise unknown(CLAIM, "rows-differ", detail)
        before = dict(self._inside.names)
        self._inside.bind(target.id, SCALAR)
        self._block(statement.body)
        self._carried(statement, before, unrolled=function(called) == "static_range")

    def _carried(self, loop: ast.For, before: dict[str, Axes], *, unrolled: bool) -> None:
        """Whether each name is of one kind at the start of all iterations. Raises Declined."""
        after = self._inside.names
        for name in sorted(self._facts.before[loop].keys() & names_bound(loop)):
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
            text = "0" if is_zero else self._kernel.module.text_of(value)
            self._edits.instead[value] = filled(self._writer, f"{size}, 1", text, dtype)
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
