"""The arguments of one call, made from its recipe, in guarded memory."""

from __future__ import annotations

import mmap
from dataclasses import replace
from typing import Any

import torch

from tritonopt.verification.inputs.examples import Example, Repeat, Several, TensorRecipe, parts_of
from tritonopt.verification.inputs.tensor_data import CONTIGUOUS, values_of
from tritonopt.verification.signature.argument_language import COMPLEX, TorchType
from tritonopt.verification.worker.guarded_memory import DTYPES, GUARD_BYTES, Arena, Buffer, once

# Tensors whose last row lies more than 2**31 elements from the first.
#
# The memory between the rows is reserved, not filled: on a CPU it costs address space, on a
# GPU it is real and must be free.

_RESERVE_ONLY = 0x4000
"""MAP_NORESERVE of Linux: pages come into being when they are touched."""
_SHARE = 0.8
"""Of the free memory of a GPU so much may be taken."""


class FarBuffer(Buffer):
    """Its gaps are too large to be looked through: only what lies next to the rows is."""

    def corruption(self) -> str:
        size = self.tensor.element_size()
        near = GUARD_BYTES // size
        row = max(self.tensor.stride())
        count = self.tensor.shape[self.tensor.stride().index(row)]
        inside = (self.extent() // size) - row * (count - 1)
        for at in range(count):
            end = self.tensor.storage_offset() + at * row + inside
            if bool((self.base[end : end + near] != 0).any()):
                return f"{self.label}: elements written past the end of row {at}"
        return ""


def _far_tensor(
    arena: Arena, label: str, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any
) -> Any:
    """A tensor of this form in memory of zeros; raises OutOfMemoryError where there is none."""
    size = torch.empty(0, dtype=dtype).element_size()
    guard = GUARD_BYTES // size
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    count = 2 * guard + reach + 1
    base = _zeros(arena.device, count * size).view(dtype)
    tensor = base.as_strided(shape, strides, guard)
    arena.buffers.append(FarBuffer(label, tensor, base, 0, written=True))
    return tensor


def _zeros(device: str, size: int) -> Any:
    size += -size % 16
    if device == "cpu":
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _RESERVE_ONLY
        return torch.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=torch.uint8)
    free, _ = torch.cuda.mem_get_info()
    if size > _SHARE * free:
        raise torch.OutOfMemoryError(f"{size} bytes are needed, {free} are free")
    return torch.zeros(size, dtype=torch.uint8, device=device)


def build_arguments(
    example: Example, arena: Arena, *, perturbation: int
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the launcher, and the tensors among them by name.

    Of complex numbers these are the real and the imaginary parts, in the same memory.
    """
    tensors: dict[str, Any] = {}
    passed: dict[str, Any] = {}
    arguments: list[Any] = []
    for name, recipe in example.arguments:
        parts = [n for n, _ in parts_of(name, recipe)]
        for part, form in parts_of(name, recipe):
            if form.dtype == COMPLEX:
                tensors[part] = _build(part, _parts(form), arena, perturbation=perturbation)
                passed[part] = torch.view_as_complex(tensors[part])
                continue
            passed[part] = tensors[part] = _build(part, form, arena, perturbation=perturbation)
            if example.needs_gradient(part) and tensors[part].dtype.is_floating_point:
                tensors[part].requires_grad_()
        if isinstance(recipe, TensorRecipe):
            arguments.append(passed[name])
        elif isinstance(recipe, Several):
            found = [passed[part] for part in parts]
            arguments.append(tuple(found) if recipe.as_tuple else found)
        elif isinstance(recipe, Repeat):
            arguments.append(None)
        elif isinstance(recipe.value, TorchType):
            arguments.append(DTYPES[recipe.value.name])
        else:
            arguments.append(recipe.value)
    for at, (_, recipe) in enumerate(example.arguments):
        if isinstance(recipe, Repeat):
            arguments[at] = passed[recipe.of]
    return arguments, tensors


def _parts(recipe: TensorRecipe) -> TensorRecipe:
    """The memory of a complex tensor as real numbers."""
    return replace(
        recipe, dtype="f32", shape=(*recipe.shape, 2), layout=CONTIGUOUS, misaligned=False
    )


def _build(name: str, recipe: TensorRecipe, arena: Arena, *, perturbation: int) -> Any:
    dtype = DTYPES[recipe.dtype]
    if recipe.is_far:
        tensor = _far_tensor(arena, f"argument {name}", recipe.shape, recipe.strides, dtype)
        tensor.copy_(_values(recipe, dtype, perturbation=perturbation))
        return tensor
    tensor = arena.place(
        f"argument {name}",
        recipe.shape,
        recipe.strides,
        dtype,
        misaligned=recipe.misaligned,
        written=True,
    )
    own = once(tensor)
    own.copy_(_values(recipe, dtype, perturbation=perturbation)[tuple(slice(n) for n in own.shape)])
    return tensor


def _values(recipe: TensorRecipe, dtype: Any, *, perturbation: int) -> Any:
    values = values_of(
        recipe.shape,
        dtype,
        recipe.values,
        seed=recipe.seed,
        low=recipe.low,
        high=recipe.high,
        kind=recipe.kind,
        perturbation=perturbation,
    )
    return values.to(dtype)


def incoming_gradient(example: Example, at: int, output: Any) -> Any:
    """What the caller's loss would pass to backward for one output."""
    generator = torch.Generator().manual_seed(example.gradient_seed + at)
    if example.gradient_expanded:
        # As `output.sum().backward()` makes it: one number that every element points at.
        shape: tuple[int, ...] = (1,) * output.ndim
    else:
        shape = tuple(output.shape)
    values = torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu")
    if example.gradient_nan and values.numel():
        values.view(-1)[values.numel() // 2] = torch.nan
    # Called while allocations are put into guarded memory, so this is in it.
    gradient = torch.zeros(shape, dtype=output.dtype, device=output.device)
    gradient.copy_(values.to(output.dtype))
    return gradient.expand(output.shape)
