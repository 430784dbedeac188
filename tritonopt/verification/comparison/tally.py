"""What one example showed, and what is known after many: counts, notes, and why it ended."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from tritonopt.verification.comparison.compare import NOT_COMPILED, Difference, Measure
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.messages import Coverage, Failure

Counterexample = tuple[Example, Difference]
"""A call on which the versions differ, and how."""

_MOST_REFUSED = 4
"""For every example that taught something, so many may be refused by the launcher itself."""
_HARDLY_ANY = 4 * _MOST_REFUSED
"""With so many refused for every accepted one, no yes can be expected: nothing more is drawn."""
_MOST_UNFIT = 12
"""So many examples the original may not be made for, before most of the others have to be."""
_PATIENCE = 3
"""So many examples may hang in the original before it is given up."""
SPENT = "the time budget was spent before all calls were made"
_MARGIN, _STEP = 1.5, 5
"""By how much an estimate is larger than what calls took so far; a multiple of that many
seconds."""
CLOCK = time.monotonic
"""Of every budget, in seconds: a test has one of its own."""


def now() -> float:
    return CLOCK()


@dataclass(frozen=True)
class Examination:
    """What one example showed. Both fields empty: the versions agree on it."""

    accepted: bool
    difference: Difference | None = None
    measures: tuple[Measure, ...] = ()
    written: int = 0
    """How many elements the original's kernels changed."""
    compared: int = 0
    """How many elements were compared."""
    coverage: tuple[Coverage, Coverage] = (Coverage(), Coverage())
    """What the original ran, and what the rewritten version did."""
    work: int = 0
    """Statements of kernels that both executed, even where it came to nothing."""

    @property
    def taught(self) -> bool:
        """Whether kernels wrote something on it that was compared."""
        return self.accepted and self.written > 0 and self.compared > 0


@dataclass
class Tally:
    """Counts over all examples, and what has to be said of them."""

    accepted: int = 0
    discarded: int = 0
    taught: int = 0
    """Accepted examples on which kernels wrote something that was compared."""
    written: int = 0
    """Elements that the original's kernels wrote in these."""
    compared: int = 0
    """Elements that were compared in these."""
    launched: bool = False
    rewritten_launched: bool = False
    failed: int = 0
    """Examples on which the original failed once it had launched a kernel."""
    last_failure: str = ""
    last_rejection: str = ""
    unfit: int = 0
    """Examples that the original is not made for."""
    compiles: bool = False
    """Whether the original was compared on a call for which it compiles, for all that is known."""
    unordered: str = ""
    """A load of the original's that nothing orders after the store whose value it takes."""
    uncompiled: str = ""
    """Why it does not, of a call on which the versions differ."""
    undefined: str = ""
    """Why the original's result is not defined, of the last call of which that is so."""
    hangs: int = 0
    same_failures: list[str] = field(default_factory=list)
    """What the original failed with, once it had launched a kernel."""
    any_bits_differ: bool = False
    numbers_for_nan: int = 0
    """Examples on which the rewritten version gives a number for a NaN of the original's own."""
    ends: bool = True
    """Whether the rewritten version has always ended; to see again that it does not takes long."""
    hopeless: bool = False
    """Whether no call will ever show more."""
    stopped: str = ""
    """Why nothing more can be learned; set once."""
    notes: dict[str, int] = field(default_factory=dict)
    ends_at: float = math.inf
    """When no more calls are made, by the clock."""
    draws_until: float = math.inf
    """When no more are drawn at random."""
    first_call: float = math.nan
    is_over: bool = False
    """Whether the time that was given is."""
    made_elsewhere: bool = False
    """Whether another verification makes what is made on purpose."""
    unmade: dict[str, int] = field(default_factory=dict)
    """How many calls were not made for want of time that are made on purpose, by their kind."""

    def is_late(self) -> bool:
        """Whether the time that was given is over; that is said."""
        if self.is_over or now() > self.ends_at:
            self.is_over = True
            self.notes[SPENT] = 1
        return self.is_over

    def skips(self, kind: str) -> bool:
        """Whether it is too late for a call of that kind, which is counted then."""
        if self.is_late() and not self.made_elsewhere:
            self.unmade[kind] = self.unmade.get(kind, 0) + 1
        return self.is_over

    def draws_no_more(self) -> bool:
        """Whether no call is drawn at random any more; that is said."""
        if now() > self.draws_until:
            self.notes[SPENT] = 1
        return self.is_late() or now() > self.draws_until

    @property
    def why_unfinished(self) -> str:
        """Which calls a yes needs that were not made for want of time; and how much they take."""
        if not self.unmade:
            return ""
        made, took = self.accepted + self.discarded, now() - self.first_call
        left = sum(self.unmade.values()) * took / made if made else 0.0
        more = _STEP * math.ceil(_MARGIN * (now() - self.ends_at + left) / _STEP)
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.unmade.items())
        return (
            "the time budget was spent, and a positive verdict needs calls that were not made "
            f"({kinds}): give it {'about' if made else 'at least'} {more} s more"
        )

    def note(self, text: str) -> None:
        self.notes[text] = self.notes.get(text, 0) + 1

    def count(self, found: Examination) -> None:
        """One more example."""
        self.accepted += found.accepted
        self.discarded += not found.accepted
        if found.taught:
            self.taught += 1
            self.written += found.written
            self.compared += found.compared

    def not_compiled(self, why: str) -> Examination:
        """The versions differ on a call for which the original does not compile: no evidence."""
        self.uncompiled = self.last_rejection = f"{NOT_COMPILED}: {why}"
        return Examination(False)

    def not_defined(self, why: str) -> Examination:
        """What the original gives there is up to the compiler: no evidence."""
        self.undefined = self.last_rejection = f"the original's result is not defined: {why}"
        self.note(f"skipped, because inactive lanes are undefined: {why}")
        return Examination(False)

    def original_failed(self, failure: Failure, *, launched: bool, interpreted: bool) -> None:
        """The original failed on an example; where it always does, that is an answer."""
        self.last_rejection = str(failure)
        if launched:
            self.failed += 1
            self.last_failure = str(failure)
        if not interpreted and (launched or failure.kind in ("Crash", "Hang")):
            self._failed_like_before(failure)
        self.hangs += failure.kind == "Hang"
        if self.hangs >= _PATIENCE and not self.accepted:
            self.stopped = f"the original does not finish: {failure}"

    def _failed_like_before(self, failure: Failure) -> None:
        """The same failure again and again, and nothing else, is an answer: on a GPU each costs
        seconds. What a launcher refuses before it launches anything may be a matter of sizes."""
        self.same_failures.append(str(failure))
        last = self.same_failures[-_PATIENCE:]
        if not self.accepted and len(last) == _PATIENCE and len(set(last)) == 1:
            self.hopeless = True
            self.stopped = f"the original fails on every example: {failure}"

    def give_up_after(self, most: int) -> None:
        """Stop where more than so many examples were discarded, and none was accepted; or a third
        of these, and hardly any."""
        if self.stopped:
            return
        if self.discarded > most and not self.accepted:
            self.stopped = (
                f"none of {self.discarded} examples could be compared; "
                f"the last: {self.last_rejection}"
            )
        elif self.accepted and self.discarded > max(most // 3, _HARDLY_ANY * self.accepted):
            self.stopped = self.why_unsupported()

    @property
    def too_many_unfit(self) -> bool:
        """Whether the original is made for few of the examples."""
        return self.unfit >= _MOST_UNFIT and self.unfit > _MOST_REFUSED * self.taught

    def why_unsupported(self) -> str:
        """Why no answer was reached although no difference was found, or nothing."""
        if self.stopped:
            return self.stopped
        if self.uncompiled and not self.compiles:
            return self.uncompiled
        if self.accepted == 0 and self.unmade:
            return self.why_unfinished
        if self.accepted == 0:
            return f"no example could be compared; the last: {self.last_rejection}"
        if self.failed > self.taught:
            return (
                f"the original itself failed on {self.failed} examples, and only "
                f"{self.taught} compared values that a kernel wrote; the last failure: "
                f"{self.last_failure}"
            )
        if self.undefined and not self.taught:
            return self.undefined
        if not self.launched:
            return "the launcher never launched a kernel"
        if not self.taught:
            return (
                "no kernel changed any memory on any example: "
                "no value that a kernel computed was compared"
            )
        if self.discarded > _MOST_REFUSED * self.taught:
            return (
                f"most examples were discarded ({self.discarded}), and only {self.taught} "
                f"compared values that a kernel wrote; the last: {self.last_rejection}"
            )
        return self.why_unfinished
