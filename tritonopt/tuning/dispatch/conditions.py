"""What decides between the original and new code: bounds of whole numbers, as `n >= 8192`.

A bound is always a number at which the new code won. So every number between a call that won and
one that did not goes to the original; beyond the largest, or below the smallest, that was measured
goes what went there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

MOST_NAMES = 12
"""Of which bounds are tried, in pairs as well."""
_EXTRA = 0.02
"""What one more bound has to gain, as a logarithm of the ratio summed over the calls."""


_SMALL, _LARGER = 33, 200
"""What bounds are made where a verification shall come to both sides of them."""


def lowered(condition: str) -> str:
    """The condition with small bounds."""
    text = re.sub(r"\d+ <= (\w+) <= \d+", rf"{_SMALL} <= \1 <= {_LARGER}", condition)
    if text == condition:
        text = re.sub(r">= \d+", f">= {_SMALL}", text)
        text = re.sub(r"(<=|==) \d+", f"<= {_LARGER}", text)
    return text


@dataclass(frozen=True)
class Condition:
    """An expression of the launcher's names, and the calls for which it is true."""

    text: str
    holds: frozenset[int]
    """Places in the list of calls."""
    bounds: int
    clearness: float = math.log(2)
    """How far the nearest number beyond a bound is from it, as a logarithm, and at most this."""


def conditions(numbers: Sequence[Mapping[str, int]], preferred: Sequence[str]) -> list[Condition]:
    """All conditions on these names, of one bound to four; `numbers` are theirs, call by call.

    Names that are not known in every call, or are the same in all, decide nothing.
    """
    common = set.intersection(*(set(each) for each in numbers)) if numbers else set()
    names = [n for n in numbers[0] if n in common and len({each[n] for each in numbers}) > 1]
    names.sort(
        key=lambda n: (n not in preferred, list(preferred).index(n) if n in preferred else 0)
    )
    single = {name: list(_of_one(name, [each[name] for each in numbers])) for name in names}
    found = [condition for each in single.values() for condition in each]
    for one, other in combinations(names[:MOST_NAMES], 2):
        for a in single[one]:
            for b in single[other]:
                holds = a.holds & b.holds
                if holds and holds not in (a.holds, b.holds):
                    text = f"{a.text} and {b.text}"
                    clearness = min(a.clearness, b.clearness)
                    found.append(Condition(text, holds, a.bounds + b.bounds, clearness))
    return found


def _of_one(name: str, values: Sequence[int]) -> Iterator[Condition]:
    """The ranges of one name that leave out some calls."""
    steps = sorted(set(values))
    for low in range(len(steps)):
        for high in range(low, len(steps)):
            if low == 0 and high == len(steps) - 1:
                continue
            first, last = steps[low], steps[high]
            holds = frozenset(at for at, value in enumerate(values) if first <= value <= last)
            beside = ((low - 1, low), (high, high + 1))
            gaps = [(steps[a], steps[b]) for a, b in beside if a >= 0 and b < len(steps)]
            clear = min((Condition.clearness, *map(_distance, gaps)))
            if low == 0:
                yield Condition(f"{name} <= {last}", holds, 1, clear)
            elif high == len(steps) - 1:
                yield Condition(f"{name} >= {first}", holds, 1, clear)
            elif low == high:
                yield Condition(f"{name} == {first}", holds, 1, clear)
            else:
                yield Condition(f"{first} <= {name} <= {last}", holds, 2, clear)


def _distance(gap: tuple[int, int]) -> float:
    """Between two numbers, the smaller one first, as a logarithm."""
    low, high = gap
    return math.log(high / low) if low > 0 else math.inf


def best(
    found: Sequence[Condition], gain: Callable[[int], float], forbidden: frozenset[int]
) -> Condition | None:
    """The condition that gains most, without a call that is forbidden; the first of equal ones.

    Of two that gain the same the narrower one: its bounds are numbers at which there is a gain.
    Then the clearer one: that it was fast for 20 and not for 16 says less than for 65536 and 704.
    """
    allowed = [c for c in found if not c.holds & forbidden]

    def worth(condition: Condition) -> tuple[float, int, float]:
        gained = sum(map(gain, condition.holds)) - _EXTRA * condition.bounds
        return round(gained, 9), -len(condition.holds), round(condition.clearness, 9)

    chosen = max(allowed, key=worth, default=None)
    if chosen is None or sum(map(gain, chosen.holds)) <= 0:
        return None
    return chosen
