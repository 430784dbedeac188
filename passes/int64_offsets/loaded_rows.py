"""Rows whose numbers are loaded as int32: times a stride they may not fit into 32 bits.

No size that a launcher shows bounds such a number, so it is taken where the product is 2**31: the
tensor has that many elements then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import LauncherParameter, Param, TensorSize
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.effects import is_loaded, parts_of
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.passes.int64_offsets.overflows import SQUARE, Overflow, Widths

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


def find_loaded_rows(facts: KernelFacts) -> Iterator[Overflow]:
    """Products of a loaded int32 index with the first stride of a tensor that may be large.

    A tensor that the launcher makes has as many rows, where the same index counts them.
    """
    for binding in facts.launches.bindings:
        strides = {
            name: form.sole_atom
            for name, form in binding.values.items()
            if isinstance(form.sole_atom, TensorSize)
            and (form.sole_atom.method, form.sole_atom.which) == ("stride", (0,))
        }
        numbers: dict[Atom, int] = dict.fromkeys(filter(None, strides.values()), SQUARE)
        products = list(_rows_of(facts, strides, Widths(facts, binding, numbers)))
        large = dict[Value, str]()
        for _, row, tensor in products:
            if isinstance(tensor, LauncherParameter):
                large |= dict.fromkeys(_loaded_in(facts, row), tensor.name)
        for product, row, _ in products:
            name = next((large[part] for part in _loaded_in(facts, row) if part in large), "")
            if name:
                where = f"launched in {binding.launch.where} with a {name} as large"
                yield Overflow(product, 1 << 31, where, binding, numbers)


def _rows_of(
    facts: KernelFacts, strides: Mapping[Atom, Atom | None], widths: Widths
) -> Iterator[tuple[Value, Value, Atom | None]]:
    """Products of a loaded row and a stride that do not fit: the product, the row, the tensor."""
    for effect in facts.effects if strides else ():
        root = effect.pointer
        for part in parts_of(facts.loops, root, stop=is_loaded) if root is not None else ():
            if part.op is not Op.MUL or not widths.is_beyond(part, 1 << 31):
                continue
            for row, stride in (part.operands, part.operands[::-1]):
                atom = strides.get(Param(stride.name)) if stride.op is Op.PARAM else None
                if isinstance(atom, TensorSize) and _is_loaded_row(facts, row):
                    yield part, row, atom.tensor.sole_atom


def _loaded_in(facts: KernelFacts, row: Value) -> Iterator[Value]:
    return filter(is_loaded, parts_of(facts.loops, row, stop=is_loaded))


def _is_loaded_row(facts: KernelFacts, row: Value) -> bool:
    """Whether a row is loaded, or counted from one that is, and no part of a length.

    Who casts it to int32 has thought of its size.
    """
    parts = list(parts_of(facts.loops, row, stop=is_loaded))
    others = (Op.FLOORDIV, Op.MOD, Op.CDIV, Op.MINIMUM, Op.CAST)
    return any(map(is_loaded, parts)) and not any(p.op in others for p in parts)


def find_unseen_rows(facts: KernelFacts) -> Iterator[Value]:
    """Products of a row and a stride in 32 bits, of a kernel whose launches are not seen.

    A row is a program id, or loaded as int32.
    """
    widths = Widths(facts, None, {})
    numbers = {p.name for p in facts.kernel.parameters if not p.constexpr} - facts.pointers
    pointers = (e.pointer for e in facts.effects if e.pointer is not None)
    indices = {part for pointer in pointers for part in pointer.walk() if is_loaded(part)}
    for effect in facts.effects:
        root = effect.pointer if effect.loaded not in indices else None
        for part in parts_of(facts.loops, root, stop=is_loaded) if root is not None else ():
            if part.op is not Op.MUL or not widths.is_beyond(part, 1 << 31):
                continue
            for row, stride in (part.operands, part.operands[::-1]):
                if stride.op is Op.PARAM and stride.name in numbers and _is_row(facts, row):
                    yield part


def _is_row(facts: KernelFacts, row: Value) -> bool:
    parts = list(parts_of(facts.loops, row, stop=is_loaded))
    counted = any(p.op is Op.PROGRAM_ID or is_loaded(p) for p in parts)
    return counted and not any(p.op in (Op.MOD, Op.MINIMUM) for p in parts)


def is_wide_elsewhere(facts: KernelFacts) -> bool:
    """Whether the kernel casts some row to 64 bits: whoever wrote it thinks of large tensors."""
    casts = (v for v in facts.interpretation.computed if v.op is Op.CAST and v.dtype == "int64")
    return any(
        part.op is Op.PROGRAM_ID or is_loaded(part)
        for cast in casts
        for part in parts_of(facts.loops, cast.operand, stop=is_loaded)
    )
