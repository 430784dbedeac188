"""Where two versions part: what was computed from what, and the way back from an output.

The original tells every residue that it computed. Of the rewritten version the way leads from the
element that differs back to operands that the original does not know either. It ends at an
operation all of whose operands the original knows, or at a constant that it has not.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tritonopt.verification.algebra.decisions import Known
from tritonopt.verification.algebra.field import Residues

_FARTHEST = 100_000


@dataclass
class Node:
    """One operation on a tile."""

    name: str
    place: str
    residues: Any
    """Modulo P, flat."""
    parents: list[Node] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    """Operands that were computed from nothing: their residues, and their values."""


@dataclass
class Trace:
    known: Known
    """What the original computed."""
    nodes: list[Node] = field(default_factory=list)
    launch: str = ""
    line: Callable[[], int] = lambda: 0
    """The line of the kernel that runs."""

    def note(self, name: str, residues: Residues, parents: list[Node], constants: Any) -> Node:
        builder: Any = importlib.import_module("triton.runtime.interpreter").interpreter_builder
        program = tuple(int(i) for i in builder.grid_idx or ())
        place = f"{self.launch}, program {program}, line {self.line()}"
        node = Node(name, place, np.ravel(residues[1]), parents, list(constants))
        self.nodes.append(node)
        return node

    def _agrees(self, residues: Any) -> bool:
        """Whether the original knows more than half: masked lanes may hold anything."""
        strange, count = self.known.unknown(residues)
        return 2 * strange <= count

    def parting(self, node: Node) -> str:
        """The operation where the way back from this one ends, in words."""
        for _ in range(_FARTHEST):
            unknown = next((p for p in node.parents if not self._agrees(p.residues)), None)
            if unknown is None:
                break
            node = unknown
        new = [v for r, v in node.constants if not self._agrees(np.ravel(r[1]))]
        what = f"the constant {new[0]:.7g}, which the original has not" if new else node.name
        return f"{node.place}: {what}"
