"""Rows whose numbers are loaded as int32: times a stride they may not fit into 32 bits.

No size that a launcher shows bounds such a number, so it is taken where the product is 2**31: the
tensor has that many elements then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import LauncherParameter, Param, TensorSize
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.effects import is_loaded, parts_of
from tritonopt.facts.host.callers import Origin, origins_at, origins_of, saved_tensors
from tritonopt.facts.host.tensor_types import passed_types
from tritonopt.facts.kernel_facts import of as facts_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.passes.int64_offsets.overflows import SQUARE, Overflow, Widths, find_overflows
from tritonopt.source import Launch, Module

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


def find_loaded_rows(
    facts: KernelFacts, *, counted: bool = False, alone: bool = False, uncast: bool = False
) -> Iterator[Overflow]:
    """Products of a loaded int32 index with the first stride of a tensor that may be large.

    A tensor that the launcher makes has as many rows, where the same index counts them. With
    `counted` also products of that stride and a program's row: all rows may follow one index.
    Unless the kernel is taken `alone`, products of a program's row with the first stride of a
    tensor that another kernel of the file overflows with too. With `uncast` what is cast to 64
    bits counts too.
    """
    for binding in facts.launches.bindings:
        launch, given = binding.launch, saved_tensors(binding.launch)
        strides = _first_strides(binding)
        numbers: dict[Atom, int] = dict.fromkeys(filter(None, strides.values()), SQUARE)
        rows = [*_rows_of(facts, strides)]
        loads = frozenset(part for _, row, _ in rows for part in _loaded_in(facts, row))
        widths = Widths(facts, binding, numbers, narrow=loads)
        alone = alone or not any(widths.is_beyond(product, 1 << 31) for product, _, _ in rows)
        large, narrow = tensors_of(facts.kernel.module) if not alone else (_NONE, _NONE)
        known = frozenset(v for v in loads if narrow & origins_at(launch, _base_of(facts, v)))
        widths = Widths(facts, binding, numbers, narrow=known, uncast=uncast)
        products = [each for each in rows if widths.is_beyond(each[0], 1 << 31)]
        by_load, names = dict[Value, str](), dict[Atom | None, str]()
        for _, row, stride in products:
            name, tensor = _tensor_of(launch, stride), _atom_of(strides, stride)
            if isinstance(tensor, LauncherParameter) or tensor in given:
                by_load |= dict.fromkeys(_loaded_in(facts, row), name)
            if large & origins_of(launch.module, launch.launcher, name):
                names[tensor] = name
        also = {*names}
        for _, row, stride in products:
            found = (by_load[part] for part in _loaded_in(facts, row) if part in by_load)
            names |= {_atom_of(strides, stride): name for name in found}
        for product, row, stride in products:
            tensor = _atom_of(strides, stride)
            if tensor in names and (counted or tensor in also or any(_loaded_in(facts, row))):
                where = f"launched in {launch.where} with a {names[tensor]} as large"
                yield Overflow(product, 1 << 31, where, binding, numbers, names[tensor], known)


_NONE: frozenset[Origin] = frozenset()


@lru_cache(maxsize=2)
def tensors_of(module: Module) -> tuple[frozenset[Origin], frozenset[Origin]]:
    """Tensors that a kernel of the file overflows with, or would if it did not cast to 64 bits;
    and those that a launch shows to be of int32."""
    large, narrow = set[Origin](), set[Origin]()
    for kernel in module.kernels:
        facts = facts_of(kernel)
        if facts.launches.unknown or facts.launches.caller is not None:
            continue
        rows = find_loaded_rows(facts, alone=True, uncast=True)
        for found in (*find_overflows(facts, uncast=True), *rows):
            launch = found.binding.launch
            large |= origins_of(module, launch.launcher, found.tensor)
        for launch in facts.launches.launches:
            names = [p for p, dtype in passed_types(launch).items() if dtype == "int32"]
            narrow.update(*(origins_at(launch, name) for name in names))
    return frozenset(large), frozenset(narrow)


def _first_strides(binding: LaunchBinding) -> dict[Atom, Atom | None]:
    return {
        name: form.sole_atom
        for name, form in binding.values.items()
        if isinstance(form.sole_atom, TensorSize)
        and (form.sole_atom.method, form.sole_atom.which) == ("stride", (0,))
    }


def _atom_of(strides: Mapping[Atom, Atom | None], stride: str) -> Atom | None:
    """The tensor that a parameter is the first stride of."""
    size = strides[Param(stride)]
    assert isinstance(size, TensorSize)
    return size.tensor.sole_atom


def _tensor_of(launch: Launch, stride: str) -> str:
    """Its name, in `x.stride(0)`."""
    match launch.arguments.get(stride):
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name
    return ""


def _base_of(facts: KernelFacts, load: Value) -> str:
    return facts.forms.address(load.operands[0])[0] or ""


def _rows_of(
    facts: KernelFacts, strides: Mapping[Atom, Atom | None]
) -> Iterator[tuple[Value, Value, str]]:
    """Products of a row and a first stride: the product, the row, the parameter."""
    for effect in facts.effects if strides else ():
        root = effect.pointer
        for part in parts_of(facts.loops, root, stop=is_loaded) if root is not None else ():
            for row, stride in (part.operands, part.operands[::-1]) if part.op is Op.MUL else ():
                by_stride = stride.op is Op.PARAM and Param(stride.name) in strides
                if by_stride and _is_open_row(facts, row):
                    yield part, row, stride.name


def _loaded_in(facts: KernelFacts, row: Value) -> Iterator[Value]:
    return filter(is_loaded, parts_of(facts.loops, row, stop=is_loaded))


def _is_open_row(facts: KernelFacts, row: Value) -> bool:
    """Whether a row is loaded, or counted from a load or a program, and no part of a length.

    Who casts it to int32 has thought of its size.
    """
    parts = list(parts_of(facts.loops, row, stop=is_loaded))
    others = (Op.FLOORDIV, Op.CDIV, Op.CAST) if any(map(is_loaded, parts)) else ()
    refused = (p.op in others and p.dtype != "int64" for p in parts)
    return _is_row(facts, row) and not any(refused)


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
