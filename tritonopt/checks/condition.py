"""A condition of a site: a claim, how it came out, and what the rewrite costs beyond `exact`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tritonopt.checks import reasons


class Safety(str, Enum):
    """What a site needs beyond `exact`. The empty set is `exact` itself."""

    ROUNDING = "rounding"
    """Floating-point results may differ in rounding."""
    CONTRACT = "contract"
    """Asks something of the caller, done in the same change at every launch."""
    ASSUMPTION = "assumption"
    """Holds only under facts that the user asserts with `--assume`."""


class Bits(str, Enum):
    """Whether compiled results stay the same bit for bit."""

    SAME = "same"
    CONTRACTION = "contraction"
    """The edit exposes or hides an `a * b + c`."""
    REDUCTION_ORDER = "reduction-order"
    """The order of a floating-point reduction may change."""


class Status(str, Enum):
    """How a condition came out."""

    PROVED = "proved"
    ASSUMED = "assumed"
    """By a written default or by a fact the user gave; the detail says which."""
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Condition:
    """A named claim that must hold at a site for its rewrite to be legal.

    `claim` is kebab-case and says what must be true (`same-elements`).
    `otherwise` names the reason when it is not (`center-is-not-the-mean`);
    where it is empty the claim itself is the reason. Both are declared, with a
    sentence each, in `tritonopt.checks.reasons`, or by the pass.
    """

    claim: str
    status: Status
    detail: str = ""
    otherwise: str = ""

    def __post_init__(self) -> None:
        # A pass of another package may still say a name that was merged into another.
        object.__setattr__(self, "claim", reasons.current(self.claim))
        object.__setattr__(self, "otherwise", reasons.current(self.otherwise))
        reasons.check(self.claim)
        reasons.check(self.reason)

    @property
    def holds(self) -> bool:
        return self.status in (Status.PROVED, Status.ASSUMED)

    @property
    def reason(self) -> str:
        return self.otherwise or self.claim


class Unmet(Exception):
    """A condition that failed where no site is known: in the algebra, the facts, the launches.

    An `Attempt` records it. `except Declined` does not catch it.
    """

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition.detail)
        self.condition = condition


class Declined(Unmet):
    """A condition of a rewrite does not hold."""


class NotExpressible(Declined):
    """What is needed has no name and no expression at the place where it is needed."""

    def __init__(self, detail: str) -> None:
        super().__init__(Condition("is-expressible", Status.UNKNOWN, detail, "not-expressible"))


def refuted(claim: str, reason: str, detail: str) -> Declined:
    """The claim is false; `reason` is the name under which the site is declined."""
    return Declined(Condition(claim, Status.REFUTED, detail, reason))


def unknown(claim: str, reason: str, detail: str) -> Declined:
    """The claim could not be decided."""
    return Declined(Condition(claim, Status.UNKNOWN, detail, reason))
