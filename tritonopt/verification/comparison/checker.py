"""One example on both versions, and what is known after many of them."""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tritonopt.verification.comparison.compare import (
    FACTOR,
    NOT_WRITTEN,
    NUMBER_FOR_NAN,
    TOLERANCE,
    UNITS,
    Difference,
    Measure,
    Pair,
    bits_differ,
    elements_compared,
    exact_parts_differ,
    forms_differ,
    furthest,
    measure,
    rounding_only,
    unstable,
    writes_differ,
)
from tritonopt.verification.inputs.examples import MANY_NANS, NAN, NONFINITE, Example
from tritonopt.verification.inputs.tensor_data import AWAY
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.coverage_data import Coverage
from tritonopt.verification.process.messages import (
    OUT_OF_MEMORY,
    REVERSED,
    TOO_LARGE,
    Failure,
    Outcome,
    RunOptions,
)

_LEAST_SECONDS = 20.0
_TIMES_AS_LONG = 10
"""The rewritten version has that many times the original's time on the interpreter, but no less
than these seconds; where it does not answer, twice the original's once more, and no less."""
_MOST_UNFIT = 12
"""So many examples the original may not be made for, before most of the others have to be."""
_MOST_CAUSES = 3
"""So often it is asked what a sound original depends on, where it differs from itself."""
_MOST_REFUSED = 4
"""For every example that taught something, so many may be refused by the launcher itself."""
_WORTHLESS = 0.5
"""With such an error of its own, as a share of the row, the original's result means nothing."""
_PATIENCE = 3
"""So many examples may hang in the original before it is given up."""


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


@dataclass
class Checker:
    """Runs examples, remembers every answer, and judges errors over all of them."""

    original: VersionWorker
    rewritten: VersionWorker
    obstacles: Mapping[str, str]
    identical: bool
    interpreted: bool
    plain: tuple[Example, ...] = ()
    """The plainest calls: what ails the original on these is its own fault."""
    sound: bool | None = None
    """Whether they can be judged; None as long as nobody had to ask."""
    in_float32: bool = False
    """Whether the original's text names float32: it may compute in that, whatever it is given."""

    accepted: int = 0
    discarded: int = 0
    hangs: int = 0
    same_failures: list[str] = field(default_factory=list)
    """What the original failed with, once it had launched a kernel."""
    hopeless: bool = False
    """Whether no call will ever show more."""
    unfit: int = 0
    """Examples that the original is not made for."""
    ends: bool = True
    """Whether the rewritten version has always ended; to see again that it does not takes long."""
    stopped: str = ""
    """Why nothing more can be learned; set once."""
    any_bits_differ: bool = False
    examinations: dict[Example, Examination] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    numbers_for_nan: int = 0
    """Examples on which the rewritten version gives a number for a NaN of the original's own."""
    last_rejection: str = ""
    launched: bool = False
    failed: int = 0
    """Examples on which the original failed once it had launched a kernel."""
    last_failure: str = ""
    taught: int = 0
    """Accepted examples on which kernels wrote something that was compared."""
    written: int = 0
    """Elements that the original's kernels wrote in these."""
    compared: int = 0
    """Elements that were compared in these."""
    no_oracle: str = ""
    last_oracle: tuple[Example, Outcome | None, Outcome | None] | None = None
    """The most recent answer of the oracle: it is asked several times about one example."""
    lanes_poisoned: bool = True
    own_residuals: dict[tuple[str, str, frozenset[str]], float] = field(default_factory=dict)
    worst_error: float | None = None
    oracle_error: float | None = None
    errors_of_zero: tuple[float, float] = (0.0, 0.0)
    """The rewritten version's and the original's, in rows whose true value is 0."""

    seen: dict[Example, tuple[Coverage, Coverage]] = field(default_factory=dict)
    """What both versions ran, of the examples that taught something."""
    covered: tuple[Coverage, Coverage] = (Coverage(), Coverage())
    """All of that together."""

    waited: float = 0.0
    """Seconds in which the workers had something to do, and this process nothing."""

    def note(self, text: str) -> None:
        self.notes[text] = self.notes.get(text, 0) + 1

    def all_notes(self) -> list[str]:
        found = [f"{text} ({count}x)" if count > 1 else text for text, count in self.notes.items()]
        if self.numbers_for_nan:
            found.append(
                f"{NUMBER_FOR_NAN}, on inputs without NaN, in {self.numbers_for_nan} examples: "
                "--require identical shows one"
            )
        if self.no_oracle and self.any_bits_differ:
            limits = ", ".join(f"{d} {t:g}" for d, t in TOLERANCE.items())
            found.append(
                f"compared with the original itself, within {limits} of the largest value of "
                f"the row: {self.no_oracle}"
            )
        if any(self.errors_of_zero):
            found.append(
                "in rows whose true value is 0 the rewritten version's largest value is {:.3g}, "
                "the original's {:.3g}".format(*self.errors_of_zero)
            )
        if self.identical and not self.interpreted:
            found.append("both versions were compiled without fp contraction")
        return found

    def why_unsupported(self) -> str:
        """Why no answer was reached although no difference was found, or nothing."""
        if self.stopped:
            return self.stopped
        if self.accepted == 0:
            return f"no example could be compared; the last: {self.last_rejection}"
        if self.failed > self.taught:
            return (
                f"the original itself failed on {self.failed} examples, and only on {self.taught} "
                f"something was compared that a kernel wrote; the last failure: {self.last_failure}"
            )
        if not self.launched:
            return "the launcher never launched a kernel"
        if not self.taught:
            return (
                "no kernel changed any memory on any example: "
                "nothing was compared that a kernel computed"
            )
        if self.discarded > _MOST_REFUSED * self.taught:
            return (
                f"most examples were discarded ({self.discarded}), and only on {self.taught} "
                f"something was compared that a kernel wrote; the last: {self.last_rejection}"
            )
        return ""

    # One example

    def examine(self, example: Example) -> Examination:
        known = self.examinations.get(example)
        if known is None:
            known = self.examinations[example] = self._examine(example)
            if known.accepted:
                self.accepted += 1
                if known.written and known.compared:
                    self.taught += 1
                    self.written += known.written
                    self.compared += known.compared
                    if self.interpreted:
                        self.saw(example, known.coverage)
                    else:
                        self.covers(known.coverage)
                elif known.compared and self.interpreted:
                    self._saw_guards(known.coverage)
            else:
                self.discarded += 1
            for found in known.measures:
                self._remember(example, found)
        return known

    def saw(self, example: Example, coverage: tuple[Coverage, Coverage]) -> None:
        """Both versions ran that, on an example that taught something."""
        self.seen[example] = coverage
        self.covers(coverage)

    def covers(self, coverage: tuple[Coverage, Coverage]) -> None:
        """Some of what both versions ran: compiled kernels do not tell all of it."""
        ours, theirs = coverage
        self.covered = self.covered[0].merged(ours), self.covered[1].merged(theirs)

    def _saw_guards(self, coverage: tuple[Coverage, Coverage]) -> None:
        """A guard ended every program of a call: that nothing is written has been compared."""
        ours, theirs = coverage
        if not (ours.stored or theirs.stored):
            self.covers(coverage)

    def try_out(self, example: Example) -> Examination:
        """Examine a call that the original need not take: what ails it there is no verdict."""
        before, notes = self.stopped, dict(self.notes)
        found = self.examine(example)
        if not found.accepted and not self.hopeless:
            self.stopped, self.notes = before, notes
        return found

    def options(self, example: Example) -> tuple[RunOptions, RunOptions]:
        """The plain run; and the one in which everything that must not matter is different."""
        fusion = not self.identical
        if not self.interpreted:
            return RunOptions(fusion=fusion), RunOptions(poison=1, fusion=fusion)
        lanes = self.lanes_poisoned
        different = RunOptions(poison=1, lanes=lanes, order=_order(example), fusion=fusion)
        return RunOptions(fusion=fusion), different

    def _examine(self, example: Example) -> Examination:
        ours, theirs = self._both(example)
        rejected = self._failures(ours, theirs)
        if rejected is not None:
            return rejected
        self.launched = self.launched or bool(ours.first.launches)
        otherwise = self._undetermined(example, ours)
        if otherwise is not None:
            return otherwise
        for outcome in (ours.first, ours.second):
            if outcome.damage:
                why = f"the original writes outside of its memory: {outcome.damage[0]}"
                return self._unfit(example, why, "the original writes outside of its memory")
        fault = self._fault(ours.first, theirs)
        if fault:
            return Examination(True, Difference(fault))
        found = self._compare(example, ours, theirs)
        return replace(
            found,
            written=ours.first.written,
            compared=elements_compared(ours, theirs),
            coverage=(ours.first.coverage, theirs.first.coverage),
        )

    def _both(self, example: Example) -> tuple[Pair, Pair]:
        """Two runs of either version."""
        both = self.options(example)
        # Both work at the same time: each has its own process.
        begin = time.monotonic()
        self.original.send_or_die(example, both)
        self.rewritten.send_or_die(example, both)
        ours = Pair(*self.original.receive(2))
        theirs = Pair(*self._received(time.monotonic() - begin, ours))
        if ours.first.failure is ours.second.failure is None and _lacks_memory(theirs):
            theirs = Pair(*self.rewritten.run(example, *both))
        self.waited += time.monotonic() - begin
        if ours.first.failure is None and _hangs(theirs):
            # A busy machine is no difference: alone, it may well answer.
            seconds = max(_LEAST_SECONDS, 2 * (ours.first.seconds + ours.second.seconds))
            theirs = Pair(*self.rewritten.run_within(seconds, example, both))
        return ours, theirs

    def _undetermined(self, example: Example, ours: Pair) -> Examination | None:
        """What becomes of it where the original differs from itself; None where that is nothing."""
        trouble = unstable(ours)
        if trouble is None or self._tolerable(example, ours):
            return None
        poisoned = self.lanes_poisoned
        if not self.sound or self.unfit < _MOST_CAUSES:
            self._look_for_the_cause(example, ours, trouble)
        if not self.stopped and poisoned and not self.lanes_poisoned:
            return self._examine(example)  # with the masked lanes as they are
        why = self.stopped or f"the original differs from itself ({trouble.label})"
        if self.identical and ours.first.atomics:
            # Small calls may add in few orders; that says nothing of the others.
            self.stopped = why
            return Examination(False)
        return self._unfit(example, why, "the original's result is not determined")

    def _fault(self, original: Outcome, theirs: Pair) -> str:
        """What the rewritten version does wrong, whatever it computes; not what both do."""
        for outcome in (theirs.first, theirs.second):
            if outcome.damage:
                return f"the rewritten version writes outside of its memory: {outcome.damage[0]}"
        rewritten = theirs.first
        if original.strays:
            self.note("the original reads outside of its memory")
        elif rewritten.strays:
            return f"the rewritten version reads outside of its memory: {rewritten.strays[0]}"
        if original.clashes:
            self.note("programs of the original overwrite each other's results")
        elif rewritten.clashes:
            return f"the rewritten version has a race: {rewritten.clashes[0]}"
        if original.retyped:
            self.note(
                "the original does not compile, as far as the interpreter can tell: "
                + original.retyped[0]
            )
        elif rewritten.retyped:
            return f"the rewritten version does not compile: {rewritten.retyped[0]}"
        if original.false_hints:
            self.note("the original gives the compiler false hints, which were not checked further")
        elif rewritten.false_hints:
            text = "the rewritten version gives the compiler a false hint: "
            return text + rewritten.false_hints[0]
        return ""

    def _received(self, seconds: float, ours: Pair) -> tuple[Outcome, ...]:
        """What the rewritten version answers; with an original that was fast, it is soon."""
        if not self.interpreted or ours.first.failure is not None:
            return self.rewritten.receive(2)
        return self.rewritten.receive(2, max(_LEAST_SECONDS, _TIMES_AS_LONG * seconds))

    def _failures(self, ours: Pair, theirs: Pair) -> Examination | None:
        mine = ours.first.failure or ours.second.failure
        other = theirs.first.failure or theirs.second.failure
        for failure in (mine, other):
            if failure is not None and failure.refused:
                if failure is mine and failure.kind in (OUT_OF_MEMORY, TOO_LARGE):
                    self.last_rejection = str(failure)
                    self.note("an example did not fit the memory of the device")
                    return Examination(False)
                if failure.kind == OUT_OF_MEMORY:
                    # The original had enough, and the rewritten version not even the second time.
                    break
                self.stopped = f"this backend cannot tell: {failure}"
                return Examination(False)
        if mine is not None:
            self.last_rejection = str(mine)
            if ours.first.launches:
                self.failed += 1
                self.last_failure = str(mine)
            self._count(mine, launched=bool(ours.first.launches))
            self.hangs += mine.kind == "Hang"
            if self.hangs >= _PATIENCE and not self.accepted:
                self.stopped = f"the original does not finish: {mine}"
            if other is None:
                self.note(f"only the original failed, which was not counted: {mine.kind}")
            return Examination(False)
        if other is not None and other.kind == "Hang":
            self.ends = False
            return Examination(
                True, Difference(f"the rewritten version does not end: {other.message}, twice")
            )
        if other is not None:
            text = f"only the rewritten version fails: {other}"
            return Examination(True, Difference(text))
        return None

    def _count(self, failure: Failure, *, launched: bool) -> None:
        """The same failure again and again, and nothing else, is an answer: on a GPU each costs
        seconds. What a launcher refuses before it launches anything may be a matter of sizes."""
        if self.interpreted or not (launched or failure.kind in ("Crash", "Hang")):
            return
        self.same_failures.append(str(failure))
        last = self.same_failures[-_PATIENCE:]
        if not self.accepted and len(last) == _PATIENCE and len(set(last)) == 1:
            self.hopeless = True
            self.stopped = f"the original fails on every example: {failure}"

    def _unfit(self, example: Example, why: str, note: str) -> Examination:
        """An example that the original is not made for is no evidence; one like any other is."""
        self.stopped = ""
        self.last_rejection = why
        self.unfit += 1
        many = self.unfit >= _MOST_UNFIT and self.unfit > _MOST_REFUSED * self.taught
        if many or self._plain_calls_fail(example):
            self.stopped, self.hopeless = why, True
        else:
            kind = "on some sizes" if example.contiguous else "on a strided input"
            self.note(f"{note} {kind}, which was not compared")
        return Examination(False)

    def _plain_calls_fail(self, example: Example) -> bool:
        """Whether the plainest calls show as well that the original cannot be judged."""
        if example in self.plain or not self.plain:
            return True
        if self.sound is None:
            pairs = [(e, Pair(*self.original.run(e, *self.options(e)))) for e in self.plain]
            ran = [(e, p) for e, p in pairs if not (p.first.failure or p.second.failure)]
            self.sound = bool(ran) and all(self._is_sound(e, p) for e, p in ran)
        return not self.sound

    def _is_sound(self, example: Example, ours: Pair) -> bool:
        if ours.first.damage or ours.second.damage:
            return False
        return unstable(ours) is None or (
            not self.identical and self._rounding_only(example, ours.first, ours)
        )

    def _tolerable(self, example: Example, ours: Pair) -> bool:
        """Whether the original differs from itself by rounding, because it adds in no order."""
        if self.identical or not self._rounding_only(example, ours.first, ours):
            return False
        self.note(
            "the original adds atomically, in no fixed order: it was compared within the rounding "
            "of its sums"
        )
        return True

    def _rounding_only(self, example: Example, plain: Outcome, pair: Pair) -> bool:
        """Whether a version's two runs differ as sums in no fixed order do, and not more.

        `plain` is the original's plain run.
        """
        if not (pair.first.atomics and pair.second.atomics):
            return False
        exact, nudged = self._oracle(example, plain)
        if exact is None and self.interpreted:
            # In the one order of the plain run, the original is a function like any other.
            exact = plain
        if rounding_only(pair.first, pair.second, exact, nudged):
            return True
        unsigned = self._unsigned(example)
        return rounding_only(pair.first, pair.second, exact, nudged, unsigned)

    def _unsigned(self, example: Example) -> Outcome | None:
        """How large the original's sums are where no terms cancel; None if it cannot be told."""
        (found,) = self.original.run(example, RunOptions(widened=not self.no_oracle, unsigned=True))
        return found if found.failure is None else None

    def _look_for_the_cause(self, example: Example, ours: Pair, trouble: Difference) -> None:
        """Find what the original depends on; `stopped` is set where it cannot be verified."""
        fusion = not self.identical
        asked = {
            "again": RunOptions(fusion=fusion),
            "poison": RunOptions(poison=1, fusion=fusion),
        }
        if self.interpreted:
            asked["lanes"] = RunOptions(lanes=True, fusion=fusion)
            asked["order"] = RunOptions(order=_order(example), fusion=fusion)
        outcomes = self.original.run(example, *asked.values())
        differing = set()
        for name, outcome in zip(asked, outcomes, strict=True):
            pair = Pair(ours.first, outcome)
            if unstable(pair) is not None and (
                self.identical or not self._rounding_only(example, ours.first, pair)
            ):
                differing.add(name)
        where = f"{trouble.label} at {trouble.position}: {trouble.original}, {trouble.rewritten}"
        beyond = " by more than the rounding of its atomic additions" if ours.first.atomics else ""
        if self.identical and self._rounding_only(example, ours.first, ours):
            self.stopped = (
                "the original's bits depend on the order of its atomic additions: identical bits "
                f"cannot be asked of it ({where})"
            )
        elif "again" in differing:
            self.stopped = (
                f"the original differs from itself from run to run{beyond}: a race, or memory "
                f"that nothing wrote ({where})"
            )
        elif "poison" in differing:
            self.stopped = f"the original's result depends on memory that nothing wrote ({where})"
        elif "order" in differing:
            self.stopped = (
                f"the original depends on the order of its programs{beyond}: a race ({where})"
            )
        elif "lanes" in differing:
            self.lanes_poisoned = False
            self.note(
                "the original depends on masked-off lanes of a load without `other`, which the "
                "language leaves undefined; they were taken as 0, as today's GPUs give them"
            )

    def _compare(self, example: Example, ours: Pair, theirs: Pair) -> Examination:
        found = forms_differ(ours.first, theirs.first)
        if found is None:
            trouble = unstable(theirs)
            if trouble is not None and (
                self.identical or not self._rounding_only(example, ours.first, theirs)
            ):
                found = self._explain_rewritten(example, theirs, trouble)
        if found is None:
            found = writes_differ(ours, theirs)
            if found is not None and found.original == NOT_WRITTEN and not example.contiguous:
                # What is missing there may be anything: that it is missing is the original's fault.
                self.note("the original leaves elements unwritten on a strided input, which was "
                          "not compared")  # fmt: skip
                self.last_rejection = str(found)
                return Examination(False)
            found = found or exact_parts_differ(ours, theirs)
        if found is not None:
            return Examination(True, found)
        differing = bits_differ(ours, theirs)
        if differing is None:
            return Examination(True)
        self.any_bits_differ = True
        if self.identical:
            return Examination(True, differing)
        difference, measures = self._measured(example, ours, theirs)
        if any(m.numbers_for_nan for m in measures):
            self.numbers_for_nan += 1
        return Examination(True, difference, tuple(measures))

    def _explain_rewritten(self, example: Example, theirs: Pair, trouble: Difference) -> Difference:
        fusion = not self.identical
        asked = {
            "differs from itself from run to run": RunOptions(fusion=fusion),
            "depends on memory that nothing wrote": RunOptions(poison=1, fusion=fusion),
        }
        if self.interpreted:
            asked["depends on masked-off lanes of a load without `other`"] = RunOptions(
                lanes=True, fusion=fusion
            )
            asked["depends on the order of its programs"] = RunOptions(
                order=_order(example), fusion=fusion
            )
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
        if self.last_oracle is None or self.last_oracle[0] != example:
            self.last_oracle = example, *self._run_oracle(example, plain)
        return self.last_oracle[1:]

    def _run_oracle(
        self, example: Example, plain: Outcome
    ) -> tuple[Outcome | None, Outcome | None]:
        for name in dict.fromkeys(plain.launches):
            if not self.no_oracle and name in self.obstacles:
                self.no_oracle = self.obstacles[name]
        if not self.no_oracle:
            begin = time.monotonic()
            exact, nudged = self.original.run(
                example, RunOptions(widened=True), RunOptions(widened=True, nudge=1)
            )
            self.waited += time.monotonic() - begin
            failure = exact.failure or nudged.failure
            if failure is None:
                return exact, nudged
            self.no_oracle = f"the float64 copy of the kernel failed ({failure})"
        (nudged,) = self.original.run(example, RunOptions(nudge=1))
        return None, nudged if nudged.failure is None else None

    def _measured(
        self, example: Example, ours: Pair, theirs: Pair
    ) -> tuple[Difference | None, list[Measure]]:
        """The errors; before one counts as too large, the inputs are nudged once more.

        A row may keep its place when its inputs are moved, by chance, but hardly so twice. Where
        terms cancel, moving all of them away from 0 shows their size in the result. And sums in
        no fixed order may err by as much as their terms allow, however these cancel.
        """
        exact, nudged = self._oracle(example, ours.first)
        given = _holds_nan(example)
        found = measure(ours, theirs, exact, nudged, nan_given=given)
        if nudged is None or not any(self._beyond(m, m.original_residual) for m in found[1]):
            return found
        widened = exact is not None
        again, away = self.original.run(
            example,
            RunOptions(widened=widened, nudge=2),
            RunOptions(widened=widened, nudge=AWAY),
        )
        if again.failure is not None or away.failure is not None:
            return found
        atomics = ours.first.atomics or theirs.first.atomics
        unsigned = self._unsigned(example) if atomics else None
        truth = exact or ours.first
        moved = furthest(truth, furthest(truth, nudged, again), away)
        return measure(ours, theirs, exact, moved, unsigned, nan_given=given)

    def _beyond(self, found: Measure, own: float, times: float = 1.0) -> bool:
        """Whether an error is too large where the original's is `own`."""
        limit = FACTOR * own + self._least(found, own)
        return found.residual > times * (limit + found.allowance)

    def _least(self, found: Measure, own: float) -> float:
        """What an error may be in any case; of float64 that is kept, but computed in float32,
        as much as of float32."""
        if self.no_oracle:
            single = found.dtype == "f64" and self.in_float32
            return TOLERANCE["f32" if single else found.dtype]
        single = found.dtype == "f64" and max(own, found.original_residual) > UNITS["f64"]
        return UNITS["f32" if single else found.dtype]

    def _group(self, example: Example, found: Measure) -> tuple[str, str, frozenset[str]]:
        return found.label, found.dtype, example.difficulty

    def _remember(self, example: Example, found: Measure) -> None:
        if found.original_error > _WORTHLESS:
            self.note("the original's own error was near 1: evidence for neither version")
            return
        group = self._group(example, found)
        before = self.own_residuals.get(group, 0.0)
        self.own_residuals[group] = max(before, found.original_residual)
        self.worst_error = max(self.worst_error or 0.0, found.error)
        if not self.no_oracle:
            self.oracle_error = max(self.oracle_error or 0.0, found.original_error)
        before, own = self.errors_of_zero
        self.errors_of_zero = (
            max(before, found.error_of_zero),
            max(own, found.original_error_of_zero),
        )

    def excess(self, example: Example, times: float = 1.0) -> Difference | None:
        """An error beyond what the original shows over all examples so far.

        With `times` only an error that is so many times too large.
        """
        examination = self.examinations.get(example)
        for found in examination.measures if examination else ():
            if found.original_error > _WORTHLESS:
                continue
            own = self.own_residuals.get(self._group(example, found), 0.0)
            if self._beyond(found, own, times):
                against = "the original itself" if self.no_oracle else "the float64 oracle"
                text = f"{found.difference.message} (against {against})"
                return replace(found.difference, message=text)
        return None


def _holds_nan(example: Example) -> bool:
    kinds = {r.values for r in example.tensors.values() if r.is_float}
    return not kinds.isdisjoint((NAN, MANY_NANS, NONFINITE))


def _lacks_memory(pair: Pair) -> bool:
    failures = (pair.first.failure, pair.second.failure)
    return any(f is not None and f.kind == OUT_OF_MEMORY for f in failures)


def _hangs(pair: Pair) -> bool:
    return pair.first.failure is not None and pair.first.failure.kind == "Hang"


def _order(example: Example) -> int:
    """The order of programs in an example's second run: reversed, or shuffled in its own way.

    A function of the example alone, so that whoever runs it again meets the same order.
    """
    seed = zlib.crc32(str(example).encode())
    return REVERSED if seed % 2 else seed
