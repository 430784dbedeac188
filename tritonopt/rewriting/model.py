"""The words of the rewriter: safety, bits, conditions, sites, remarks.

Nothing in here knows how a pass finds its sites or how an edit is made; it is
the vocabulary that passes, the pipeline and every report share.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.source import Change

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
        reasons.check(self.claim)
        reasons.check(self.reason)

    @property
    def holds(self) -> bool:
        return self.status in (Status.PROVED, Status.ASSUMED)

    @property
    def reason(self) -> str:
        return self.otherwise or self.claim


@dataclass(frozen=True)
class Site:
    """A place in a kernel where a pass applies, or would but for a condition."""

    anchor: ast.AST
    """The node of the kernel that a reader is pointed to."""
    conditions: tuple[Condition, ...]
    message: str
    safety: frozenset[Safety] = frozenset()
    bits: Bits = Bits.SAME
    facts_used: frozenset[str] = frozenset()
    """Texts of the `--assume` facts that a condition of the site rests on."""
    changes: tuple[Change, ...] = field(default=(), compare=False)
    """The rewrite; none where a condition fails."""
    analysis: bool = False
    """The message tells the author what was found in the code as it stands. Changes mend it, of
    a pass that `mends`."""
    pays: bool = True
    """Whether the gain that was measured for the pass is to be expected here; of an analysis,
    whether what is reported goes wrong on the hardware of today."""
    saves: bool = False
    """Whether something is saved here, though it may cost as much."""
    depends: bool = False
    """Whether it pays for some shapes and costs for others, and nothing tells which these are."""
    unpaid: str = "does-not-pay"
    """The reason for which a site that neither pays nor saves is left alone under `all`."""
    advice: str = ""
    """The message as an advice to whoever has not done it yet, without what was measured."""
    worth: str = ""
    """What was measured of the case that this site is; without it, that of the whole pass holds."""
    harm: str = ""
    """What comes of this mistake; without it, what the pass says of all of its mistakes holds."""

    def __post_init__(self) -> None:
        reasons.check(self.unpaid)

    @classmethod
    def of_mistake(
        cls, anchor: ast.AST, claim: str, reason: str, message: str, harm: str = ""
    ) -> Site:
        """What a lint tells of code that breaks a claim: nothing to rewrite."""
        broken = Condition(claim, Status.REFUTED, message, reason)
        return cls(anchor, (broken,), message, analysis=True, harm=harm)

    @property
    def failed(self) -> tuple[Condition, ...]:
        return tuple(c for c in self.conditions if not c.holds)


class RemarkKind(str, Enum):
    PASSED = "passed"
    MISSED = "missed"
    ANALYSIS = "analysis"


@dataclass(frozen=True)
class Remark:
    """What a pass says of one site. Lines count from 1, columns from 1."""

    pass_name: str
    kind: RemarkKind
    kernel: str
    line: int
    column: int
    message: str
    safety: frozenset[Safety] = frozenset()
    bits: Bits = Bits.SAME
    conditions: tuple[Condition, ...] = ()
    reason: str = ""
    """The condition that failed, `safety`, or why it does not pay; empty for a site that passed."""
    failure: str = ""
    """For a defect of the tool itself: what was raised, and how to report it."""

    def __post_init__(self) -> None:
        if self.reason:
            reasons.check(self.reason)

    def defect_at(self, path: str) -> str:
        """One line that says what failed in us, and where."""
        return (
            f"{path}:{self.line}:{self.column}: {self.kernel} is left as it was, because "
            f"{self.pass_name} failed: {self.failure}. This is a defect of ours; please report it"
        )
