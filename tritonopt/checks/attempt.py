"""One attempt at a site: its conditions, in the order in which a reader would check them.

    with Attempt() as attempt:
        ...
        raise refuted("same-elements", "other-elements", "the loops read other elements")

The first condition that does not hold ends the attempt: whoever finds it raises `refuted` or
`unknown`, and it becomes the last condition. An index that is too large to compare, and an edit
that the text does not allow, end it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from tritonopt.checks.condition import Condition, Safety, Status, Unmet
from tritonopt.source.errors import EditConflict

if TYPE_CHECKING:
    from typing_extensions import Self

    from tritonopt.source import Change


class GivenFact(Protocol):
    """A fact that the user gave with `--assume`."""

    @property
    def text(self) -> str: ...


class Attempt:
    """What is known so far of one site: a context manager that a failed condition leaves."""

    def __init__(self) -> None:
        self._conditions: list[Condition] = []
        self._given: set[str] = set()
        self._needs: set[Safety] = set()
        self.changes: tuple[Change, ...] = ()
        """What rewrites the site, if all conditions hold."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, EditConflict):
            failed = Condition("is-expressible", Status.UNKNOWN, str(error), "not-expressible")
        elif isinstance(error, Unmet):
            failed = error.condition
        else:
            return False
        self._conditions.append(failed)
        return True

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(self._conditions)

    @property
    def failed(self) -> Condition | None:
        return next((c for c in self._conditions if not c.holds), None)

    @property
    def holds(self) -> bool:
        return self.failed is None

    @property
    def facts_used(self) -> frozenset[str]:
        """Texts of the `--assume` facts that a condition rests on."""
        return frozenset(self._given)

    @property
    def safety(self) -> frozenset[Safety]:
        """What the site needs beyond `exact`, as far as its conditions say."""
        return frozenset(self._needs | ({Safety.ASSUMPTION} if self._given else set()))

    def need(self, *levels: Safety) -> None:
        """The site needs these levels of safety."""
        self._needs.update(levels)

    @property
    def rounds(self) -> bool:
        """Whether the site needs that floats may be rounded otherwise."""
        return Safety.ROUNDING in self._needs

    def write(self, changes: Iterable[Change], detail: str) -> None:
        """The changes rewrite the site: all can be written, as `detail` says. Raises Declined."""
        self.changes = tuple(changes)
        self.prove("is-expressible", detail)

    def take_over(self, other: Attempt) -> None:
        """Add the conditions of another attempt."""
        self._conditions += other._conditions
        self._given |= other._given
        self._needs |= other._needs

    def prove(self, claim: str, detail: str, given: Iterable[GivenFact] = ()) -> None:
        """The claim follows from the source, and from facts that the user gave."""
        texts = {a.text for a in given}
        self._given |= texts
        status = Status.ASSUMED if texts else Status.PROVED
        self._conditions.append(Condition(claim, status, detail))

    def assume(self, claim: str, detail: str) -> None:
        """The claim holds by a written default."""
        self._conditions.append(Condition(claim, Status.ASSUMED, detail))

    def assume_no_other_launches(
        self, detail: str = "the given files contain every launch of this kernel"
    ) -> None:
        """What the launches show holds of all launches, those in files not given included."""
        said = (("no-other-launches", detail) == (c.claim, c.detail) for c in self._conditions)
        if not any(said):
            self.assume("no-other-launches", detail)
