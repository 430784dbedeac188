"""A part of a file that is meant: some kernels, or some lines."""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.rewriting.options import nearest
from tritonopt.source import Kernel, Module, SourceError


@dataclass(frozen=True)
class Focus:
    """Kernels by their names, qualified or not, and lines of the text as it was given."""

    kernels: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()

    def __or__(self, other: Focus) -> Focus:
        return Focus(self.kernels | other.kernels, self.lines | other.lines)

    def names(self, kernel: Kernel) -> bool:
        """Whether the kernel as a whole is meant."""
        return kernel.name in self.kernels or kernel.qualname in self.kernels

    def concerns(self, kernel: Kernel) -> bool:
        """Whether the kernel of the text as it was given, or a line of it, is meant."""
        return self.names(kernel) or any(_is_in(line, kernel) for line in self.lines)

    def covers(self, kernel: Kernel, line: int) -> bool:
        """Whether a site of the kernel is meant, by its line in the text as it was given."""
        return line in self.lines or self.names(kernel)

    def check(self, module: Module) -> None:
        """Raises SourceError, with the kernels that there are, for what the file does not have."""
        kernels = module.kernels
        names = {name for kernel in kernels for name in (kernel.name, kernel.qualname)}
        there = ", ".join(kernel.qualname for kernel in kernels)
        for name in sorted(self.kernels - names):
            hint = nearest(name, [kernel.qualname for kernel in kernels])
            known = f"there are {there}" if there else "the file has none"
            said = f"{hint} T{known[1:]}" if hint else known
            raise SourceError(module.path, 0, 0, f"no kernel {name!r}; {said}")
        there = ", ".join(f"{k.qualname} (line {k.node.lineno})" for k in kernels)
        for line in sorted(self.lines):
            if not 1 <= line <= module.lines.count:
                message = f"has no line {line}; it has {module.lines.count}"
                raise SourceError(module.path, 0, 0, message)
            if not any(_is_in(line, kernel) for kernel in kernels):
                raise SourceError(
                    module.path, line, 1, f"is in no kernel; there are {there or 'none'}"
                )

    def kernel(self, module: Module) -> Kernel | None:
        """The first kernel that is meant; of nested ones the inner one for a line."""
        named = next((kernel for kernel in module.kernels if self.names(kernel)), None)
        around = [k for k in module.kernels if any(_is_in(line, k) for line in self.lines)]
        return named or max(around, key=lambda kernel: kernel.first_line, default=None)


def _is_in(line: int, kernel: Kernel) -> bool:
    return kernel.first_line <= line <= (kernel.node.end_lineno or kernel.node.lineno)
