"""The code of what one access needs: numbers, offsets, pointers and masks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction

from tritonopt.emit.code_edits import in_parentheses
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.interpretation import Environment
from tritonopt.passes.interleaved_access.contiguous_tile import ContiguousTile, Limit, Term
from tritonopt.source.editing.width import call_on_lines, line_width
from tritonopt.source.parsing import parsed


class AccessCode:
    """Writes for one kernel. What has no name at the place it is written for is NotExpressible."""

    def __init__(self, facts: KernelFacts, writer: Writer) -> None:
        self.facts = facts
        self.writer = writer

    # Numbers

    def shape(self, tile: ContiguousTile) -> str:
        """The extents of what a member loads."""
        loaded = tile.group.members[0].effect.loaded
        if loaded is None or loaded.shape is None:
            raise NotExpressible(f"the shape of what {tile.group.lines} load is not known")
        forms, at = self.facts.forms, tile.group.at
        sizes = (self._number(forms.of(size), False, at) for size in loaded.shape)
        return ", ".join(map(_without_parentheses, sizes))

    def offsets(self, tile: ContiguousTile, at: ast.stmt) -> str:
        """The offsets of all elements, from where the tile begins."""
        extent = self._times(tile.group.width, tile.group.lane.extent, at)
        arange = f"{self.writer.language('arange')}(0, {extent})"
        begin = self._begin(tile, at)
        return f"{_without_parentheses(begin)} + {arange}" if begin else arange

    def _begin(self, tile: ContiguousTile, at: ast.stmt) -> str:
        """Where the tile begins; empty for 0."""
        if tile.begin.is_zero:
            return ""
        try:
            return self._number(tile.begin, tile.wide, at)
        except NotExpressible:
            width = tile.group.width
            lanes = tile.begin * Fraction(1, width)
            try:
                return self._factor(width, self._number(lanes, tile.wide, at))
            except NotExpressible:
                parts = [Polynomial({m: f}) for m, f in lanes.sorted_terms]
                pieces = [self._factor(width, self._number(part, tile.wide, at)) for part in parts]
                return " + ".join(pieces)

    def _number(self, form: Polynomial, wide: bool, at: ast.stmt) -> str:
        """The text of a number of that form, of 64 bits where the original's may be."""
        constant = form.constant_value
        if constant is not None:
            return self.writer.find_form(form, {})
        environment = self.facts.before[at]
        nodes = [node for node in self.facts.values if isinstance(node, (ast.BinOp, ast.Call))]
        forms = self.facts.forms

        def wanted(value: Value) -> bool:
            return value.rank == 0 and value.dtype != "float" and forms.of(value) == form

        def wanted_wide(value: Value) -> bool:
            return value.dtype == "int64" and wanted(value)

        if wide:
            found = self.writer.find(wanted_wide, environment, nodes)
            if found is not None:
                return self.writer.operand(found)
        found = self.writer.find(wanted, environment, nodes)
        if found is None:
            raise NotExpressible(f"{form.readable} has no name in line {at.lineno}")
        text = self.writer.operand(found)
        return self._widened(text) if wide and self._is_narrow(found, environment) else text

    def _is_narrow(self, node: ast.expr, environment: Environment) -> bool:
        value = self.facts.values.get(node)
        if value is None and isinstance(node, ast.Name):
            value = environment.get(node.id)
        return value is not None and value.dtype in ("int32", "int16", "int8", "uint8")

    def _widened(self, text: str) -> str:
        return f"{self.writer.language('cast')}({text}, {self.writer.language('int64')})"

    def _times(self, width: int, form: Polynomial, at: ast.stmt) -> str:
        constant = (form * width).constant_value
        if constant is not None:
            return str(int(constant))
        return self._factor(width, self._number(form, False, at))

    @staticmethod
    def _factor(number: int, text: str) -> str:
        """The product, without parentheses around another product."""
        inside = parsed(text, mode="eval").body
        if isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Mult):
            text = _without_parentheses(text)
        return f"{number} * {text}"

    # An access: `offsets` is the name of the tile of offsets

    def _pointers(self, tile: ContiguousTile, offsets: str) -> str:
        kept = (term for term in tile.kept if not self._is_zero(term))
        first, *others = sorted(kept, key=lambda term: term.factor < 0)
        text = self.writer.summand(first.node) if first.factor == 1 else self._term(first)
        for term in others:
            text += f" {'-' if term.factor < 0 else '+'} {self._term(term)}"
        return f"{text} + {self._indexed(tile, offsets)}"

    def _is_zero(self, term: Term) -> bool:
        return self.facts.forms.of(self.facts.values[term.node]).is_zero

    def _term(self, term: Term) -> str:
        number = abs(term.factor)
        if number == 1 and isinstance(term.node, ast.BinOp) and isinstance(term.node.op, ast.Mult):
            return self.writer.text(term.node)
        text = self.writer.operand(term.node)
        return text if number == 1 else f"{number} * {text}"

    def _indexed(self, tile: ContiguousTile, offsets: str) -> str:
        """The offsets along the last axis of as many as the pointers have."""
        pointer = tile.group.members[0].effect.pointer
        assert pointer is not None
        if pointer.rank is None:
            raise NotExpressible(f"the shape of the address in {tile.group.lines} is not known")
        if pointer.rank == 1:
            return offsets
        return f"{offsets}[{', '.join(['None'] * (pointer.rank - 1))}, :]"

    def mask(self, tile: ContiguousTile, offsets: str, at: ast.stmt) -> str:
        """Written for a statement; empty where there is none."""
        parts = []
        for limit in sorted(tile.limits, key=lambda limit: isinstance(limit, Limit)):
            if isinstance(limit, Limit):
                bound = self._bound(tile, limit, at)
                parts.append(f"{self._indexed(tile, offsets)} {limit.operation} {bound}")
            else:
                parts.append(self.writer.text(self._found(limit, at)))
        if len(parts) < 2:
            return "".join(parts)
        return " & ".join(map(in_parentheses, parts))

    def _bound(self, tile: ContiguousTile, limit: Limit, at: ast.stmt) -> str:
        if limit.over_elements:
            return self.writer.summand(self._found(limit.bound, at))
        form = self.facts.forms.of(limit.bound) + limit.further
        if form.constant_value is not None:
            return str(form.constant_value * tile.group.width)
        text = self.writer.operand(self._found(limit.bound, at))
        if limit.further:
            try:
                text = self._number(form, False, at)
            except NotExpressible:
                text = f"({text} + {limit.further})"
        if tile.wide and limit.bound.dtype != "int64":
            text = self._widened(text)
        return self._factor(tile.group.width, text)

    def _found(self, value: Value, at: ast.stmt) -> ast.expr:
        """Something with that very value."""
        if isinstance(value.constant, int):
            return ast.Constant(value.constant)
        nodes = [node for node, known in self.facts.values.items() if known is value]
        found = self.writer.find(lambda v: v is value, self.facts.before[at], nodes)
        if found is None:
            raise NotExpressible(f"a part of the mask has no name in line {at.lineno}")
        return found

    def call(
        self, tile: ContiguousTile, offsets: str, mask: str, function: str, value: str = ""
    ) -> str:
        """The call of a function with those arguments, over several lines where it is long."""
        group = tile.group
        arguments = [self._pointers(tile, offsets)]
        if value:
            arguments.append(value)
        if mask:
            arguments.append(f"mask={mask}")
        environment = self.facts.before[group.at]
        for name in ("other", "cache_modifier", "eviction_policy"):
            given = [m.arguments[name] for m in group.members if name in m.arguments]
            same = [node for node in given if self.writer.means_the_same(node, environment)]
            if given and not same:
                raise NotExpressible(f"{name} has no name in line {group.at.lineno}")
            if given:
                arguments.append(f"{name}={self.writer.text(same[0])}")
        return self._laid_out(group.at, function, arguments)

    def _laid_out(self, at: ast.stmt, function: str, arguments: Sequence[str]) -> str:
        width = line_width(self.facts.kernel.module) - at.col_offset
        line = f"{function}({', '.join(arguments)})"
        if len(line) <= width:
            return line
        apart = [_over_lines(argument, width) for argument in arguments]
        return call_on_lines(function, apart if apart != list(arguments) else arguments, width)


def _over_lines(text: str, width: int) -> str:
    """An argument; a call that is too long for a line has one for each of its own arguments."""
    call = parsed(text, mode="eval").body if "=" not in text else None
    if len(text) <= width - len("    ,") or not isinstance(call, ast.Call):
        return text
    function, *arguments = (ast.get_source_segment(text, n) or "" for n in (call.func, *call.args))
    return call_on_lines(function, arguments, 0, "    ")


def _without_parentheses(text: str) -> str:
    """The code of an expression without parentheses around all of it."""
    if text[0] == "(" and text[-1] == ")":
        try:
            parsed(text[1:-1], mode="eval")
        except SyntaxError:
            return text
        return text[1:-1]
    return text
