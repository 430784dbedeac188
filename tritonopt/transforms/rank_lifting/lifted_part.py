"""The statements of a kernel that are lifted."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.source import Kernel

AXIS = 0
"""Of the grid: the one that numbers the rows."""


@dataclass(frozen=True)
class LiftedPart:
    """The statements of a kernel that are lifted: all but what documents it."""

    kernel: Kernel

    @property
    def statements(self) -> list[ast.stmt]:
        """In the order in which they run."""
        return self.kernel.node.body[ast.get_docstring(self.kernel.node) is not None :]

    @property
    def left(self) -> frozenset[ast.AST]:
        """All that is done for one row only: nothing."""
        return frozenset()
