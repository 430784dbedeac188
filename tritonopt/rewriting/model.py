"""The words of the rewriter: safety, bits, conditions, sites, remarks.

Nothing in here knows how a pass finds its sites or how an edit is made; it is
the vocabulary that passes, the pipeline and every report share.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from tritonopt.checks import reasons
from tritonopt.checks.condition import Bits as Bits
from tritonopt.checks.condition import Condition as Condition
from tritonopt.checks.condition import Safety as Safety
from tritonopt.checks.condition import Status as Status

if TYPE_CHECKING:
    from tritonopt.checks.attempt import Attempt
    from tritonopt.source import Change


class Answer(str, Enum):
    """What the model of profitability answers."""

    ALWAYS = "always"
    NEVER = "never"
    AT_LAUNCH = "at the launch"
    """For some sizes of the launch, and no launch shows that it has them."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Profit:
    """Whether a rewrite is faster at a site."""

    answer: Answer = Answer.UNKNOWN
    why: str = ""
    """What is missing for a gain."""
    failed: int = 0
    """Conditions of the model that do not hold, or that no launch shows."""
    fact: str = ""
    """With it given, nothing is missing; "" where no single fact does that."""
    is_unlikely: bool = False
    """Whether nothing that is known speaks for a gain: then a group does without, too."""
    recorded: str = ""
    """The recorded launches that show what no source does, as messages name them; "" for none."""

    @property
    def is_expected(self) -> bool:
        return self.answer is Answer.ALWAYS


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
    """The message tells the author what was found in the code as it stands. Changes fix it, of
    a pass that `fixes`."""
    is_reported: bool = True
    """Of an analysis: whether it is reported where the pass is not named, because what it tells
    goes wrong on the hardware of today."""
    profit: Profit = Profit()
    """What `rewriting.profitability` answers of the site."""
    advice: str = ""
    """The message as an advice to whoever has not done it yet, without what was measured."""
    harm: str = ""
    """What comes of this mistake; without it, what the pass says of all of its mistakes holds."""
    is_note: bool = False
    """Of an analysis: whether it is a mistake only where callers pass what no launch shows. It is
    listed as a note, and not fixed unless its pass is named."""

    @classmethod
    def of(
        cls,
        attempt: Attempt,
        anchor: ast.AST,
        done: str,
        left: str,
        *,
        needs: Iterable[Safety] = (),
        bits: Bits | None = None,
        changes: Iterable[Change] = (),
        **expected: Any,
    ) -> Site:
        """The site of an attempt.

        `done` says what was rewritten, `left` what stays as it is: the detail of the condition
        that failed follows it. `needs` is what the site needs beyond what its conditions say;
        `bits` are by default those of sums in another order where the attempt rounds. `expected`
        are the fields on profit and advice.
        """
        failed = attempt.failed
        return cls(
            anchor,
            attempt.conditions,
            f"{left}: {failed.detail}" if failed else done,
            attempt.safety | frozenset(needs),
            bits or (Bits.REDUCTION_ORDER if attempt.rounds else Bits.SAME),
            attempt.facts_used,
            () if failed else tuple(changes) or attempt.changes,
            **expected,
        )

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

    @property
    def assumed(self) -> str:
        """What the changes rest on beyond what is proved."""
        assumed = (c.detail for c in self.conditions if c.status is Status.ASSUMED)
        return " and ".join(assumed)

    @property
    def is_safe_fix(self) -> bool:
        """Whether the changes fix a mistake and nothing else: where the mistake does not show,
        they change no result, and they rest on nothing that is assumed."""
        if self.is_note or not (self.analysis and self.changes):
            return False
        return _is_safe(self.safety, self.conditions)


def _is_safe(safety: frozenset[Safety], conditions: Iterable[Condition]) -> bool:
    """Whether all conditions but the mistake itself are proved, and no level is needed."""
    proved = (Status.REFUTED, Status.PROVED)
    return not safety and all(condition.status in proved for condition in conditions)


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

    @property
    def assumed(self) -> str:
        """What the changes rest on beyond what is proved."""
        assumed = (c.detail for c in self.conditions if c.status is Status.ASSUMED)
        return " and ".join(assumed)

    @property
    def is_safe_fix(self) -> bool:
        """Of what a pass that fixes mistakes has applied: `Site.is_safe_fix`."""
        return self.kind is RemarkKind.PASSED and _is_safe(self.safety, self.conditions)

    def defect_at(self, path: str) -> str:
        """One line that says what failed in us, and where."""
        return (
            f"{path}:{self.line}:{self.column}: {self.kernel} is not changed, because "
            f"{self.pass_name} failed: {self.failure}. This is a bug in tritonopt; please report it"
        )
