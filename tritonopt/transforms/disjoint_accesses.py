"""Accesses that touch no memory in common, and what that rests on."""

from __future__ import annotations

from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import Assumption, KernelFacts
from tritonopt.facts.effects import Effect


class DisjointAccesses:
    """Asks whether accesses are disjoint, and remembers for a condition why those are that are."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._why: dict[str, Assumption | None] = {}

    def are_disjoint(self, one: Effect, other: Effect) -> bool:
        """Whether they touch no memory in common; what shows it counts as used from then on."""
        if self._facts.may_alias(one, other):
            return False
        for mine, theirs in product(self._bases(one), self._bases(other)):
            _, why, given = self._facts.why_disjoint(mine, theirs)
            self._why[why] = given
        return True

    def add(self, further: DisjointAccesses) -> None:
        """What was shown elsewhere is used as well."""
        self._why |= further._why

    def prove(self, attempt: Attempt, claim: str, otherwise: str) -> None:
        """The claim follows from what was shown; `otherwise` is said where nothing was needed."""
        attempt.prove(claim, "; ".join(self._why) or otherwise, self.given)
        if None in self._why.values():
            attempt.assume_no_other_launches()

    @property
    def given(self) -> list[Assumption]:
        """The facts of the user that it rests on."""
        return [given for given in self._why.values() if given is not None]

    def _bases(self, effect: Effect) -> list[str]:
        return sorted(self._facts.bases(effect) or ())
