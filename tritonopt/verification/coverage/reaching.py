"""Which of the calls so far run what differs, or come near, where a plain one does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from tritonopt.verification.coverage.demands import NUMBERS, Demand
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.coverage_data import Coverage

Seen = Callable[[Example], tuple[Coverage, Coverage] | None]
"""What both versions ran on an example; None where the original did not take it."""
_MOST = 2


def reaching(
    made: Iterable[Example], plain: Iterable[Example], demands: Sequence[Demand], seen: Seen
) -> list[Example]:
    """A few calls that run what none of the plain ones does, each as much of it as can be.

    Of several that run as much the one that executes least: it is made again and again.
    """
    made = sorted(made, key=lambda example: _work(example, seen))
    found_in = {example: met(example, demands, seen) for example in made}
    left = set().union(*found_in.values()).difference(*(met(e, demands, seen) for e in plain))
    found: list[Example] = []
    while left and len(found) < _MOST:
        best = max(found_in, key=lambda example: len(found_in[example] & left))
        found.append(best)
        left -= found_in[best]
    return found


def _work(example: Example, seen: Seen) -> int:
    return sum(coverage.work for coverage in seen(example) or ())


def met(example: Example, demands: Sequence[Demand], seen: Seen) -> set[Demand]:
    """What of it a call runs, and which loops take a second turn."""
    both = seen(example)
    if both is None:
        return set()
    sides: Mapping[str, Coverage] = dict(zip(("original", "rewritten"), both, strict=True))
    asked = (d for d in demands if d.kind in ("line", "true", "false", "turns"))
    return {d for d in asked if d.met_by(sides[d.title])}


def entering(
    made: Iterable[Example], explored: Iterable[Example], unmet: Sequence[Demand], seen: Seen
) -> Example | None:
    """The call that comes to most functions in which something has still not run.

    To those to which none of the explored ones comes; of several the one that executes least.
    """
    known = set().union(*(_entered(example, unmet, seen) for example in explored))
    made = sorted(made, key=lambda example: _work(example, seen))
    entered = {example: _entered(example, unmet, seen) - known for example in made}
    best = max(entered, key=lambda example: len(entered[example]), default=None)
    return best if best is not None and entered[best] else None


def _entered(example: Example, unmet: Sequence[Demand], seen: Seen) -> set[tuple[str, range]]:
    """The functions of some demands of which a call runs anything."""
    both = seen(example)
    if both is None:
        return set()
    sides: Mapping[str, Coverage] = dict(zip(("original", "rewritten"), both, strict=True))
    return {(d.title, d.within) for d in unmet if sides[d.title].lines & set(d.within)}


def open_numbers(
    demands: Iterable[Demand], runs: Iterable[tuple[Coverage, Coverage] | None]
) -> list[int]:
    """Numbers of which no comparison, limit or other expression has come out both ways."""
    seen = [both for both in runs if both]
    together = [reduce(Coverage.merged, each) for each in zip(*seen, strict=True)]
    asked = (d for d in demands if d.kind in NUMBERS or d.is_far)
    never = (d for d in asked if not seen or not d.met_by(together[d.title == "rewritten"]))
    return list(dict.fromkeys(d.number for d in never if d.number is not None))
