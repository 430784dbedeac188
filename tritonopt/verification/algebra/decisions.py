"""What a run decides by: floats that it compares, or rounds to whole numbers.

What such a decision gives has no residue. It is the same in both versions where both decide by the
same numbers; so what one version decides by has to be something that the other computes too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tritonopt.verification.algebra.field import P

if TYPE_CHECKING:
    from tritonopt.verification.process.messages import Followed

ORIGINAL, REWRITTEN = "original", "rewritten"
COMPARED, ROUNDED = "compares", "rounds to whole numbers"
_MOST = 2**20
"""So many numbers are kept before those that are there twice are left out."""
_FEW = 0.5
"""Lanes that are masked off may hold anything, so a share of what is decided by may be strange."""


@dataclass
class Bag:
    """Residues modulo P, each of them once."""

    parts: list[Any] = field(default_factory=list)
    count: int = 0

    def add(self, residues: Any) -> None:
        flat = np.ravel(residues[1]).astype(np.uint32)
        self.parts.append(flat)
        self.count += flat.size
        if self.count > _MOST:
            self.parts = [self.each()]
            self.count = 0

    def each(self) -> Any:
        """In order; 0 is among them, which masked lanes hold everywhere."""
        return np.unique(np.concatenate([np.zeros(1, np.uint32), *self.parts]))


@dataclass
class Decisions:
    """Of one run."""

    computed: Bag = field(default_factory=Bag)
    by: dict[tuple[str, int], Bag] = field(default_factory=dict)
    """The operands, by what is done, and in which line."""
    line: Callable[[], int] = lambda: 0
    """The line of the kernel that runs."""

    def told(self) -> tuple[bytes, tuple[tuple[tuple[str, int], bytes], ...]]:
        """All that was computed, and all that was decided by, as it is sent."""
        by = tuple((place, bag.each().tobytes()) for place, bag in self.by.items())
        return self.computed.each().tobytes(), by

    def decide(self, what: str, operands: Iterable[Any]) -> None:
        """Something is decided by these residues."""
        bag = self.by.setdefault((what, self.line()), Bag())
        for residues in operands:
            bag.add(residues)


def _strange(by: Mapping[tuple[str, int], Any], computed: Any) -> tuple[str, int] | None:
    """The first decision by numbers of which the other version does not compute the most.

    Up to their signs: `-x < y` is `x > -y`.
    """
    for place, operands in by.items():
        known = np.isin(operands, computed) | np.isin(np.uint32(P) - operands, computed)
        if (~known).sum() > _FEW * (operands != 0).sum():
            return place
    return None


def limits_differ(ours: Set[float], theirs: Set[float]) -> str:
    """A number that floats are compared with in one version alone, in words.

    What a comparison decides is followed by values, and only on the calls that were made.
    """
    for title, here, there in ((ORIGINAL, ours, theirs), (REWRITTEN, theirs, ours)):
        if here - there:
            number = f"{min(here - there):.7g}"
            return f"the {title} version alone compares floats with {number}"
    return ""


def decided_otherwise(ours: Followed, theirs: Followed) -> str:
    """A comparison, or a rounding, of floats that the other version does not compute; in words."""
    for title, other, here, there in (
        (REWRITTEN, ORIGINAL, theirs, ours),
        (ORIGINAL, REWRITTEN, ours, theirs),
    ):
        computed = np.frombuffer(there.computed, "u4")
        by = {place: np.frombuffer(operands, "u4") for place, operands in here.decisions}
        found = _strange(by, computed)
        if found is not None:
            what, line = found
            where = f"line {line} of the {title} version" if line else f"the {title} version"
            return f"{where} {what} what the {other} one never computes"
    return ""
