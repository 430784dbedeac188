"""A part of a file that is meant: some kernels, or some lines."""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.source import Kernel


@dataclass(frozen=True)
class Focus:
    """Kernels by their names, qualified or not, and lines of the text as it was given."""

    kernels: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()

    def names(self, kernel: Kernel) -> bool:
        """Whether the kernel as a whole is meant."""
        return kernel.name in self.kernels or kernel.qualname in self.kernels

    def concerns(self, kernel: Kernel) -> bool:
        """Whether the kernel of the text as it was given, or a line of it, is meant."""
        last = kernel.node.end_lineno or kernel.node.lineno
        return self.names(kernel) or any(kernel.first_line <= n <= last for n in self.lines)

    def covers(self, kernel: Kernel, line: int) -> bool:
        """Whether a site of the kernel is meant, by its line in the text as it was given."""
        return line in self.lines or self.names(kernel)
