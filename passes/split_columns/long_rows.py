"""The kernel for long rows beside the one that there is, and the launches that decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import in_parentheses, new_function_name
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    comments_in,
    filled,
    names_read,
    number_code,
)
from tritonopt.facts import Assumption, KernelFacts
from tritonopt.facts.algebra.turns import is_at_most
from tritonopt.facts.compiled_types import NUMBER, integer_type
from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.facts.recurrences.kinds import NUMERIC_REDUCTIONS
from tritonopt.launches.plan import LaunchPlan, PlannedLaunch, can_choose
from tritonopt.passes.split_columns.column_proof import (
    ColumnTiles,
    Kind,
    OneTileRow,
    Reduced,
    RowStatement,
)
from tritonopt.source import Change, InsertAfter, Launch, Module, ReplaceExpression
from tritonopt.source.editing import excerpts, parameters
from tritonopt.source.trees import walk


@dataclass
class _Plan:
    lines: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    """Numbers of the row that are bound by now."""
    swept: set[ast.Call] = field(default_factory=set)
    """Reductions whose loop is written."""
    said: set[ast.stmt] = field(default_factory=set)
    """Statements of tiles whose comments are written."""


@dataclass(frozen=True)
class ColumnLoops:
    columns: ColumnTiles
    writer: Writer

    @property
    def row(self) -> OneTileRow:
        return self.columns.row

    @property
    def statements(self) -> Sequence[RowStatement]:
        return self.columns.statements

    @property
    def module(self) -> Module:
        return self.row.facts.kernel.module

    def code(self) -> str:
        """The statements, unindented. Raises NotExpressible."""
        plan = _Plan()
        last = max((i for i, s in enumerate(self.statements) if s.kind is Kind.STORE), default=-1)
        for index, statement in enumerate(self.statements):
            while left := [c for c in statement.reductions if c not in plan.swept]:
                ready = [pair for pair in self._to_come(plan, index) if self._is_ready(plan, *pair)]
                if not any(call in left for _, call in ready):
                    raise NotExpressible(
                        f"line {statement.node.lineno} uses a value that is computed later"
                    )
                plan.lines += self._sweep(plan, ready)
                plan.swept |= {call for _, call in ready}
            if statement.kind is Kind.NUMBER:
                plan.lines.append(self._said(statement, first=True))
                plan.known |= statement.binds
            if index == last:
                plan.lines += self._last_loop(plan)
        return "\n".join(plan.lines)

    # What is needed for what

    def _to_come(self, plan: _Plan, first: int) -> Iterator[tuple[int, ast.Call]]:
        """The reductions from one statement on, that have no loop yet."""
        for index in range(first, len(self.statements)):
            for call in self.statements[index].reductions:
                if call not in plan.swept:
                    yield index, call

    def _is_ready(self, plan: _Plan, index: int, call: ast.Call) -> bool:
        """Whether all numbers that go into what is reduced are known."""
        needed = self._slice(index, names_read(call.args[0]))
        parts: list[ast.AST] = [call.args[0], *(s.node for s in needed)]
        inner = {c for part in parts for c in walk(part) if c in self.columns.reduced}
        if not inner <= plan.swept:
            return False
        numbers = {n for s in self.statements if s.kind is Kind.NUMBER for n in s.binds}
        read = {name for part in parts for name in names_read(part)} & numbers
        early = self.statements[:index]
        binding = [s for s in early if s.kind is Kind.NUMBER and s.binds & read]
        return all(s.binds <= plan.known for s in binding)

    def _slice(self, index: int, names: set[str]) -> list[RowStatement]:
        """The statements above one that make tiles of these names, in order."""
        needed, found = set(names), []
        for statement in reversed(self.statements[:index]):
            if statement.kind is Kind.TILE and statement.binds & needed:
                found.append(statement)
                if not isinstance(statement.node, (ast.If, ast.AugAssign)):
                    needed -= statement.binds
                needed |= statement.reads
        return found[::-1]

    # Text

    @cached_property
    def start(self) -> str:
        return self.writer.fresh("start")

    @cached_property
    def _named(self) -> dict[ast.Call, str]:
        """Reductions in the middle of what is done to tiles, which get names."""
        inside = {n for c in self.columns.reduced for n in walk(c.args[0])}
        return {
            call: self.writer.fresh(self._wanted(call))
            for statement in self.statements
            for call in statement.reductions
            if statement.kind is not Kind.NUMBER or call in inside
        }

    @cached_property
    def _tiles(self) -> dict[ast.Call, str]:
        """The names of the tiles that take up what is reduced."""
        return {call: self.writer.fresh(f"_{self._wanted(call)}") for call in self.columns.reduced}

    def _wanted(self, call: ast.Call) -> str:
        """What the result of a reduction is called, or would be."""
        for statement in self.statements:
            match statement.node:
                case ast.Assign(targets=[ast.Name(id=target)]) if call in statement.reductions:
                    if statement.kind is Kind.NUMBER and call is statement.reductions[-1]:
                        return target.lstrip("_")
        operand = call.args[0]
        name = self.columns.reduced[call].name
        return (
            f"{operand.id.lstrip('_')}_{name}" if isinstance(operand, ast.Name) else f"row_{name}"
        )

    def _reduces(self, reduced: Reduced) -> str:
        call = reduced.call
        return self.module.text_with(call, {call.args[0]: self._tiles[call]})

    @cached_property
    def _changed(self) -> tuple[Module, dict[ast.stmt, ast.stmt]]:
        """All statements as they are in the new kernel."""
        nodes = [s.node for s in self.statements]
        changes = [ReplaceExpression(n, text) for s in nodes for n, text in self._instead(s)]
        module, found = excerpts.after(self.module, changes, nodes)
        pairs = zip(nodes, found, strict=True)
        return module, {a: b for a, b in pairs if isinstance(b, ast.stmt)}

    def _instead(self, root: ast.AST) -> Iterator[tuple[ast.expr, str]]:
        """What stands in the place of lanes and of reductions, outermost first."""
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop()
            if node in self._named:
                assert isinstance(node, ast.Call)
                yield node, self._named[node]
            elif node in self.columns.reduced:
                assert isinstance(node, ast.Call)
                yield node.args[0], self._tiles[node]
            elif node in self.row.lanes:
                assert isinstance(node, ast.Call)
                yield node, f"{self.start} + {self.module.text_of(node)}"
            else:
                todo += ast.iter_child_nodes(node)

    def _operand(self, call: ast.Call) -> str:
        """What a reduction takes up, in terms of one tile of columns."""
        operand = call.args[0]
        if comments_in(self.module.text_of(operand)):
            raise NotExpressible(f"a comment is in what line {call.lineno} reduces")
        inner = {n: in_parentheses(text) for n, text in self._instead(operand)}
        return excerpts.joined(self.module.text_with(operand, inner))

    def _said(self, statement: RowStatement, *, first: bool) -> str:
        module, nodes = self._changed
        return excerpts.statement_code(module, nodes[statement.node], comments_above=first)

    # Loops

    def _sweep(self, plan: _Plan, ready: Sequence[tuple[int, ast.Call]]) -> Iterator[str]:
        needed = {
            statement: None
            for index, call in ready
            for statement in self._slice(index, names_read(call.args[0]))
        }
        for _, call in ready:
            reduced = self.columns.reduced[call]
            yield f"{self._tiles[call]} = {self._empty(reduced)}"
        yield self._header()
        for statement in self.statements:
            if statement in needed:
                yield self._again(plan, statement)
        for _, call in ready:
            yield f"    {self._taken_up(self.columns.reduced[call])}"
        for _, call in ready:
            if call in self._named:
                yield f"{self._named[call]} = {self._reduces(self.columns.reduced[call])}"

    def _empty(self, reduced: Reduced) -> str:
        dtype = reduced.dtype
        if "." not in dtype:
            dtype = self.writer.language(dtype)
        filler = number_code(NUMERIC_REDUCTIONS[reduced.name].identity)
        return filled(self.writer, self.row.tile.name, filler, dtype)

    def _taken_up(self, reduced: Reduced) -> str:
        tile = self._tiles[reduced.call]
        text = self._operand(reduced.call)
        if reduced.name == "sum":
            return f"{tile} += {text}"
        joined = self.writer.language(NUMERIC_REDUCTIONS[reduced.name].noun)
        return f"{tile} = {joined}({tile}, {text})"

    def _header(self) -> str:
        first = next(s.node for s in self.statements if s.kind is not Kind.NUMBER or s.reductions)
        known = self.row.facts.before[first].items()
        numbers = {name: value for name, value in known if value.shape == ()}
        length = self.writer.find_form(self.row.extent, numbers)
        same = (v for v in self.row.facts.values.values() if v.shape == ())
        same = (v for v in same if self.row.facts.forms.of(v) == self.row.extent)
        kinds = {integer_type(self.row.facts, value, fits=True) for value in same}
        if not kinds <= {NUMBER, "int32"}:
            # The places of a tile are numbers of 32 bits, and stay it.
            cast, to = self.writer.language("cast"), self.writer.language("int32")
            length = f"{cast}({length}, {to})"
        return f"for {self.start} in range(0, {length}, {self.row.tile.name}):"

    def _again(self, plan: _Plan, statement: RowStatement) -> str:
        first = statement.node not in plan.said
        plan.said.add(statement.node)
        return excerpts.indented(self._said(statement, first=first), "    ")

    def _last_loop(self, plan: _Plan) -> Iterator[str]:
        stores = [(i, s) for i, s in enumerate(self.statements) if s.kind is Kind.STORE]
        needed = {s: None for i, store in stores for s in self._slice(i, store.reads)}
        yield self._header()
        for statement in self.statements:
            if statement in needed or statement.kind is Kind.STORE:
                yield self._again(plan, statement)


@dataclass(frozen=True)
class LongRows:
    facts: KernelFacts
    tile: str
    """The parameter that says how long a tile is."""
    longest: int
    """The longest tile that the kernel keeps."""
    block: int
    """The tile of longer rows."""

    @cached_property
    def name(self) -> str:
        return new_function_name(self.facts.kernel.module, f"{self.facts.kernel.name}_long")

    def changes(self, columns: ColumnTiles) -> Iterator[Change]:
        """Raises NotExpressible."""
        yield self._kernel(columns)
        for launch in self.facts.launches.launches:
            yield from self._either(PlannedLaunch(launch))

    def _kernel(self, columns: ColumnTiles) -> Change:
        kernel = self.facts.kernel
        body = ColumnLoops(columns, Writer(self.facts)).code()
        module, node = kernel.module, kernel.node
        lines = module.lines.texts[node.lineno - 1 : node.body[0].lineno - 1]
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()  # what stands above the first statement
        head = parameters.renamed("\n".join(lines), 0, self.name).rstrip()
        decorators = [f"@{module.text_of(d)}" for d in node.decorator_list]
        said = f"# {kernel.name} for long rows, tile by tile."
        code = "\n".join([said, *decorators, head, excerpts.indented(body, "    ")])
        return InsertAfter(node, f"\n\n{code}\n")

    def _either(self, at: PlannedLaunch) -> Iterator[Change]:
        launch = at.launch
        changes = [ReplaceExpression(launch.arguments[self.tile], str(self.block))]
        warps = launch.options.get("num_warps")
        if warps is not None and not isinstance(warps, ast.Constant):
            changes.append(ReplaceExpression(warps, "8"))
        parameters = {p.name: p.default is not None for p in self.facts.kernel.parameters}
        return at.either(self.asked(launch), self.name, parameters, changes)

    def asked(self, launch: Launch) -> str:
        given = launch.arguments[self.tile]
        text = excerpts.one_line(launch.module, given)
        plain = isinstance(given, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
        return f"{text if plain else f'({text})'} > {self.longest}"


def is_done(row: OneTileRow, longest: int) -> bool:
    """Whether each launch stands where rows are not long, which another one is for."""
    facts = row.facts
    rows = LongRows(facts, row.tile.name, longest, 0)
    launches = facts.launches.launches
    return bool(launches) and all(
        row.tile.name in launch.arguments and PlannedLaunch(launch).is_after(rows.asked(launch))
        for launch in launches
    )


def prove_launches(row: OneTileRow, longest: int, block: int, attempt: Attempt) -> LongRows:
    """Whether each launch can choose between two kernels. Raises Declined."""
    facts, tile, claim = row.facts, row.tile.name, "launches-are-seen"
    LaunchPlan.of(facts, attempt)
    if not can_choose(facts):
        text = "the launches do not call the kernel by its name, in the file's own block"
        raise refuted(claim, "unseen-launches", text)
    if [*facts.kernel.decorators] != ["triton.jit"]:
        text = f"a decorator of the kernel may choose {tile}, or a value that depends on it"
        raise unknown("length-is-known-at-the-launch", "tile-is-not-passed", text)
    for launch in facts.launches.launches:
        _check(launch, tile)
    attempt.prove("length-is-known-at-the-launch", f"each launch passes {tile}")
    said: list[Assumption] = []
    if not is_at_most(facts, row.extent - facts.forms.of(row.tile), 0, given=said):
        text = (
            f"a launch may pass a {tile} that is shorter than the row, which leaves the "
            "rest of the row"
        )
        raise unknown("rows-can-be-lifted", "row-may-be-longer", text)
    attempt.prove("rows-can-be-lifted", "the tile is as long as the row, at any launch", said)
    attempt.assume_no_other_launches()
    return LongRows(facts, tile, longest, block)


def _check(launch: Launch, tile: str) -> None:
    claim, given = "length-is-known-at-the-launch", launch.arguments.get(tile)
    if given is None:
        text = f"the tile length is not an argument of the launch in {launch.where}"
        raise unknown(claim, "tile-is-not-passed", text)
    if isinstance(given, ast.Constant):
        text = f"the launch in {launch.where} has tiles of {given.value!r} for rows of any length"
        raise refuted(claim, "tile-is-not-passed", text)
    if not evaluation_at(launch).is_pure(given):
        text = f"what the launch in {launch.where} passes for {tile} cannot be evaluated twice"
        raise unknown(claim, "tile-is-not-passed", text)
    if not isinstance(launch.grid, ast.Tuple):
        text = f"the grid of the launch in {launch.where} may be computed from {tile}"
        raise unknown("grid-is-known", "grid-depends-on-the-configuration", text)
