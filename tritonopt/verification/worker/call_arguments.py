"""The arguments of one call, made from its recipe, in guarded memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tritonopt.verification.inputs.examples import Example, Repeat, Several, TensorRecipe, parts_of
from tritonopt.verification.inputs.tensor_data import CONTIGUOUS, values_of
from tritonopt.verification.signature.argument_language import COMPLEX, TorchType
from tritonopt.verification.worker import large_offsets
from tritonopt.verification.worker.guarded_memory import DTYPES, Arena, once


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
        tensor = large_offsets.place(arena, f"argument {name}", recipe.shape, recipe.strides, dtype)
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
