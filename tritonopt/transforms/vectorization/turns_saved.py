"""Whether it pays: a loop that has many turns has fewer of them, one of few has as many."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tritonopt.facts.algebra.turns import turns_at_launches
from tritonopt.transforms.vectorization.scalar_loops import ScalarLoop

_FEW = 8
"""Turns up to which nothing was gained."""


@dataclass(frozen=True)
class Saving:
    """What is known of how often the loop turns."""

    text: str
    pays: bool = True
    depends: bool = False


def saving(loop: ScalarLoop) -> Saving:
    """What the kernel and its launches show of the number of turns."""
    count = loop.facts.forms.trip_count(loop.loop)
    if count is None:
        return Saving("how often it turns is not known", depends=True)
    known = count.constant_value
    if known is not None:
        return _of(known, "")
    seen = turns_at_launches(loop.facts, loop.loop)
    if seen:
        where, most = max(seen, key=lambda pair: pair[1])
        return _of(most, f" at most, at the launch in {where}")
    if loop.loop.kind.endswith("static_range"):
        # Each turn is compiled by itself: so nobody writes loops of many.
        return Saving("it turns so few times that it is unrolled", pays=False)
    return Saving(f"it turns {count.readable} times", depends=True)


def _of(turns: int | Fraction, where: str) -> Saving:
    return Saving(f"it turns {turns} times{where}", pays=turns > _FEW)
