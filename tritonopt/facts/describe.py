"""The facts of a kernel as text, for whoever writes the next pass.

Named values stand in columns: shape, element type, and what each is. What is loaded is shown by its
address, with the mask and what stands where that is off; a pointer by its parameter and its offset;
a mask by its comparisons; everything else by its form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property

from tritonopt.checks.condition import Unmet
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.dtypes import Types
from tritonopt.facts.effects import Effect, EffectKind, Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reading import recurrences
from tritonopt.facts.reductions import accumulation
from tritonopt.facts.values import Value

_MARGIN = "  "
LONGEST = 160
"""More of a form than this many characters is of no help in a listing."""


def render(facts: KernelFacts, longest: int = LONGEST) -> str:
    """What `lines` says, as one text."""
    return "".join(f"{head}{text}".rstrip() + "\n" for head, text in lines(facts, longest))


def lines(facts: KernelFacts, longest: int = LONGEST) -> Iterator[tuple[str, str]]:
    """Parameters, then loops and memory accesses with their index forms in source order, then the
    named values: of each line its margin or its columns, and the text behind them.

    Of a named value no more than `longest` characters are shown, unless that is 0.
    """
    for line in _lines(facts):
        text = line.lstrip()
        yield line[: len(line) - len(text)], text
    values = list(value_lines(facts, longest))
    if values:
        yield _MARGIN, "values:"
        yield from ((2 * _MARGIN + head, text) for head, text in values)


def _lines(facts: KernelFacts) -> Iterator[str]:
    kernel = facts.kernel
    yield f"kernel {kernel.qualname} (line {kernel.node.lineno})"
    elements = element_types(facts)
    for parameter in kernel.parameters:
        kind = _kind(facts, parameter.name, parameter.constexpr)
        held = elements.get(parameter.name)
        if held is not None and held.seen:
            kind += f" to {held.where if held.by_launch else type_text(held)}"
        yield f"  {parameter.name}: {kind}"
    evidence = facts.launches
    yield f"  launches: {len(evidence.launches)}" + (
        f"; no evidence: {evidence.unknown}" if evidence.unknown else ""
    )
    for node, what in facts.pinned_roundings:
        yield f"  pinned: {what} in line {node.lineno}"
    things: list[tuple[int, Loop | Effect]] = [(loop.first, loop) for loop in facts.loops]
    things += [(effect.order, effect) for effect in facts.effects]
    for _, thing in sorted(things, key=lambda pair: pair[0]):
        if isinstance(thing, Loop):
            yield from _loop(facts, thing)
        else:
            yield _effect(facts, thing)


def _kind(facts: KernelFacts, name: str, constexpr: bool) -> str:
    kind = (
        "pointer"
        if name in facts.pointers
        else "integer"
        if name in facts.integers.parameters
        else "scalar"
    )
    return f"constexpr {kind}" if constexpr else kind


def _loop(facts: KernelFacts, loop: Loop) -> Iterator[str]:
    indent = "  " * len(loop.nest)
    count = facts.forms.trip_count(loop)
    times = "an unknown number of times" if count is None else f"{count.readable} times"
    helper = " (in a helper)" if loop.inlined else ""
    yield f"{indent}loop iteration{loop.identity} (line {loop.line}, {loop.kind}){helper}: {times}"
    for name, found in recurrences(facts, loop).items():
        start = facts.forms.of(loop.initial[name]).readable
        added = _added(facts, loop, name)
        parts = [f"{name}{_shape(facts, loop.carried[name])}: starts as {start}", *added]
        if isinstance(found, Unmet):
            parts.append(f"no recurrence: {found}")
        elif not added or found.kind is not Kind.ADD:
            brought = [facts.forms.of(operand).readable for operand in found.operands]
            parts.append(f"{found}{' of ' if brought else ''}{' and '.join(brought)}")
        yield f"{indent}  carries {', '.join(parts)}"


def _added(facts: KernelFacts, loop: Loop, name: str) -> Iterable[str]:
    try:
        sums = accumulation(facts, facts.forms, loop, name)
    except TooLarge:
        return ()
    if sums is None:
        return ()
    along = f", summed along axes {sums.axes}" if sums.axes else ""
    return (f"adds {sums.term.readable}{along}",)


def _shape(facts: KernelFacts, value: Value) -> str:
    if value.shape is None:
        return " [?]"
    return f" {shape_text(facts, value)}" if value.shape else ""


def _effect(facts: KernelFacts, effect: Effect) -> str:
    indent = "  " * (len(effect.loops) + 1)
    head = f"{indent}{effect.name} (line {effect.line})"
    if effect.pointer is None:
        return f"{head}: {effect.kind.value}"
    base, offset = facts.forms.address(effect.pointer)
    bases = facts.bases(effect)
    where = base or ("|".join(sorted(bases)) if bases else "unknown memory")
    text = f"{head}: {where}[{offset.readable}]"
    if effect.mask is not None and not effect.mask.is_none:
        text += f" where {facts.forms.condition(effect.mask).readable}"
    if effect.kind is EffectKind.LOAD and effect.volatile:
        text += " volatile"
    return text


_LOGIC = COMPARISONS | {Op.AND, Op.OR, Op.NOT, Op.BOTH, Op.EITHER, Op.INVERT}
_GAP = "  "


@dataclass(frozen=True)
class Row:
    """One name where it is bound."""

    line: str
    name: str
    shape: str
    type: str
    value: str


def value_lines(facts: KernelFacts, longest: int = LONGEST) -> Iterator[tuple[str, str]]:
    """Of each named value its columns, and what stands in the last of them; a header first.

    Nothing where the kernel binds no name. Forms longer than `longest` are cut; 0 cuts none.
    """
    listing = _Listing(facts, longest)
    found = list(listing.rows())
    if not found:
        return
    cut = f" (its first {longest} characters; --full for all)" if listing.has_cut else ""
    rows = [Row("line", "name", "shape", "type", f"value{cut}"), *found]
    columns = [field.name for field in fields(Row)][:-1]
    widths = [max(len(getattr(row, column)) for row in rows) for column in columns]
    for row in rows:
        cells = [
            getattr(row, column).rjust(width)
            if column == "line"
            else getattr(row, column).ljust(width)
            for column, width in zip(columns, widths, strict=True)
        ]
        yield _GAP.join(cells) + _GAP, row.value


class _Listing:
    """What is asked of the facts of one kernel, row by row."""

    def __init__(self, facts: KernelFacts, longest: int) -> None:
        self._facts = facts
        self._longest = longest
        self.has_cut = False
        """Whether some value was longer."""

    def rows(self) -> Iterator[Row]:
        nodes = (n for n in self._facts.kernel.nodes if isinstance(n, ast.Name))
        bound = [n for n in nodes if isinstance(n.ctx, ast.Store) and n in self._facts.values]
        for node in sorted(bound, key=lambda n: (n.lineno, n.col_offset)):
            value = self._facts.values[node]
            shape, dtype = shape_text(self._facts, value), self._type(value)
            yield Row(str(node.lineno), node.id, shape, dtype, self._cut(self._text(value)))

    def _cut(self, text: str) -> str:
        """Not more than helps; the rest can be asked for."""
        if not self._longest or len(text) <= self._longest:
            return text
        self.has_cut = True
        return f"{text[: self._longest].rstrip()} ..."

    def _type(self, value: Value) -> str:
        if value.op is Op.BLOCK_POINTER:
            return "block pointer"
        base, _ = self._facts.forms.address(value)
        if base is not None:
            return pointer_text(self.elements.get(base, Types()))
        return type_text(self._facts.types.of(value)) or value.dtype or "?"

    @cached_property
    def elements(self) -> dict[str, Types]:
        return element_types(self._facts)

    def _text(self, value: Value) -> str:
        forms = self._facts.forms
        if value.op is Op.OPAQUE:
            return f"not understood: {value.reason}"
        loaded = value.operand if value.op is Op.CAST else value
        if loaded.op is Op.LOAD:
            return self._loaded(loaded)
        base, offset = forms.address(value)
        if base is not None:
            return base if offset.is_zero else f"{base} + {offset.readable}"
        if value.op in _LOGIC:
            return self._condition(value)
        return forms.of(value).readable

    def _loaded(self, value: Value) -> str:
        pointer, mask, other = value.operands
        base, offset = self._facts.forms.address(pointer)
        text = f"{base or '?'}[{offset.readable}]"
        if mask.is_none:
            return text
        filling = "undefined" if other.is_none else self._facts.forms.of(other).readable
        return f"{text} where {self._condition(mask)}, else {filling}"

    def _condition(self, value: Value) -> str:
        try:
            return self._facts.forms.condition(value).readable
        except TooLarge:
            return self._facts.forms.of(value).readable


def shape_text(facts: KernelFacts, value: Value) -> str:
    """`[ROWS, BLOCK]`, `scalar`, or `?` where the rank is not known."""
    if value.shape is None:
        return "?"
    if not value.shape:
        return "scalar"
    return "[" + ", ".join(facts.forms.of(d).readable for d in value.shape) + "]"


def type_text(types: Types) -> str:
    """`fp16|fp32`, with a `?` where a launch that is not seen may have another; "" for none."""
    return "|".join(sorted(types.seen)) + ("" if types.complete or not types.seen else "?")


def pointer_text(types: Types) -> str:
    """`*fp32`, or `*?` where nothing shows what it points to."""
    return f"*{type_text(types) or '?'}"


def element_types(facts: KernelFacts) -> dict[str, Types]:
    """Of each parameter that is dereferenced, what its buffer is seen to hold."""
    found: dict[str, Types] = {}
    for effect in facts.effects:
        base = facts.forms.address(effect.pointer)[0] if effect.pointer is not None else None
        if base is not None and base not in found:
            found[base] = facts.types.behind(effect)
    return found
