"""One example on both versions, and what is known after many of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .examples import Example
from .judging import (
    FACTOR,
    TOLERANCE,
    UNITS,
    Difference,
    Measure,
    Pair,
    bits_differ,
    exact_parts_differ,
    forms_differ,
    measure,
    unstable,
    writes_differ,
)
from .outcomes import Failure, Outcome, RunOptions
from .workers import VersionWorker

_NEARLY = 2.0**-18
"""A difference between two orders of the same float32 sum, scaled; more is not rounding."""


@dataclass(frozen=True)
class Examination:
    """What one example showed. Both fields empty: the versions agree on it."""

    accepted: bool
    difference: Difference | None = None
    measures: tuple[Measure, ...] = ()


@dataclass
class Checker:
    """Runs examples, remembers every answer, and judges errors over all of them."""

    original: VersionWorker
    rewritten: VersionWorker
    obstacles: Mapping[str, str]
    identical: bool
    interpreted: bool

    accepted: int = 0
    discarded: int = 0
    stopped: str = ""
    """Why nothing more can be learned; set once."""
    any_bits_differ: bool = False
    examinations: dict[Example, Examination] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    last_rejection: str = ""
    launched: bool = False
    wrote: bool = False
    no_oracle: str = ""
    lanes_poisoned: bool = True
    own_residuals: dict[tuple[str, str, frozenset[str]], float] = field(default_factory=dict)
    worst_error: float | None = None
    oracle_error: float | None = None

    def note(self, text: str) -> None:
        self.notes[text] = self.notes.get(text, 0) + 1

    def all_notes(self) -> list[str]:
        found = [f"{text} ({count}x)" if count > 1 else text for text, count in self.notes.items()]
        if self.no_oracle and self.any_bits_differ:
            limits = ", ".join(f"{d} {t:g}" for d, t in TOLERANCE.items())
            found.append(
                f"compared with the original itself, within {limits} of the largest value of "
                f"the row: {self.no_oracle}"
            )
        if self.identical and not self.interpreted:
            found.append("both versions were compiled without fp contraction")
        return found

    def why_unsupported(self) -> str:
        """Why no answer was reached although no difference was found, or nothing."""
        if self.stopped:
            return self.stopped
        if self.accepted == 0:
            return f"the original rejected every example; the last: {self.last_rejection}"
        if not self.launched:
            return "the launcher never launched a kernel"
        if not self.wrote:
            return (
                "no kernel changed any memory on any example: "
                "nothing was compared that a kernel computed"
            )
        return ""

    # One example

    def examine(self, example: Example) -> Examination:
        known = self.examinations.get(example)
        if known is None:
            known = self.examinations[example] = self._examine(example)
            if known.accepted:
                self.accepted += 1
            else:
                self.discarded += 1
            for found in known.measures:
                self._remember(example, found)
        return known

    def _options(self, *, second: bool = False, reverse: bool = True) -> RunOptions:
        """The plain run; or the one in which everything that must not matter is different."""
        fusion = not self.identical
        if not second:
            return RunOptions(fusion=fusion)
        return RunOptions(
            poison=1,
            lanes=self.interpreted and self.lanes_poisoned,
            reverse=self.interpreted and reverse,
            fusion=fusion,
        )

    def _examine(self, example: Example, *, reverse: bool = True) -> Examination:
        both = (self._options(), self._options(second=True, reverse=reverse))
        # Both work at the same time: each has its own process.
        self.original.send_or_die(example, both)
        self.rewritten.send_or_die(example, both)
        ours = Pair(*self.original.receive(2))
        theirs = Pair(*self.rewritten.receive(2))
        if ours.first.failure is None and _hangs(theirs):
            # A busy machine is no difference: alone, and with more time, it may well answer.
            theirs = Pair(*self.rewritten.run_patiently(example, both))
        rejected = self._failures(ours, theirs)
        if rejected is not None:
            return rejected
        self.launched = self.launched or bool(ours.first.launches)
        self.wrote = self.wrote or ours.first.wrote
        trouble = unstable(ours)
        if trouble is not None:
            settled = not reverse and not self.lanes_poisoned
            causes = self._causes(example, ours, trouble)
            if settled and not self.stopped:
                self.stopped = f"the original differs from itself ({trouble.label})"
            if self.stopped:
                return Examination(False)
            # What must not matter does: ask again without it. The order of programs
            # is asked about anew on every example, because only there it may be rounding.
            return self._examine(example, reverse=reverse and "order" not in causes)
        for outcome in (ours.first, ours.second):
            if outcome.damage:
                damage = f"the original writes outside of its memory: {outcome.damage[0]}"
                if example.contiguous:
                    self.stopped = damage
                else:
                    # Kernels that take rows for granted are many; they are not made for this.
                    self.note("the original writes outside of its memory on a strided input")
                    self.last_rejection = damage
                return Examination(False)
        for outcome in (theirs.first, theirs.second):
            if outcome.damage:
                text = f"the rewritten version writes outside of its memory: {outcome.damage[0]}"
                return Examination(True, Difference(text))
        if ours.first.strays:
            self.note("the original reads outside of its memory")
        elif theirs.first.strays:
            text = f"the rewritten version reads outside of its memory: {theirs.first.strays[0]}"
            return Examination(True, Difference(text))
        return self._compare(example, ours, theirs)

    def _failures(self, ours: Pair, theirs: Pair) -> Examination | None:
        mine = ours.first.failure or ours.second.failure
        other = theirs.first.failure or theirs.second.failure
        for failure in (mine, other):
            if failure is not None and failure.refused:
                if failure.kind == "OutOfMemoryError":
                    self.note("an example did not fit the memory of the device")
                    return Examination(False)
                self.stopped = f"this backend cannot tell: {failure}"
                return Examination(False)
        if mine is not None:
            self.last_rejection = str(mine)
            if other is None:
                self.note(f"only the original failed, which was not counted: {mine.kind}")
            return Examination(False)
        if other is not None:
            text = f"only the rewritten version fails: {other}"
            return Examination(True, Difference(text))
        return None

    def _causes(self, example: Example, ours: Pair, trouble: Difference) -> set[str]:
        """What the original depends on; `stopped` is set where it cannot be verified at all."""
        fusion = not self.identical
        asked = {
            "poison": RunOptions(poison=1, fusion=fusion),
            "again": RunOptions(fusion=fusion),
            "lanes": RunOptions(lanes=True, fusion=fusion),
            "order": RunOptions(reverse=True, fusion=fusion),
        }
        found = dict(zip(asked, self.original.run(example, *asked.values()), strict=True))
        differing = {name for name, outcome in found.items() if unstable(Pair(ours.first, outcome))}
        where = f"{trouble.label} at {trouble.position}: {trouble.original}, {trouble.rewritten}"
        if "again" in differing:
            self.stopped = f"the original differs from itself from run to run ({where})"
        elif "poison" in differing:
            self.stopped = f"the original's result depends on memory that nothing wrote ({where})"
        elif "order" in differing and not _nearly(ours.first, found["order"]):
            self.stopped = f"the original depends on the order of its programs ({where})"
        elif "order" in differing and self.identical:
            self.stopped = f"the original's bits depend on the order of its programs ({where})"
        elif not differing & {"order", "lanes"}:
            self.stopped = f"the original differs from itself ({where})"
        if self.stopped:
            return differing
        if "order" in differing:
            self.note("the order of programs changes the original's rounding (atomics)")
        if "lanes" in differing:
            self.lanes_poisoned = False
            self.note(
                "the original depends on masked-off lanes of a load without `other`, which the "
                "language leaves undefined; they were taken as 0, as today's GPUs give them"
            )
        return differing

    def _compare(self, example: Example, ours: Pair, theirs: Pair) -> Examination:
        found = forms_differ(ours.first, theirs.first)
        if found is None:
            trouble = unstable(theirs)
            if trouble is not None and not self._same_but_for_order(example, theirs):
                found = self._explain_rewritten(example, theirs, trouble)
        if found is None:
            found = writes_differ(ours, theirs) or exact_parts_differ(ours, theirs)
        if found is not None:
            return Examination(True, found)
        differing = bits_differ(ours, theirs)
        if differing is None:
            return Examination(True)
        self.any_bits_differ = True
        if self.identical:
            return Examination(True, differing)
        oracle, nudged = self._oracle(example, ours.first)
        difference, measures = measure(ours, theirs.first, oracle, nudged)
        return Examination(True, difference, tuple(measures))

    def _same_but_for_order(self, example: Example, theirs: Pair) -> bool:
        """Whether a rewritten version with atomics differs by rounding only."""
        if self.identical:
            return False
        plain, order = self.rewritten.run(
            example,
            RunOptions(poison=1, lanes=self.lanes_poisoned and self.interpreted),
            RunOptions(reverse=self.interpreted),
        )
        return unstable(Pair(theirs.first, plain)) is None and _nearly(theirs.first, order)

    def _explain_rewritten(self, example: Example, theirs: Pair, trouble: Difference) -> Difference:
        fusion = not self.identical
        asked = {
            "differs from itself from run to run": RunOptions(fusion=fusion),
            "depends on memory that nothing wrote": RunOptions(poison=1, fusion=fusion),
            "depends on masked-off lanes of a load without `other`": RunOptions(
                lanes=True, fusion=fusion
            ),
            "depends on the order of its programs": RunOptions(reverse=True, fusion=fusion),
        }
        outcomes = self.rewritten.run(example, *asked.values())
        text = "differs from itself"
        for cause, outcome in zip(asked, outcomes, strict=True):
            found = unstable(Pair(theirs.first, outcome))
            if found is not None:
                text, trouble = cause, found
                break
        return Difference(
            f"the rewritten version {text} (the original does not); two of its runs:",
            trouble.label,
            trouble.position,
            trouble.original,
            trouble.rewritten,
        )

    # Errors

    def _oracle(self, example: Example, plain: Outcome) -> tuple[Outcome | None, Outcome | None]:
        """The widened run and the same with its inputs nudged, or None where there is none."""
        for name in dict.fromkeys(plain.launches):
            if not self.no_oracle and name in self.obstacles:
                self.no_oracle = self.obstacles[name]
        if not self.no_oracle:
            exact, nudged = self.original.run(
                example, RunOptions(widened=True), RunOptions(widened=True, nudge=True)
            )
            if exact.failure is None and nudged.failure is None:
                return exact, nudged
            failure: Failure | None = exact.failure or nudged.failure
            self.no_oracle = f"the float64 copy of the kernel failed ({failure})"
        (nudged,) = self.original.run(example, RunOptions(nudge=True))
        return None, nudged if nudged.failure is None else None

    def _group(self, example: Example, found: Measure) -> tuple[str, str, frozenset[str]]:
        return found.label, found.dtype, example.difficulty

    def _remember(self, example: Example, found: Measure) -> None:
        group = self._group(example, found)
        before = self.own_residuals.get(group, 0.0)
        self.own_residuals[group] = max(before, found.original_residual)
        self.worst_error = max(self.worst_error or 0.0, found.error)
        if not self.no_oracle:
            self.oracle_error = max(self.oracle_error or 0.0, found.original_error)

    def excess(self, example: Example, times: float = 1.0) -> Difference | None:
        """An error beyond what the original shows over all examples so far.

        With `times` only an error that is so many times too large.
        """
        examination = self.examinations.get(example)
        for found in examination.measures if examination else ():
            if self.no_oracle:
                limit = TOLERANCE[found.dtype]
            else:
                own = self.own_residuals.get(self._group(example, found), 0.0)
                limit = FACTOR * own + UNITS[found.dtype]
            if found.residual > times * limit:
                against = "original itself" if self.no_oracle else "float64 oracle"
                text = (
                    f"{found.difference.message}: {found.error:.3g} of the largest value of the "
                    f"row against the {against}"
                )
                if not self.no_oracle:
                    text += f", where the original's is {found.original_error:.3g}"
                return Difference(
                    text,
                    found.difference.label,
                    found.difference.position,
                    found.difference.original,
                    found.difference.rewritten,
                )
        return None


def _hangs(pair: Pair) -> bool:
    return pair.first.failure is not None and pair.first.failure.kind == "Hang"


def _nearly(one: Outcome, other: Outcome) -> bool:
    """Whether two runs of one version differ by rounding only."""
    difference, measures = measure(Pair(one, one), other, None, None)
    return (
        difference is None
        and one.plain == other.plain
        and exact_parts_differ(Pair(one, one), Pair(other, other)) is None
        and all(m.error <= max(_NEARLY, UNITS[m.dtype]) for m in measures)
    )
