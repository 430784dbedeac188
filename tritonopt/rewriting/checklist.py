"""A list of conditions, gone through in the order in which a reader would ask for them.

    checklist = Checklist()
    with checklist.until_one_fails():
        ...
        raise refuted("same-elements", "other-elements", "the sweeps read other elements")

The first condition that does not hold ends the list: whoever finds it raises `refuted` or
`unknown`, and it becomes the last of the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from tritonopt.facts import Assumption
from tritonopt.rewriting.model import Condition, Safety, Status


class Declined(Exception):
    """A condition of a rewrite does not hold."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition.detail)
        self.condition = condition


class Checklist:
    """What is known so far of one site."""

    def __init__(self) -> None:
        self._conditions: list[Condition] = []
        self._given: set[str] = set()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(self._conditions)

    @property
    def failed(self) -> Condition | None:
        return next((c for c in self._conditions if not c.holds), None)

    @property
    def facts_used(self) -> frozenset[str]:
        """Texts of the `--assume` facts that a condition rests on."""
        return frozenset(self._given)

    @property
    def safety(self) -> frozenset[Safety]:
        """What a site needs on account of its conditions."""
        return frozenset({Safety.ASSUMPTION} if self._given else ())

    def until_one_fails(self) -> _UntilOneFails:
        """A block that goes through conditions, and is left at the first that does not hold."""
        return _UntilOneFails(self._conditions)

    def take_over(self, other: Checklist) -> None:
        """Go on with what another list has come to."""
        self._conditions += other._conditions
        self._given |= other._given

    def prove(self, claim: str, detail: str, given: Iterable[Assumption] = ()) -> None:
        """The claim follows from the source, and from facts that the user gave."""
        texts = {a.text for a in given}
        self._given |= texts
        status = Status.ASSUMED if texts else Status.PROVED
        self._conditions.append(Condition(claim, status, detail))

    def assume(self, claim: str, detail: str) -> None:
        """The claim holds by a written default."""
        self._conditions.append(Condition(claim, Status.ASSUMED, detail))

    def assume_no_other_launches(
        self, detail: str = "files that were not given launch it in no other way"
    ) -> None:
        """What the launches show holds of all: those in files that were not given included."""
        said = (("no-other-launches", detail) == (c.claim, c.detail) for c in self._conditions)
        if not any(said):
            self.assume("no-other-launches", detail)


class _UntilOneFails:
    def __init__(self, conditions: list[Condition]) -> None:
        self._conditions = conditions

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, Declined):
            self._conditions.append(error.condition)
            return True
        return False


def refuted(claim: str, reason: str, detail: str) -> Declined:
    """The claim is false; `reason` is the name under which the site is declined."""
    return Declined(Condition(claim, Status.REFUTED, detail, reason))


def unknown(claim: str, reason: str, detail: str) -> Declined:
    """The claim could not be decided."""
    return Declined(Condition(claim, Status.UNKNOWN, detail, reason))
