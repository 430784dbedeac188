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
from tritonopt.source import Module

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
        launch, given, strides = binding.launch, saved_tensors(binding.launch), _strides(binding)
        numbers: dict[Atom, int] = {size: SQUARE for size, _ in strides.values()}
        rows = [
            (product, row, strides[stride][1])
            for effect in (facts.effects if strides else ())
            for product, row, stride in _products(facts, effect.pointer)
            if stride in strides and _is_open_row(facts, row, binding)
        ]
        loads = frozenset(part for _, row, _ in rows for part in _loaded_in(facts, row))
        most = Widths(facts, binding, numbers, narrow=loads, uncast=uncast)
        is_needed = not alone and any(most.is_beyond(product, 1 << 31) for product, _, _ in rows)
        large, narrow = tensors_of(facts.kernel.module if is_needed else None)
        bases = {load: facts.forms.address(load.operands[0])[0] or "" for load in loads}
        known = frozenset(v for v, base in bases.items() if narrow & origins_at(launch, base))
        widths = Widths(facts, binding, numbers, narrow=known, uncast=uncast)
        products = [each for each in rows if widths.is_beyond(each[0], 1 << 31)]
        by_load, names, also = dict[Value, str](), dict[Atom | None, str](), set[Atom | None]()
        for _, row, (tensor, name) in products:
            if isinstance(tensor, LauncherParameter) or tensor in given:
                by_load |= dict.fromkeys(_loaded_in(facts, row), name)
            if large & origins_of(launch.module, launch.launcher, name):
                names[tensor] = name
                also.add(tensor)
        for _, row, (tensor, _) in products:
            for name in (by_load[part] for part in _loaded_in(facts, row) if part in by_load):
                names[tensor] = name
        for product, row, (tensor, _) in products:
            if tensor in names and (counted or tensor in also or any(_loaded_in(facts, row))):
                where = f"launched in {launch.where} with a {names[tensor]} as large"
                yield Overflow(product, 1 << 31, where, binding, numbers, names[tensor], known)


@lru_cache(maxsize=2)
def tensors_of(module: Module | None) -> tuple[frozenset[Origin], frozenset[Origin]]:
    """Tensors that a kernel of the file overflows with, or would if it did not cast to 64 bits;
    and those that a launch shows to be of int32."""
    large, narrow = set[Origin](), set[Origin]()
    for facts in map(facts_of, module.kernels if module is not None else ()):
        if facts.launches.unknown or facts.launches.caller is not None:
            continue
        rows = find_loaded_rows(facts, alone=True, uncast=True)
        for found in (*find_overflows(facts, uncast=True), *rows):
            launch = found.binding.launch
            large |= origins_of(launch.module, launch.launcher, found.tensor)
        for launch in facts.launches.launches:
            names = [p for p, dtype in passed_types(launch).items() if dtype == "int32"]
            narrow.update(*(origins_at(launch, name) for name in names))
    return frozenset(large), frozenset(narrow)


_Tensor = tuple[Atom | None, str]
"""What a tensor is at a launch, and its name there."""


def _strides(binding: LaunchBinding) -> Mapping[str, tuple[Atom, _Tensor]]:
    """Parameters that are the first stride of a tensor: `x.stride(0)`."""
    found = {}
    for parameter, argument in binding.launch.arguments.items():
        size = binding.values[Param(parameter)].sole_atom
        match argument:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if isinstance(
                size, TensorSize
            ) and (size.method, size.which) == ("stride", (0,)):
                found[parameter] = size, (size.tensor.sole_atom, name)
    return found


def _products(facts: KernelFacts, pointer: Value | None) -> Iterator[tuple[Value, Value, str]]:
    """Products of an address with a parameter, the other factor, and the parameter."""
    for part in parts_of(facts.loops, pointer, stop=is_loaded) if pointer is not None else ():
        for row, stride in (part.operands, part.operands[::-1]) if part.op is Op.MUL else ():
            if stride.op is Op.PARAM:
                yield part, row, stride.name


def _loaded_in(facts: KernelFacts, row: Value) -> Iterator[Value]:
    return filter(is_loaded, parts_of(facts.loops, row, stop=is_loaded))


def _is_open_row(facts: KernelFacts, row: Value, binding: LaunchBinding) -> bool:
    """Whether a row is loaded, or counted from a load or by as many programs as there are rows,
    and no part of a length. Who casts it to int32 has thought of its size."""
    parts = list(parts_of(facts.loops, row, stop=is_loaded))
    axes = [part.operands[0].constant for part in parts if part.op is Op.PROGRAM_ID]
    counts = [count for axis, count in enumerate(binding.grid) if axis in axes]
    if not any(map(is_loaded, parts)):
        return _is_row(facts, row) and any(n is None or n.constant_value is None for n in counts)
    others = (Op.FLOORDIV, Op.CDIV, Op.CAST)
    return _is_row(facts, row) and not any(p.op in others and p.dtype != "int64" for p in parts)


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
        for product, row, stride in _products(facts, root):
            is_number = stride in numbers and _is_row(facts, row)
            if is_number and widths.is_beyond(product, 1 << 31):
                yield product


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
