"""The arguments of a call, made on the GPU; runs in the worker.

They are as those of a verification (types, shapes, bounds, classes of values), but not the same
bits: gigabytes of them are made in a moment.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tritonopt.tuning.calls import Call
from tritonopt.verification.inputs.examples import OfValues, Repeat, Several, TensorRecipe, parts_of
from tritonopt.verification.inputs.values import values_of
from tritonopt.verification.signature.argument_language import COMPLEX, LONG_NAMES, TorchType

_DTYPES = {
    short: getattr(torch, name) for name, short in LONG_NAMES.items() if hasattr(torch, name)
}
_DTYPES |= {"bool": torch.bool, COMPLEX: torch.complex64}


def build(call: Call, device: str = "cuda", number: int = 0) -> dict[str, Any]:
    """The arguments by name; of another number with other values."""
    found: dict[str, Any] = {}
    for name, recipe in call.example.arguments:
        parts = [
            _tensor(call, part, replace(form, seed=form.seed + 1000 * number), device)
            for part, form in parts_of(name, recipe)
        ]
        if isinstance(recipe, TensorRecipe):
            found[name] = parts[0]
        elif isinstance(recipe, Several):
            found[name] = tuple(parts) if recipe.as_tuple else parts
        elif isinstance(recipe, Repeat):
            found[name] = found[recipe.of]
        elif isinstance(recipe, OfValues):
            found[name] = recipe  # until all tensors are there
        elif isinstance(recipe.value, TorchType):
            found[name] = _DTYPES[recipe.value.name]
        else:
            found[name] = recipe.value
    of_values = {n: v.number(found[v.of]) for n, v in found.items() if isinstance(v, OfValues)}
    return found | of_values


def tensors_in(value: Any) -> list[Any]:
    """The tensors in what was passed or returned."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return []
    return [tensor for part in value for tensor in tensors_in(part)]


def bytes_of(tensors: list[Any]) -> int:
    """Of the memory that the tensors are in, each piece once."""
    pieces = {(t.data_ptr(), t.numel() * t.element_size()) for t in tensors}
    return sum(size for _, size in pieces)


def _tensor(call: Call, name: str, recipe: TensorRecipe, device: str) -> Any:
    dtype = _DTYPES[recipe.dtype]
    values = _values(recipe, dtype, device)
    strides = call.strides.get(name)
    if strides is None:
        return values
    reach = sum((n - 1) * s for n, s in zip(recipe.shape, strides, strict=True)) + 1
    tensor = torch.empty(reach, dtype=dtype, device=device).as_strided(recipe.shape, strides)
    # Where elements share memory, there is one of them to write.
    own = tensor[tuple(slice(n if s else 1) for n, s in zip(recipe.shape, strides, strict=True))]
    own.copy_(values[tuple(slice(n) for n in own.shape)])
    return tensor


def _values(recipe: TensorRecipe, dtype: Any, device: str) -> Any:
    generator = torch.Generator(device).manual_seed(recipe.seed)
    shape = recipe.shape
    if recipe.kind not in ("", "finite"):  # what is drawn below is finite
        drawn = values_of(
            shape, dtype, seed=recipe.seed, low=recipe.low, high=recipe.high, kind=recipe.kind
        )
        return drawn.to(dtype).to(device)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=generator, device=device, dtype=torch.uint8) > 0
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = recipe.low, recipe.high + 1
        return torch.randint(low, high, shape, generator=generator, device=device, dtype=dtype)
    return torch.randn(shape, generator=generator, device=device, dtype=dtype)
