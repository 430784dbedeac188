"""Pairs of sweeps that look like a maximum and a sum of exponentials below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.loop_nests import TwoSweeps, earlier_siblings
from tritonopt.facts.maxima import takes_extremes
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import accumulation
from tritonopt.passes.online_softmax.exponentials import exponentials_in


@dataclass(frozen=True)
class Candidate:
    """Two sweeps, the sum that the second one makes, and what the first one may make for it."""

    sweeps: TwoSweeps
    name: str
    maximum: str


def candidates(facts: KernelFacts) -> Iterator[list[Candidate]]:
    """For each sum of exponentials the earlier sweeps that they are made from, nearest first."""
    for second, earlier in earlier_siblings(facts):
        for name in sorted(second.carried):
            found = [
                Candidate(TwoSweeps(facts, first, second), name, maximum)
                for first in earlier
                for maximum in _maxima(facts, first, second, name)
            ]
            if found:
                yield found


def _maxima(facts: KernelFacts, first: Loop, second: Loop, name: str) -> list[str]:
    """Names of the first sweep, made of extremes, that go into exponents that are added up."""
    try:
        added = accumulation(facts, facts.forms, second, name)
    except TooLarge:
        return []
    if added is None:
        return []
    exponents = [value.operands[0] for value in exponentials_in(facts, added, first)]
    parts = [part for exponent in exponents for part in exponent.walk()]
    names = {
        part.carrier.name
        for part in parts
        if part.op is Op.RESULT and part.carrier.loop == first.identity
    }
    return [name for name in sorted(names) if takes_extremes(facts, first, name)]
