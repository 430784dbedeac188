"""Writes the one loop: its header, what recovers the indices, and the body of the nest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Loop, Polynomial
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.rewriting.checklist import refuted
from tritonopt.source import Change, EditConflict, InsertBefore, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.collapsing.index_nests import Nest
from tritonopt.transforms.collapsing.nest_proof import Collapse
from tritonopt.transforms.writing import Writer

_BLOCK = "FLAT_BLOCK"
_CONSTEXPR = "triton.language.constexpr"


@dataclass(frozen=True)
class FlatLoop:
    """The changes that make a proved nest one loop, over tiles of so many elements."""

    collapse: Collapse
    size: int

    @property
    def nest(self) -> Nest:
        return self.collapse.nest

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.nest.facts)

    def changes(self) -> tuple[Change, ...]:
        """Raises Declined where the loop cannot be written, or a comment would be lost."""
        try:
            changes = tuple(self._changes())
            excerpts.check_comments(self.nest.facts.kernel.module, changes)
        except EditConflict as conflict:
            raise refuted("nothing-else-goes", "comment-inside", str(conflict)) from None
        return changes

    def _changes(self) -> Iterator[Change]:
        if not self._known_block:
            constexpr = self.writer.language("constexpr")
            yield InsertBefore(self._first_statement, f"{self.block}: {constexpr} = {self.size}")
        for accumulator in self.collapse.accumulators:
            if accumulator.tile is not None:
                yield from self._with_block(accumulator.tile)
        yield Replace(self.nest.first, self._code())

    def _with_block(self, call: ast.expr) -> Iterator[Change]:
        """The call that makes a tile, with the new length."""
        assert isinstance(call, ast.Call)
        given = [k.value for k in call.keywords if k.arg == "shape"]
        shape = given[0] if given else call.args[0]
        yield ReplaceExpression(shape, f"[{self.block}]")

    # Names

    @cached_property
    def block(self) -> str:
        """The name of the number of elements in a tile."""
        return self._known_block or self.writer.fresh(_BLOCK)

    @cached_property
    def _known_block(self) -> str:
        """The name of that number, where another nest has become one loop already."""
        kernel = self.nest.facts.kernel
        for statement in kernel.node.body:
            match statement:
                case ast.AnnAssign(
                    target=ast.Name(id=name), annotation=kind, value=ast.Constant(value=self.size)
                ) if name.startswith(_BLOCK):
                    if kernel.module.resolve(kind) == _CONSTEXPR:
                        return name
        return ""

    @property
    def _first_statement(self) -> ast.stmt:
        body = self.nest.facts.kernel.node.body
        match body[0]:
            case ast.Expr(value=ast.Constant(value=str())) if len(body) > 1:
                return body[1]
        return body[0]

    @cached_property
    def start(self) -> str:
        return self._local("start")

    @cached_property
    def place(self) -> str:
        return self._local("place")

    def _local(self, wanted: str) -> str:
        """A name for use in the loop, which other loops may use too."""
        facts = self.nest.facts
        elsewhere = {
            node
            for loop in facts.loops
            if not loop.inlined and loop.parent is None
            for node in walk(loop.node)
        } - self.nest.nodes
        mentions = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == wanted]
        if mentions and elsewhere.issuperset(mentions):
            known = facts.before[self.nest.first].get(wanted)
            if known is None or known.op is Op.OPAQUE:  # what another loop has counted
                return wanted
        return self.writer.fresh(wanted)

    # Sizes

    @cached_property
    def _counts(self) -> list[Polynomial]:
        """How many turns each loop has, and elements the row."""
        found = [self.nest.facts.forms.trip_count(loop) for loop in self.nest.outer]
        return [*(count for count in found if count is not None), self.nest.extent]

    def _product(self, first: int) -> str:
        """The number of elements that the loops from one on go through."""
        counts = self._counts[first:]
        if len(counts) > 1:
            whole = counts[0]
            for count in counts[1:]:
                whole *= count
            named = self._named(whole)
            if named:
                return named
        return " * ".join(self._spelled(count) for count in counts)

    def _named(self, form: Polynomial) -> str:
        """The name that a number has already; empty where it has none."""
        facts = self.nest.facts
        for name, value in facts.before[self.nest.first].items():
            if value.shape == () and value.op is not Op.OPAQUE and facts.forms.of(value) == form:
                return name
        return ""

    def _spelled(self, form: Polynomial) -> str:
        return self.writer.find_form(form, self.nest.facts.before[self.nest.first])

    @cached_property
    def _whole(self) -> str:
        return self._product(0)

    # The loop

    def _code(self) -> str:
        nest = self.nest
        module = nest.facts.kernel.module
        changes = [*self._masks(), *self._places()]
        kept = [s for above in nest.between for s in above]
        body = nest.sweep.node.body
        changed, nodes = excerpts.after(module, changes, [*kept, *body])
        statements = [node for node in nodes if isinstance(node, ast.stmt)]
        lines = [self._header(), f"    {self.place} = {self.start} + {self._lanes()}"]
        begin = 0
        for number, (loop, above) in enumerate(zip(nest.outer, nest.between, strict=True)):
            lines.append(f"    {self._index(number, loop)}")
            if above:
                code = excerpts.block_code(changed, statements[begin : begin + len(above)])
                lines.append(excerpts.indented(code, "    "))
            begin += len(above)
        code = excerpts.block_code(changed, statements[begin:])
        return "\n".join([*lines, excerpts.indented(code, "    ")])

    def _header(self) -> str:
        call = self.nest.sweep.node.iter  # type: ignore[union-attr]
        assert isinstance(call, ast.Call)
        bounds = ("arg1", "arg2", "step")
        more = [k for k in call.keywords if k.arg not in bounds]
        options = "".join(f", {k.arg}={self.writer.text(k.value)}" for k in more)
        spelled = self.nest.facts.kernel.module.text_of(call.func)
        return f"for {self.start} in {spelled}(0, {self._whole}, {self.block}{options}):"

    def _lanes(self) -> str:
        return f"{self.writer.language('arange')}(0, {self.block})"

    def _index(self, number: int, loop: Loop) -> str:
        """The statement that recovers the index of an outer loop."""
        assert isinstance(loop.node, ast.For) and isinstance(loop.node.target, ast.Name)
        inner = self._product(number + 1)
        if " " in inner and not inner.startswith("("):
            inner = f"({inner})"
        index = f"{self.place} // {inner}"
        if number > 0:
            index += f" % {self._spelled(self._counts[number])}"
        assert loop.start is not None
        if not self.nest.facts.forms.of(loop.start).is_zero:
            index = f"{self._spelled(self.nest.facts.forms.of(loop.start))} + {index}"
        return f"{loop.node.target.id} = {index}"

    def _places(self) -> Iterator[Change]:
        for statement in self.nest.places:
            text = f"{self.place} % {self._spelled(self.nest.extent)}"
            yield ReplaceExpression(statement.value, text)

    def _masks(self) -> Iterator[Change]:
        """Comparisons with the end of the row become some with the end of all rows."""
        facts, wanted = self.nest.facts, Polynomial.of(self.nest.indicator)
        inside = {node for s in self.nest.sweep.node.body for node in walk(s)}
        for node in inside:
            value = facts.values.get(node) if isinstance(node, ast.expr) else None
            if isinstance(node, ast.Compare) and value is not None and value.op in COMPARISONS:
                if facts.forms.condition(value) == wanted:
                    yield ReplaceExpression(node, f"{self.place} < {self._whole}")
