"""Compiled kernels, as plain data: what was compiled for which launch, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TARGETS: Mapping[str, tuple[str, int | str, int]] = {
    "sm_80": ("cuda", 80, 32),
    "sm_90": ("cuda", 90, 32),
    "sm_100": ("cuda", 100, 32),
    "gfx942": ("hip", "gfx942", 64),
}
"""What is compiled for, with what Triton's GPUTarget is made of."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel that was seen, and not made."""

    kernel: str
    signature: str
    """Types, alignments and constants: what the compiler is told."""
    grid: tuple[int, ...]
    arguments: tuple[str, ...]
    """Which memory and which numbers the kernel is given."""


@dataclass(frozen=True)
class Program:
    """A kernel compiled for one signature and one target."""

    kernel: str
    signature: str
    target: str
    digest: str = ""
    """Of the whole binary, which holds no line information; empty where it did not compile."""
    failure: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    """Registers, spills and the like, by their name."""


@dataclass(frozen=True)
class Comparison:
    """The programs of both versions for one launch signature and one target."""

    original: Program
    rewritten: Program | None
    """None where the rewritten version launches nothing with this signature."""

    @property
    def identical(self) -> bool:
        other = self.rewritten
        return other is not None and self.original.digest == other.digest != ""
