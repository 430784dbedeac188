"""What a run decides by: floats that it compares, or rounds to integers.

What such a decision gives has no residue. It is the same in both versions where both decide by the
same numbers; so what one version decides by has to be something that the other computes too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tritonopt.verification.algebra.field import P

if TYPE_CHECKING:
    from tritonopt.verification.process.messages import Followed

ORIGINAL, REWRITTEN = "original", "rewritten"
COMPARED, ROUNDED = "compares", "rounds to integers"
_MOST = 2**18
"""So many numbers are kept; of more a sample, the same in both versions: see `sampled`."""
_FEW = 0.5
"""Lanes that are masked off may hold anything, so a share of what is decided by may be strange."""


def sampled(residues: Any, level: int) -> Any:
    """Of residues modulo P those that 2 to this power divides."""
    return residues[residues & np.uint32((1 << level) - 1) == 0] if level else residues


def without_signs(residues: Any) -> Any:
    """Residues modulo P, flat, the same for a number and for what has the other sign."""
    flat = np.ravel(residues).astype(np.uint32)
    return np.minimum(flat, np.uint32(P) - flat)


def _distinct(parts: list[Any]) -> Any:
    """What is in some flat arrays, each number once and in order.

    As `np.unique`, which takes ten times as long where it makes a table of very many numbers.
    """
    found = np.sort(np.concatenate([np.zeros(0, np.uint32), *parts]))
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if found.size else found


@dataclass
class Bag:
    """Residues modulo P without signs, each of them once; of very many a sample."""

    parts: list[Any] = field(default_factory=list)
    count: int = 0
    level: int = 0

    def add(self, residues: Any) -> None:
        flat = sampled(without_signs(residues[1]), self.level)
        self.parts.append(flat)
        self.count += flat.size
        if self.count > 2 * _MOST:
            self._shrink()

    def _shrink(self) -> None:
        found = _distinct(self.parts)
        while found.size > _MOST:
            self.level += 1
            found = sampled(found, self.level)
        self.parts, self.count = [found], found.size

    def told(self) -> bytes:
        """As it is sent: the level of the sample, and the numbers."""
        found = _distinct(self.parts)
        return np.concatenate([np.array([self.level], np.uint32), found]).tobytes()


class Known:
    """What a run computed, as it was sent."""

    def __init__(self, told: bytes) -> None:
        sent = np.frombuffer(told, np.uint32)
        self.level, self.residues = int(sent[0]), sent[1:]

    def unknown(self, residues: Any) -> tuple[int, int]:
        """How many of some residues it has not, and of how many that is known.

        0 is not counted: masked lanes hold it everywhere.
        """
        flat = without_signs(residues)
        flat = sampled(flat[flat != 0], self.level)
        return int((~np.isin(flat, self.residues)).sum()), flat.size


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
        return self.computed.told(), tuple((place, bag.told()) for place, bag in self.by.items())

    def decide(self, what: str, operands: Iterable[Any]) -> None:
        """Something is decided by these residues."""
        bag = self.by.setdefault((what, self.line()), Bag())
        for residues in operands:
            bag.add(residues)


def _strange(by: Iterable[tuple[tuple[str, int], bytes]], known: Known) -> tuple[str, int] | None:
    """The first decision by numbers of which the other version does not compute the most.

    Up to their signs: `-x < y` is `x > -y`.
    """
    for place, operands in by:
        strange, count = known.unknown(Known(operands).residues)
        if strange > _FEW * count:
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
        found = _strange(here.decisions, Known(there.computed))
        if found is not None:
            what, line = found
            where = f"line {line} of the {title} version" if line else f"the {title} version"
            return f"{where} {what} what the {other} one never computes"
    return ""
