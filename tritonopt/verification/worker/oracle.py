"""Launches made by the float64 copy of a kernel.

The copy runs on float64 clones of the buffers that the launch was given, with
the same aliasing, strides and offsets. What it changed goes back, rounded to
the type of each buffer, so the launcher continues as if every kernel had been
exact. Errors of both versions are measured against the result.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

import torch

from tritonopt.verification.inputs.values import perturbed
from tritonopt.verification.worker.guarded_memory import integer_view
from tritonopt.verification.worker.loading import pin_source

_NARROWER = (torch.float32, torch.float16, torch.bfloat16)


def in_float64(value: Any, perturbation: int, number: int) -> tuple[Any, Any]:
    """The memory of a tensor, flat, and its numbers in float64, perturbed if asked.

    Tensors of one size get noise of their own, or it would cancel between them: by `number`.
    """
    flat = torch.empty(0, dtype=value.dtype, device=value.device)
    flat.set_(value.untyped_storage())
    start = flat.double()
    if perturbation:
        generator = torch.Generator().manual_seed(perturbation * 1_000_003 + number)
        noise = torch.rand(flat.shape, generator=generator, dtype=torch.float64)
        start = perturbed(start, noise.to(start.device), perturbation)
    return flat, start


class NotWidenable(Exception):
    """This launch cannot be made in float64; the message says why."""


class Oracle:
    def __init__(self, source: str, names: tuple[str, ...], module: Any) -> None:
        self.module = module
        self.kernels: dict[str, Any] = {}
        if not source:
            return
        triton: Any = importlib.import_module("triton")
        path = f"<float64 copies of the kernels of {module.__name__}>"
        pin_source(path, source)
        # A namespace of its own, so that the copies call the copies of their
        # helpers, and the module itself keeps what it has.
        namespace = dict(vars(module))
        exec(compile(source, path, "exec"), namespace)
        for name in names:
            namespace[name] = self.kernels[name] = triton.jit(namespace[name])

    def launch(
        self,
        name: str,
        function: types.FunctionType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        grid: Any,
        *,
        perturbation: int,
    ) -> None:
        kernel = self.kernels.get(name)
        if kernel is None or function.__module__ != self.module.__name__:
            raise NotWidenable(f"kernel `{name}` is not defined at the top of this file")
        clones = _Clones(perturbation=perturbation)
        kernel[grid](
            *(clones.of(a) for a in args), **{key: clones.of(a) for key, a in kwargs.items()}
        )
        clones.give_back()


class _Clones:
    """float64 copies of storages; tensors that shared memory share their copies."""

    def __init__(self, *, perturbation: int) -> None:
        self.perturbation = perturbation
        self.storages: dict[int, tuple[Any, Any, Any]] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self.of(v) for v in value)
        if type(value).__name__ == "dtype" and hasattr(value, "is_floating"):
            return self.of_type(value)
        if not isinstance(value, torch.Tensor):
            if hasattr(value, "base") and isinstance(value.base, torch.Tensor):
                raise NotWidenable("a tensor descriptor is passed to the kernel")
            return value
        if value.dtype not in _NARROWER:
            return value
        key = value.untyped_storage().data_ptr()
        if key not in self.storages:
            flat, start = in_float64(value, self.perturbation, len(self.storages))
            self.storages[key] = (flat, start, start.clone())
        flat, _, copy = self.storages[key]
        if flat.dtype != value.dtype:
            raise NotWidenable("one memory is passed to the kernel under two types")
        return copy.as_strided(value.shape, value.stride(), value.storage_offset())

    def of_type(self, dtype: Any) -> Any:
        """A type of the language that is passed as an argument, as for an accumulator."""
        language: Any = importlib.import_module("triton.language")
        if dtype == language.float32:
            return language.float64
        if dtype.is_floating() and dtype != language.float64:
            raise NotWidenable(f"the type {dtype} is passed to the kernel")
        return dtype

    def give_back(self) -> None:
        """Write what the kernel changed, and only that: poison must stay poison."""
        for flat, start, copy in self.storages.values():
            changed = integer_view(start) != integer_view(copy)
            flat[changed] = copy[changed].to(flat.dtype)
