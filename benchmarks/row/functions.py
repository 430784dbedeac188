"""What is called for a version of an operation, and whether it is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import torch

from benchmarks.row.operations import DTYPES, OPERATIONS, Operation, Source, arguments_of
from benchmarks.row.plan import COMPILED, EAGER, LIGER
from benchmarks.side_by_side import load, tensors

COMPILE_MODE = "max-autotune-no-cudagraphs"
TOLERANCE = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 6e-2}
"""Of the largest value of a row, by the type of a result."""

LARGE = 2**24
"""Elements beyond which many processes at once have no memory for fp64."""

Function = Callable[..., Any]


def function_of(operation: Operation, version: str, text: str = "") -> Function:
    """The text is that of the file, where the version is one of an example."""
    if version == EAGER:
        return operation.reference
    if version == COMPILED:
        # One graph for one shape, as fast as it gets.
        return torch.compile(operation.reference, mode=COMPILE_MODE, dynamic=False, fullgraph=True)
    if version == LIGER:
        assert operation.liger is not None
        return operation.liger
    found: Function = getattr(_module(operation.example, text), operation.launcher)
    return found


@cache
def _module(stem: str, text: str) -> Any:
    return load(Path(_folder().name) / f"{stem}_{crc32(text.encode())}.py", text)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="rows-")


def wrong(
    name: str, version: str, text: str, dtype: str, rows: int, length: int, device: str
) -> str:
    """How a version differs from torch; "" where it does not. Unless it is large, in fp64."""
    operation = OPERATIONS[name]
    arguments = arguments_of(operation, Source(rows, length, DTYPES[dtype], device))
    found = tensors(function_of(operation, version, text)(*arguments))
    judged = arguments if rows * length > LARGE else tuple(map(_widened, arguments))
    expected = tensors(operation.reference(*judged))
    return "; ".join(differences(expected, found))


def _widened(value: Any) -> Any:
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_float else value


def differences(expected: list[torch.Tensor], found: list[torch.Tensor]) -> Iterator[str]:
    """Results that are too far from what is expected, as a share of the largest of their row."""
    if len(found) != len(expected):
        yield f"{len(found)} results instead of {len(expected)}"
        return
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        # Numbers of which each row has one are judged beside each other.
        in_rows = one.dim() > 1 and one.shape[-1] > 1 and one.numel() == other.numel()
        shape = one.shape if in_rows else (1, -1)
        one, other = one.reshape(shape), other.reshape(shape)
        if not other.is_floating_point():
            if not torch.equal(one, other):
                yield f"result {number} differs"
            continue
        scale = one.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30)
        most = ((other - one).abs() / scale).max().item()
        if not most <= TOLERANCE[other.dtype]:  # NaN too
            yield f"result {number} differs by {most:.2g} of its scale"
