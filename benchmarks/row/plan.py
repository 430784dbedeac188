"""Which cells are measured, in which order: a run that is cut has seen every operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ORIGINAL = "original"
LIGER = "Liger"
EAGER = "torch eager"
COMPILED = "torch.compile"
COPY = "copy"
"""Who is timed beside the rewrites."""


@dataclass(frozen=True)
class Cell:
    """One operation on one type and shape."""

    operation: str
    dtype: str
    rows: int
    length: int
    compiled: bool = False
    """Whether torch.compile takes part; it compiles for this very shape, which takes long."""

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.operation, self.dtype, self.rows, self.length

    @property
    def small_rows(self) -> int:
        """So few rows that they are quickly done, for which Triton compiles the same kernel."""
        return min(self.rows, 32)


# The first ones say most. None moves more than 2 GB, but the backward pass of the largest.
SHAPES = [
    (16384, 4096),
    (4096, 16384),
    (65536, 512),
    (1_000_000, 64),
    (4096, 32768),
    (1024, 131072),
    (8192, 8192),
    (32768, 2048),
    (65536, 1024),
    (1_000_000, 128),
    (2048, 65536),
    (1, 262144),
    (512, 262144),
    (64, 8192),
    (1024, 1024),
    (8192, 5000),
    (1, 4096),
    (64, 65536),
    (4096, 64),
    (2048, 50257),
    (262144, 256),
    (32768, 100),
]
DTYPES = ("fp16", "fp32", "bf16")
COMPILED_SHAPES = {"fp16": 6, "fp32": 4, "bf16": 2}
"""For how many of the shapes torch.compile takes part."""


def cells(operations: Iterable[str]) -> list[Cell]:
    """Shape by shape, each in all types and operations."""
    names = list(operations)
    return [
        Cell(name, dtype, rows, length, place < COMPILED_SHAPES[dtype])
        for place, (rows, length) in enumerate(SHAPES)
        for dtype in DTYPES
        for name in names
    ]
