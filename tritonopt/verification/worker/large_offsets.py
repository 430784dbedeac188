"""Tensors whose last row lies more than 2**31 elements from the first.

The memory between the rows is reserved, not filled: on a CPU it costs address space, on a
GPU it is real and must be free.
"""

from __future__ import annotations

import mmap
from typing import Any

import torch

from tritonopt.verification.worker.guarded_memory import GUARD_BYTES, Arena, Buffer

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


def place(
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
