"""What a launcher returned, taken apart: tensors, and what can be compared as text."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

_DEEPEST = 6
"""Objects that lead back to themselves are followed so far."""


def tensors_of(result: Any, label: str = "returned") -> Iterator[tuple[str, Any]]:
    """The tensors, and what is as good as one, with a label for each.

    A float (`loss.item()`) came from a tensor, and has its rounding: it counts as float32.
    Of complex numbers the parts are compared.
    """
    for place, value in _leaves(result, label, 0):
        if isinstance(value, torch.Tensor):
            yield place, torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            yield place, torch.from_numpy(np.ascontiguousarray(value))
        elif isinstance(value, (float, np.floating)):
            yield place, torch.tensor(float(value), dtype=torch.float32)


def plain_of(result: Any) -> Iterator[str]:
    """Everything else: what it is, or at least of which kind; and what holds all of it."""
    for _, value in _leaves(result, "returned", 0):
        if isinstance(value, torch.Tensor):
            if type(value) is not torch.Tensor:
                yield type(value).__name__
            if value.requires_grad:
                yield "a tensor that requires a gradient"
            if value.is_inference():
                yield "a tensor of `torch.inference_mode`"
            continue
        known = isinstance(value, (bool, int, str, type(None), torch.dtype, torch.device))
        yield repr(value) if known else type(value).__name__
    yield from _holders(result, 0)


def _holders(value: Any, depth: int) -> Iterator[str]:
    """The kinds of what tensors are returned in."""
    parts = _parts(value) if depth < _DEEPEST else None
    if parts is not None:
        yield type(value).__name__
        for _, part in parts:
            yield from _holders(part, depth + 1)


def _leaves(value: Any, label: str, depth: int) -> Iterator[tuple[str, Any]]:
    parts = _parts(value) if depth < _DEEPEST else None
    if parts is None:
        yield label, value
        return
    for name, part in parts:
        yield from _leaves(part, f"{label}{name}", depth + 1)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What a value consists of; None where it is compared as a whole."""
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    if isinstance(value, (tuple, list)):
        return [(f"[{at}]", part) for at, part in enumerate(value)]
    if isinstance(value, (torch.Tensor, type, types.FunctionType, types.ModuleType)):
        return None
    if dataclasses.is_dataclass(value):
        return [(f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    if type(value).__module__ in ("builtins", "torch", "numpy"):
        return None
    inside = getattr(value, "__dict__", None)
    return None if inside is None else [(f".{name}", part) for name, part in inside.items()]
