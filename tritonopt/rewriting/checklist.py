"""A list of conditions, gone through in the order in which a reader would ask for them.

The first that does not hold ends the list: `fail` and `leave_open` raise, and
who goes through the list catches `Declined` and keeps its condition.
"""

from __future__ import annotations

from collections.abc import Iterable

from tritonopt.facts import Assumption
from tritonopt.rewriting.model import Condition, Status


class Declined(Exception):
    """A condition of a rewrite does not hold."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition.detail)
        self.condition = condition


class Checklist:
    """What is known so far of one site."""

    def __init__(self) -> None:
        self.conditions: list[Condition] = []
        self.given: set[str] = set()
        """Texts of the `--assume` facts that a condition rests on."""

    @property
    def holds(self) -> bool:
        return all(c.holds for c in self.conditions)

    @property
    def failed(self) -> Condition | None:
        return next((c for c in self.conditions if not c.holds), None)

    def prove(self, claim: str, detail: str, given: Iterable[Assumption] = ()) -> None:
        """The claim follows from the source, and from facts that the user gave."""
        texts = {a.text for a in given}
        self.given |= texts
        status = Status.ASSUMED if texts else Status.PROVED
        self.conditions.append(Condition(claim, status, detail))

    def assume(self, claim: str, detail: str) -> None:
        """The claim holds by a written default."""
        self.conditions.append(Condition(claim, Status.ASSUMED, detail))


def refuted(claim: str, reason: str, detail: str) -> Declined:
    """The claim is false; `reason` is the name under which the site is declined."""
    return Declined(Condition(claim, Status.REFUTED, detail, reason))


def unknown(claim: str, reason: str, detail: str) -> Declined:
    """The claim could not be decided."""
    return Declined(Condition(claim, Status.UNKNOWN, detail, reason))
