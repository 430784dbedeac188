"""Writes the one loop: its header, what recovers the indices, and the body of the nest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import LoopNames
from tritonopt.emit.code_edits import in_parentheses, keeping_comments
from tritonopt.emit.writing import Writer, names_bound, names_read
from tritonopt.facts import Loop, Polynomial
from tritonopt.facts.algebra.atoms import Iteration, Lane
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.operations import Op
from tritonopt.passes.collapse_loops.index_nests import Nest
from tritonopt.passes.collapse_loops.nest_proof import Collapse
from tritonopt.source import Change, Module, Remove, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class FlatLoop:
    collapse: Collapse
    size: int

    @property
    def nest(self) -> Nest:
        return self.collapse.nest

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.nest.facts)

    @cached_property
    def names(self) -> LoopNames:
        return LoopNames(self.writer, self.nest.loops[0], "FLAT_BLOCK", self.size)

    def changes(self) -> tuple[Change, ...]:
        """Raises Declined where the loop cannot be written, or a comment would be lost."""
        return keeping_comments(self.nest.facts.kernel.module, self._changes())

    def _changes(self) -> Iterator[Change]:
        yield from self.names.begins()
        for accumulator in self.collapse.accumulators:
            if accumulator.tile is not None:
                yield from self._with_block(accumulator.tile)
        yield Replace(self.nest.first, self._code())

    def _with_block(self, call: ast.expr) -> Iterator[Change]:
        """The call that makes a tile, with the new length."""
        assert isinstance(call, ast.Call)
        given = [k.value for k in call.keywords if k.arg == "shape"]
        shape = given[0] if given else call.args[0]
        yield ReplaceExpression(shape, f"[{self.names.block}]")

    # Names

    @cached_property
    def start(self) -> str:
        sweep = self.nest.sweep.node
        assert isinstance(sweep, ast.For) and isinstance(sweep.target, ast.Name)
        known = self.nest.facts.before[self.nest.first].get("start")
        if sweep.target.id == "start" and (known is None or known.op is Op.OPAQUE):
            return "start"
        return self.names.local("start")

    @cached_property
    def place(self) -> str:
        return self.names.local("place")

    # Sizes

    def _product(self, first: int) -> str:
        """The number of elements that the loops from one on go through."""
        counts = self.nest.counts[first:]
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
        known = self.nest.facts.before[self.nest.first]
        numbers = {name: value for name, value in known.items() if value.shape == ()}
        return self.writer.find_form(form, numbers)

    @cached_property
    def _whole(self) -> str:
        return self._product(0)

    # The loop

    def _code(self) -> str:
        nest = self.nest
        module = nest.facts.kernel.module
        kept = [s for above in nest.between for s in above]
        body = nest.sweep.node.body
        changes = [*self._masks, *self._flat, *self._places()]
        changed, (sweep, *nodes) = excerpts.after(module, changes, [nest.sweep.node, *kept, *body])
        statements = [node for node in nodes if isinstance(node, ast.stmt)]
        read = {name for statement in statements for name in names_read(statement)}
        lanes = f"{self.writer.language('arange')}(0, {self.names.block})"
        lines = [self._header(), f"    {self.place} = {self.start} + {lanes}"]
        begin = 0
        for number, (loop, above) in enumerate(zip(nest.outer, nest.between, strict=True)):
            if self._target(loop) in read:
                lines.append(f"    {self._target(loop)} = {self._index(number, loop)}")
            if above:
                code = excerpts.block_code(changed, statements[begin : begin + len(above)])
                lines.append(excerpts.indented(code, "    "))
            begin += len(above)
        assert isinstance(sweep, ast.For)
        code = self._body(changed, sweep, read)
        return "\n".join([*lines, excerpts.indented(code, "    ")])

    def _body(self, module: Module, sweep: ast.For, read: set[str]) -> str:
        """The statements of the sweep, without places in the row that nobody asks for."""
        unread = [
            Remove(statement)
            for statement, old in zip(sweep.body, self.nest.sweep.node.body, strict=True)
            if old in self.nest.places and names_bound(statement).isdisjoint(read)
        ]
        module, (left,) = excerpts.after(module, unread, [sweep])
        assert isinstance(left, ast.For)
        return excerpts.block_code(module, left.body)

    def _target(self, loop: Loop) -> str:
        assert isinstance(loop.node, ast.For) and isinstance(loop.node.target, ast.Name)
        return loop.node.target.id

    def _header(self) -> str:
        call = self.nest.sweep.node.iter  # type: ignore[union-attr]
        assert isinstance(call, ast.Call)
        bounds = ("arg1", "arg2", "step")
        more = [k for k in call.keywords if k.arg not in bounds]
        options = "".join(f", {k.arg}={self.writer.text(k.value)}" for k in more)
        spelled = self.nest.facts.kernel.module.text_of(call.func)
        return f"for {self.start} in {spelled}(0, {self._whole}, {self.names.block}{options}):"

    def _index(self, number: int, loop: Loop) -> str:
        index = f"{self.place} // {in_parentheses(self._product(number + 1))}"
        if number > 0:
            index += f" % {self._spelled(self.nest.counts[number])}"
        start = self._begin(loop)
        return index if start == "0" else f"{start} + {index}"

    def _begin(self, loop: Loop) -> str:
        """Where an outer loop begins to count, ready to be the first of a sum."""
        assert loop.start is not None
        form = self.nest.facts.forms.of(loop.start)
        if form.is_zero:
            return "0"
        call = loop.node.iter  # type: ignore[union-attr]
        assert isinstance(call, ast.Call)
        environment = self.nest.facts.before[self.nest.first]
        if call.args and self.nest.facts.values.get(call.args[0]) is loop.start:
            inside = names_bound(self.nest.first)
            first = call.args[0]
            if inside.isdisjoint(names_read(first)) and self.writer.means_the_same(
                first, environment
            ):
                return self.writer.summand(first)
        return self._spelled(form)

    def _places(self) -> Iterator[Change]:
        for statement in self.nest.places:
            text = f"{self.place} % {self._spelled(self.nest.extent)}"
            yield ReplaceExpression(statement.value, text)

    @cached_property
    def _masks(self) -> list[ReplaceExpression]:
        """Comparisons with the end of the row become some with the end of all rows."""
        facts, wanted = self.nest.facts, Polynomial.of(self.nest.indicator)
        found = []
        for node in (node for s in self.nest.sweep.node.body for node in walk(s)):
            if not isinstance(node, ast.Compare) or node not in facts.values:
                continue
            asked = facts.forms.condition(facts.values[node])
            if asked in (wanted, ONE - wanted):
                sign = "<" if asked == wanted else ">="
                found.append(ReplaceExpression(node, f"{self.place} {sign} {self._whole}"))
        return found

    # Offsets of rows that lie side by side

    @cached_property
    def _flat(self) -> list[ReplaceExpression]:
        """`n * W + w` is the place among all elements, whatever it is added to."""
        found: list[ReplaceExpression] = []
        taken = {change.anchor for change in self._masks}
        todo: list[ast.AST] = [s for s in self.nest.sweep.node.body if s not in self.nest.places]
        while todo:
            node = todo.pop()
            if node in taken:
                continue
            text = self._by_place(node) if isinstance(node, ast.BinOp) else None
            if text is not None:
                assert isinstance(node, ast.expr)
                found.append(ReplaceExpression(node, text))
            else:
                todo += ast.iter_child_nodes(node)
        return found

    @cached_property
    def _all(self) -> Polynomial:
        """The place among all elements, as a form of the nest."""
        form, inside = self.nest.place, self.nest.extent
        for loop, count in zip(
            reversed(self.nest.outer), reversed(self.nest.counts[:-1]), strict=True
        ):
            form += inside * Polynomial.of(Iteration(loop.identity))
            inside *= count
        return form

    def _by_place(self, node: ast.BinOp) -> str | None:
        """A sum in terms of the place; None where that is not all that it takes from the nest."""
        facts = self.nest.facts
        value = facts.values.get(node)
        if value is None or value.rank != 1 or not isinstance(node.op, ast.Add):
            return None
        rest = facts.forms.of(value) - self._all
        moving = any(varies_with(atom, loop) for atom in rest.atoms for loop in self.nest.loops)
        if moving or any(isinstance(leaf, Lane) for leaf in rest.leaves()):
            return None
        if rest.is_zero:
            return self.place
        begins = {self._target(loop): self._begin(loop) for loop in self.nest.outer}
        begins |= {name: "0" for s in self.nest.places for name in names_bound(s)}
        if not all(self._is_plain(part, begins) for part in walk(node)):
            return None
        return f"{self.writer.anew(node, begins)} + {self.place}"

    def _is_plain(self, part: ast.AST, begins: Mapping[str, str]) -> bool:
        """Whether part of a sum is arithmetic on indices, and on what stays the same."""
        if isinstance(part, ast.Name):
            value = self.nest.facts.values.get(part)
            return part.id in begins or (value is not None and not self.nest.varies(value))
        if isinstance(part, ast.BinOp):
            return isinstance(part.op, (ast.Add, ast.Sub, ast.Mult))
        return isinstance(part, (ast.Constant, ast.operator, ast.expr_context))
