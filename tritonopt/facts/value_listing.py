"""The named values of a kernel in columns: shape, element type, and what each is.

What is loaded is shown by its address, with the mask and what stands where that is off; a pointer
by its parameter and its offset; a mask by its comparisons; everything else by its form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.dtypes import Types
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value

LONGEST = 160
"""More of a form than this many characters is of no help in a listing."""

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
