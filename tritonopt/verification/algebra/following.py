"""One run of a launcher with residues: what it knows, and what could not be followed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tritonopt.verification.algebra.carried import NUMBER, Carried
from tritonopt.verification.algebra.decisions import COMPARED, ROUNDED, Decisions, Known
from tritonopt.verification.algebra.field import Residues, is_float, reals_of, width_of
from tritonopt.verification.algebra.memory import Memory
from tritonopt.verification.algebra.ring import Ring, of_integers, of_whole_floats

# Where two versions part: what was computed from what, and the way back from an output.
#
# The original tells every residue that it computed. Of the rewritten version the way leads from the
# element that differs back to operands that the original does not know either. It ends at an
# operation all of whose operands the original knows, or at a constant that it has not.

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


_CARRIED, _NODE = "carried", "node"
"""The attributes of a handle under which its residues are, and what it was computed from."""
_SENTINEL = 1e18
"""Larger numbers stand for infinity."""


class Run:
    def __init__(self, seed: int, trace: Trace | None = None) -> None:
        self.ring = Ring(seed)
        self.memory = Memory(self.ring)
        self.trace = trace
        self.writers: dict[int, Node] = {}
        """What was last written to an address, in a run with a trace."""
        self.limits: set[float] = set()
        """The numbers of the program that floats were compared with, or limited by."""
        self.decisions = Decisions()

    def of(self, handle: Any) -> Carried:
        """What a handle of floats carries; a number of the program stands for itself."""
        found: Carried | None = getattr(handle, _CARRIED, None)
        if found is not None:
            return found
        if not is_float(handle):
            return Carried(of_integers(handle.data), NUMBER)
        if width_of(handle) == 0:
            self.lose("floats of 8 bits")
        values = reals_of(handle)
        if values.size == 1:
            constant = self.ring.of_constant(float(values.reshape(())), np.ndim(values))
            self.decisions.computed.add(constant)
            return Carried(constant, NUMBER)
        if ((values == 0) | np.isnan(values)).all():
            # The interpreter's own padding of a block pointer.
            return Carried(np.zeros((2, *np.shape(values)), dtype=np.uint64), NUMBER)
        self.lose("a tile that came from nowhere that is followed")
        return self.memory.of_values(values)

    def give(self, handle: Any, carried: Carried) -> None:
        """A handle carries this from now on."""
        self.decisions.computed.add(carried.residues)
        setattr(handle, _CARRIED, carried.spread(np.shape(handle.data)))

    def limited(self, operands: Iterable[Any]) -> None:
        """These were compared, or the larger or smaller one was taken.

        Such a number decides, and may decide nothing on the calls that are made: no residue shows
        that it was changed. Neutral ones (0, infinities, what stands for these) are left out, and
        those that only a count is compared with, or another number of the program.
        """
        floats = [handle for handle in operands if is_float(handle) and np.size(handle.data)]
        numbers = [handle for handle in floats if self._is_number(handle)]
        if len(numbers) == len(floats):
            return
        for handle in numbers:
            values = reals_of(handle)
            first = float(values.flat[0])
            if 0 < abs(first) < _SENTINEL and (values == first).all():
                self.limits.add(float(np.float32(first)))

    def compared(self, operands: Iterable[Any]) -> None:
        """Values decide something here, of what is no number of the program."""
        floats = [handle for handle in operands if is_float(handle) and np.size(handle.data)]
        given = [self.of(h).residues for h in floats if not self._is_number(h)]
        if given:
            self.decisions.decide(COMPARED, given)

    def rounded(self, operand: Any, wholes: Any) -> None:
        """Values became these whole numbers; those that were whole ones were only moved."""
        residues = self.of(operand).residues
        other = (residues != of_whole_floats(wholes)).any(axis=0)
        if other.any():
            self.decisions.decide(ROUNDED, [residues[:, other]])

    @staticmethod
    def _is_number(handle: Any) -> bool:
        """Whether a value does not depend on what the calls are given."""
        carried: Carried | None = getattr(handle, _CARRIED, None)
        return carried is None or carried.degree == NUMBER

    def note(self, name: str, result: Any, operands: Iterable[Any]) -> None:
        """An operation gave this of these, as far as they are floats; for a trace, if there is."""
        if self.trace is None:
            return
        given = [operand for operand in operands if is_float(operand)]
        parents = [handle.node for handle in given if hasattr(handle, _NODE)]
        constants = [
            (self.of(handle).residues, float(reals_of(handle).reshape(-1)[0]))
            for handle in given
            if not hasattr(handle, _NODE) and np.size(handle.data) == 1
        ]
        setattr(result, _NODE, self.trace.note(name, self.of(result).residues, parents, constants))

    def stored(self, addresses: Any, value: Any) -> None:
        """A tile was written there."""
        if self.trace is not None and hasattr(value, _NODE):
            self.writers.update(dict.fromkeys(addresses.tolist(), value.node))

    def loaded(self, addresses: Any, result: Any) -> None:
        """A tile was read from there."""
        if self.trace is None:
            return
        found = (self.writers.get(address) for address in addresses.tolist())
        parents = {id(node): node for node in found if node is not None}
        residues = self.of(result).residues
        setattr(result, _NODE, self.trace.note("load", residues, list(parents.values()), ()))

    def carries(self, handle: Any) -> bool:
        return hasattr(handle, _CARRIED)

    def is_its_value(self, carried: Carried, values: Any) -> Any:
        """Where a residue is that of the number itself, as for what was only moved."""
        plain = self.ring.of_data(values)
        if np.size(values) == 1:
            constant = self.ring.of_constant(float(np.reshape(values, ())), np.ndim(values))
            return (carried.residues == plain).all(axis=0) | (carried.residues == constant).all(0)
        return (carried.residues == plain).all(axis=0)

    def lose(self, why: str) -> None:
        """Something is not followed: what comes of it stands for nothing."""
        self.memory.lost[why] = None
