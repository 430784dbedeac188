"""Where a lifted kernel tests which of its rows there are."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import in_parentheses
from tritonopt.emit.writing import Writer
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.values import INTEGER_DTYPES, is_integer
from tritonopt.passes.row_batch.lifted_expressions import (
    BOOLEAN,
    CLAIM,
    OF_ROWS,
    ROWS,
    SCALAR,
    LiftedExpressions,
    on_the_row,
)
from tritonopt.source import Change, InsertAfter, InsertBefore, Kernel, Remove, Replace
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class RowNames:
    """The names, and what becomes of the program ids."""

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


def statements_of(kernel: Kernel) -> list[ast.stmt]:
    """The statements of a kernel that are lifted: all but what documents it."""
    return kernel.node.body[ast.get_docstring(kernel.node) is not None :]


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
        first = next(s for s in statements_of(facts.kernel) if not calls.isdisjoint(walk(s)))
        rows = writer.fresh("rows")
        plain = [call for call in texts if call not in ids.conversions]
        instead = dict(texts)
        instead.update((call, rows) for call in plain)
        made = texts[(plain or [*texts])[0]]
        return RowNames(rows, mask, size, calls, instead, first, made)
    statement, name, call = bound
    lifted = (node for s in statements_of(facts.kernel) for node in walk(s))
    own = [node for node in lifted if isinstance(node, ast.Name) and node.id == name]
    is_cast = statement.value is not call or call in ids.conversions
    stays = [node for node in own if isinstance(node.ctx, ast.Store)] == statement.targets
    rows = writer.fresh("rows") if stays and name != "rows" else name
    instead = {**texts, statement.value: f"{kernel.module.text_of(statement.value)}{several}"}
    if stays and not is_cast:
        others = (c for c in texts if c is not call and c not in ids.conversions)
        instead.update((call, rows) for call in others)
    if rows != name:
        instead.update((node, rows) for node in own)
    return RowNames(rows, mask, size, calls, instead, statement, stay=stays)


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
    for statement in statements_of(facts.kernel):
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

_WIDTH = 88
"""Of a line, where none in the file is longer."""


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

    @property
    def is_summed(self) -> bool:
        """Whether tiles are summed up, or more than that, in an order of their own."""
        return self.inside.is_summed

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
        texts = kernel.module.texts
        width = max(_WIDTH, *(len(line) for text in texts for line in text.split("\n")))
        edits.break_long_lines(kernel.node, width)
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


_CONTRARY = {
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
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
                statement in statements_of(self.facts.kernel)
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
        body = statements_of(self.facts.kernel)
        behind = {node for s in body[body.index(first) + 1 :] for node in walk(s)}
        for effect in self.facts.effects:
            of_rows = effect.kind is EffectKind.EXIT or effect.node in accesses
            if effect.node in behind and not of_rows:
                detail = (
                    f"{on_the_row(first.test)}, and what line {effect.line} does for all of "
                    "them would be done where all have left"
                )
                raise unknown(CLAIM, "rows-differ", detail)
        for node in (node for node in behind if isinstance(node, ast.Call)):
            value = self.facts.values.get(node)
            if value is not None and value.op is Op.LANE and self._may_be_empty(value.extent):
                detail = (
                    f"{on_the_row(first.test)}, and the tile of line {node.lineno} may have "
                    "no lanes, which only rows that leave before it can do with: make it above"
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
                    return f"{edits.code(left)} {_CONTRARY[type(op)]} {edits.code(right)}"
        return f"~{in_parentheses(edits.code(test))}"

    def _is_whole(self, node: ast.expr) -> bool:
        value = self.facts.values[node]
        whole = is_integer(value.dtype) or value.dtype == "int"
        return whole or self.facts.types.of(value).all_in(INTEGER_DTYPES | {"int"})
