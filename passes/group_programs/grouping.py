"""Programs of a matrix of tiles, in groups of rows.

    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    pid_n, pid_m = tl.swizzle2d(pid_n, pid_m, tl.num_programs(1), tl.num_programs(0), 8)

Programs start in the order of their ids, along axis 0 first. `tl.swizzle2d` takes the place of a
program in a matrix that is gone through row by row, and gives its place where some rows are gone
through together, column by column: each place is that of one program, as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.atoms import FloorDiv, ceiling_division
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.effects import Effect, parts_of
from tritonopt.facts.language import MATRIX, function
from tritonopt.facts.memory.dependence import prove_unchanged, prove_unordered
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.source import InsertAfter
from tritonopt.source.trees import walk

_CLAIM = "programs-are-numbered-in-rows"


@dataclass(frozen=True)
class Ids:
    """The names of a row and a column of tiles, and the statements that bind them."""

    row: str
    column: str
    statements: tuple[ast.stmt, ...]
    """In order."""
    rows: str
    columns: str
    """How many there are, as code."""
    values: tuple[Value, Value]
    """Those of the row and of the column."""
    divisor: ast.expr | None = None
    """Of a grid of one axis, the number of columns."""


def multiplies_tiles(facts: KernelFacts) -> bool:
    """Whether a loop of the kernel's own text multiplies matrices."""
    loops = [loop.node for loop in facts.loops]
    return any(
        isinstance(node, ast.Call) and function(facts.kernel.module.resolve(node.func)) in MATRIX
        for loop in loops
        for node in walk(loop)
    )


def is_grouped(facts: KernelFacts) -> bool:
    """Whether the kernel asks how many programs there are, or makes another order of them."""
    resolve = facts.kernel.module.resolve
    asked = {function(resolve(n.func)) for n in facts.kernel.nodes if isinstance(n, ast.Call)}
    return bool(asked & {"swizzle2d", "num_programs"})


@dataclass(frozen=True)
class Grouping:
    """One kernel whose tiles of rows are grouped."""

    facts: KernelFacts
    writer: Writer

    def prove(self, attempt: Attempt) -> Ids:
        """The names of the ids. Raises Declined."""
        found = self._ids()
        effects = self.facts.effects
        prove_unordered(attempt, effects, "the kernel")
        loads = [effect for effect in effects if effect.kind is EffectKind.LOAD]
        self._check_sharing(found, loads)
        prove_unchanged(attempt, self.facts, loads, effects, "the kernel stores nothing")
        if found.divisor is not None:
            self._check_grid(found.divisor)
            attempt.assume_no_other_launches()
        attempt.prove(_CLAIM, f"{found.row} and {found.column} are not used elsewhere")
        return found

    def change(self, ids: Ids, group: int) -> InsertAfter:
        swizzle = self.writer.language("swizzle2d")
        given = f"{ids.row}, {ids.column}, {ids.rows}, {ids.columns}, {group}"
        return InsertAfter(ids.statements[-1], f"{ids.row}, {ids.column} = {swizzle}({given})")

    def _check_sharing(self, ids: Ids, loads: Sequence[Effect]) -> None:
        """That rows share what they load, and columns too: a head of attention shares with none."""
        read = set[tuple[bool, ...]]()
        for load in loads:
            if load.pointer is None:
                return
            parts = set(parts_of(self.facts.loops, load.pointer))
            read.add(tuple(value in parts for value in ids.values))
        for alone, name, other in (
            ((True, False), ids.row, ids.column),
            ((False, True), ids.column, ids.row),
        ):
            if alone not in read:
                detail = f"no load depends on {name} and not on {other}, so a group shares nothing"
                raise refuted("programs-share-tiles", "tiles-are-not-shared", detail)

    # The ids

    def _ids(self) -> Ids:
        named = dict(self._named())
        programs = [ProgramIds.of(self.facts.kernel, axis) for axis in (0, 1)]
        if any(p.in_helper or p.unknown is not None for p in programs):
            raise _no("a function that the kernel calls reads the program id")
        first, second = (self._values(axis) for axis in (0, 1))
        if len(first) != 1:
            raise _no("the program id along axis 0 is read in several places")
        is_divided = any(v.op in (Op.FLOORDIV, Op.MOD) and v.operands[0] is first[0] for v in named)
        if second and not is_divided:
            return self._of_two_axes(named, first[0], second)
        return self._of_one_axis(named, first[0])

    def _named(self) -> Iterator[tuple[Value, tuple[str, ast.stmt]]]:
        """What the statements of the kernel's own block give names to."""
        for statement in self.facts.kernel.node.body:
            for target, node in _pairs(statement):
                value = self.facts.values.get(node)
                if value is not None:
                    yield value, (target, statement)

    def _values(self, axis: int) -> list[Value]:
        calls = ProgramIds.of(self.facts.kernel, axis).calls
        return list(dict.fromkeys(v for c in calls if (v := self.facts.values.get(c)) is not None))

    def _of_two_axes(
        self, named: dict[Value, tuple[str, ast.stmt]], first: Value, second: Sequence[Value]
    ) -> Ids:
        if len(second) != 1 or not {first, second[0]} <= named.keys():
            raise _no("the program's ids have no names")
        (column, one), (row, other) = named[first], named[second[0]]
        self._check_only(first, column)
        self._check_only(second[0], row)
        self._check_names((column, row), (one, other))
        count = self.writer.language("num_programs")
        statements = tuple(sorted({one, other}, key=lambda s: s.lineno))
        values = second[0], first
        return Ids(row, column, statements, f"{count}(1)", f"{count}(0)", values)

    def _of_one_axis(self, named: dict[Value, tuple[str, ast.stmt]], pid: Value) -> Ids:
        rows = [v for v in named if v.op is Op.FLOORDIV and v.operands[0] is pid]
        columns = [v for v in named if v.op is Op.MOD and v.operands[0] is pid]
        if len(rows) != 1 or len(columns) != 1 or rows[0].operands[1] is not columns[0].operands[1]:
            raise _no("no row and column of tiles is made of the program's id")
        (row, one), (column, other) = named[rows[0]], named[columns[0]]
        node = next(n for t, n in _pairs(one) if t == row)
        if not isinstance(node, ast.BinOp):
            raise _no(f"how {row} is computed is unknown")
        uses = self._computing(pid)
        if pid in named:
            self._check_only(pid, named[pid][0])
            uses = self._reads(named[pid][0])
        if len(uses) != 2:
            raise _no("the program id is also used elsewhere")
        self._check_only(rows[0], row)
        self._check_only(columns[0], column)
        self._check_names((row, column), (one, other))
        columns_text = self.writer.operand(node.right)
        rows_text = f"{self.writer.language('num_programs')}(0) // {columns_text}"
        last = max((one, other), key=lambda s: s.lineno)
        environment = self.facts.before.get(self._behind(last))
        if environment is None or not self.writer.means_the_same(node.right, environment):
            raise _no(f"{columns_text} is another number after line {last.lineno}")
        statements = tuple(sorted({one, other}, key=lambda s: s.lineno))
        values, text = (rows[0], columns[0]), self.writer.text(node.right)
        return Ids(row, column, statements, rows_text, text, values, node.right)

    def _computing(self, value: Value) -> list[ast.expr]:
        """The expressions that compute a value, without the names that have it."""
        nodes = (n for n in self.facts.kernel.nodes if isinstance(n, ast.expr))
        return [
            node
            for node in nodes
            if self.facts.values.get(node) is value and not isinstance(node, ast.Name)
        ]

    def _check_only(self, value: Value, name: str) -> None:
        """It is computed once, and has one name."""
        nodes = (n for n in self.facts.kernel.nodes if isinstance(n, ast.Name))
        names = {n.id for n in nodes if self.facts.values.get(n) is value} - {name}
        if names:
            raise _no(f"{min(names)} has the value of {name} too")
        if len(self._computing(value)) != 1:
            raise _no(f"the value of {name} is also computed in another place")

    def _reads(self, name: str) -> list[ast.expr]:
        return [
            n
            for n in self.facts.kernel.nodes
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        ]

    def _behind(self, statement: ast.stmt) -> ast.stmt:
        body = self.facts.kernel.node.body
        following = body[body.index(statement) + 1 :]
        if not following:
            raise _no("the program ids are not used")
        return following[0]

    def _check_names(self, names: Sequence[str], statements: Sequence[ast.stmt]) -> None:
        """Each is bound once, and not read before both are."""
        stores = [
            n.id
            for n in self.facts.kernel.nodes
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names
        ]
        if len(set(names)) != 2 or sorted(stores) != sorted(names):
            raise _no("the names of the program's ids are bound again")
        body = self.facts.kernel.node.body
        last = max(body.index(statement) for statement in statements)
        read = {
            n.id
            for statement in body[: last + 1]
            for n in walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
        if read & set(names):
            raise _no("one of the program's ids is used before the other one is known")

    # The grid

    def _check_grid(self, divisor: ast.expr) -> None:
        """That each row has all of its columns, at every launch."""
        evidence, claim = self.facts.launches, "programs-are-numbered-in-rows"
        if not evidence.bindings:
            detail = evidence.unknown or "the arguments of the launches are not understood"
            raise unknown(claim, "unseen-launches", detail)
        columns = self.facts.forms.of(self.facts.values[divisor])
        for binding in evidence.bindings:
            extent = binding.grid[0] if binding.grid else None
            passed = substitute(columns, binding)
            counted = (passed, _rounded_up(passed))
            if extent is None or all(extent.whole_quotient(n) is None for n in counted):
                detail = f"the grid of the launch in {binding.launch.where} may end within a row"
                raise unknown(claim, "grid-ends-within-a-row", detail)


def _rounded_up(form: Polynomial) -> Polynomial:
    """`(n + d - 1) // d` as `cdiv(n, d)`, which it is for a number of programs."""
    quotient = form.sole_atom
    if not isinstance(quotient, FloorDiv):
        return form
    dividend, divisor = quotient.inside
    return ceiling_division(dividend - divisor + 1, divisor)


def _pairs(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values):
            for target, value in zip(targets, values, strict=True):
                if isinstance(target, ast.Name):
                    yield target.id, value


def _no(detail: str) -> Exception:
    return refuted(_CLAIM, "program-ids-are-not-plain", detail)
