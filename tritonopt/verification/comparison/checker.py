"""One example on both versions, and what is known after many of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from tritonopt.verification.comparison.compare import (
    NOT_COMPILED,
    NOT_WRITTEN,
    NUMBER_FOR_NAN,
    TOLERANCE,
    Difference,
    Pair,
    bits_differ,
    elements_compared,
    exact_parts_differ,
    fault,
    forms_differ,
    not_judged,
    told,
    unstable,
    writes_differ,
)
from tritonopt.verification.comparison.residuals import Oracle, Residuals
from tritonopt.verification.comparison.tally import Examination, Tally
from tritonopt.verification.comparison.versions import Versions
from tritonopt.verification.coverage.requirements import Observed
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import (
    NARROW,
    NO_GPU,
    OUT_OF_MEMORY,
    ROUNDED,
    SLOW_COMPILATION,
    TF32,
    TOO_LARGE,
    TOO_LONG,
    Both,
    Failure,
    both_merged,
)

_GROSS = 1000.0
"""So many times too large, an error is not a matter of luck with the examples so far."""
_LITTLE = 2_500
"""Statements of kernels that both versions execute in a tenth of a second or two."""
_MANY_ELEMENTS = 2**14
_WRONG_BY = {
    "again": "differs from itself from run to run",
    "poison": "depends on uninitialized memory",
    "lanes": "depends on inactive lanes of a load without `other`",
    "order": "depends on the order of its programs",
}
"""What is said of a rewritten version whose second run differs by that change alone."""

_NOTES = {
    "out_of_bounds_loads": "the original reads outside of its memory",
    "races": "programs of the original overwrite each other's results",
    "retyped": f"{NOT_COMPILED}: {{}}",
    "false_hints": "the original gives the compiler false hints, which were not checked further",
    "unordered": "the original has a race, so races of the rewritten version do not count: {}",
}
"""What is said of an original that does something wrong itself."""
_LEFT_OUT = {
    OUT_OF_MEMORY: "an example did not fit the memory of the device",
    TOO_LARGE: "an example did not fit the memory of the device",
    TOO_LONG: "a call that takes too long in the interpreter was skipped",
}
"""What is said of calls that the backend cannot run, by the kind of the original's failure."""


class Checker:
    """Runs examples, remembers every answer, and judges errors over all of them."""

    def __init__(
        self,
        original: VersionWorker,
        rewritten: VersionWorker,
        obstacles: Mapping[str, str],
        identical: bool,
        interpreted: bool,
        *,
        plain: tuple[Example, ...] = (),
        in_float32: bool = False,
    ) -> None:
        self.versions = Versions(original, rewritten, identical, interpreted)
        self.tally = Tally()
        self.observed = Observed()
        self.oracle = Oracle(self.versions, obstacles)
        self.residuals = Residuals(self.oracle, in_float32)
        self.soundness = Soundness(self.versions, self.oracle, self.tally, plain)
        self.examinations: dict[Example, Examination] = {}

    @property
    def stopped(self) -> str:
        """Why nothing more can be learned."""
        return self.tally.stopped

    def all_notes(self) -> list[str]:
        """What has to be said of the examples beside the answer."""
        tally, zeros = self.tally, self.residuals.of_zero
        found = [f"{text} ({count}x)" if count > 1 else text for text, count in tally.notes.items()]
        if tally.numbers_for_nan:
            found.append(
                f"{NUMBER_FOR_NAN}, on inputs without NaN, in {tally.numbers_for_nan} examples: "
                "--require identical shows one"
            )
        if self.oracle.missing and tally.any_bits_differ:
            limits = ", ".join(f"{d} {t:g}" for d, t in TOLERANCE.items())
            found.append(
                f"compared with the original itself, within {limits} of the largest value of "
                f"the row: {self.oracle.missing}"
            )
        if tally.launched and tally.accepted and not tally.rewritten_launched:
            found.append("the rewritten version launched no kernel")
        if any(zeros):
            found.append(
                "in rows whose true value is 0 the rewritten version's largest value is {:.3g}, "
                "the original's {:.3g}".format(*zeros)
            )
        if self.versions.identical and not self.versions.interpreted:
            found.append("both versions were compiled without fp contraction")
        return found + self.residuals.notes

    # All examples

    def examine(self, example: Example) -> Examination:
        known = self.examinations.get(example)
        if known is None:
            known = self.examinations[example] = self._examine(example)
            self.tally.count(known)
            _observe(self.observed, example, known, self.versions.interpreted)
            for found in known.measures:
                if not self.residuals.remember(example, found):
                    text = "the original's own error was near 1, so the call proves nothing"
                    self.tally.note(text)
        return known

    def try_out(self, example: Example) -> Examination:
        """Examine a call that the original need not take: what ails it there is no verdict."""
        before, notes = self.tally.stopped, dict(self.tally.notes)
        found = self.examine(example)
        if not found.accepted and not self.tally.hopeless:
            self.tally.stopped, self.tally.notes = before, notes
        return found

    def certain(self, example: Example) -> Difference | None:
        """What no further example can excuse; a gross error is not waited for either."""
        return self.examinations[example].difference or self.excess(example, _GROSS)

    def difference(self, example: Example) -> Difference | None:
        """What an example shows, its errors judged by all examples so far."""
        return self.examinations[example].difference or self.excess(example)

    def excess(self, example: Example, times: float = 1.0) -> Difference | None:
        """An error beyond what the original shows over all examples so far.

        With `times` only an error that is so many times too large.
        """
        examination = self.examinations.get(example)
        measures = examination.measures if examination else ()
        found = (self.residuals.excess(example, measure, times) for measure in measures)
        return next((difference for difference in found if difference is not None), None)

    def taken(self, room: int) -> list[Example]:
        """The examples that the original took, up to that size, but for heavy ones."""
        taken = (
            e for e, x in self.examinations.items() if x.accepted and e.main_tensor is not None
        )
        return [e for e in taken if e.main_size <= room and not self.observed.is_heavy(e)]

    def rich(self, room: int) -> Example | None:
        """The largest call up to that size, to be made again with other values.

        On the interpreter, where programs cost more than elements: the largest that costs little,
        of several programs where there is one.
        """
        seen = self.observed.seen
        cheap = [e for e in self.taken(_MANY_ELEMENTS) if e in seen and _work(seen[e]) <= _LITTLE]
        if self.versions.interpreted and cheap:
            return max(cheap, key=lambda e: (_has_programs(seen[e]), e.main_size))
        return max(self.taken(room), key=lambda e: e.main_size, default=None)

    # One example

    def _examine(self, example: Example) -> Examination:
        ours, theirs = self.versions.run(example)
        work = ours.first.coverage.work + theirs.first.coverage.work
        found = replace(self._judged(example, ours, theirs), work=work)
        if label := _sharing_memory(example, found):
            self.tally.note(f"not compared: elements of {label} share memory")
            return Examination(False, work=work)
        if not ours.first.retyped:
            self.tally.compiles |= found.accepted
        elif found.difference is not None:
            return self.tally.not_compiled(ours.first.retyped[0])
        return found

    def _judged(self, example: Example, ours: Pair, theirs: Pair) -> Examination:
        rejected = self._failures(example, ours, theirs)
        if rejected is not None:
            return rejected
        self.tally.launched = self.tally.launched or bool(ours.first.launches)
        self.tally.rewritten_launched |= bool(theirs.first.launches)
        if ours.first.undefined and not self.soundness.is_independent(ours):
            return self.tally.not_defined(ours.first.undefined[0])
        trouble = self.soundness.trouble(example, ours)
        if trouble is not None:
            answer = self.soundness.undetermined(example, ours, trouble)
            return self._examine(example) if answer is None else answer
        unfit = self.soundness.out_of_bounds(example, ours)
        if unfit is not None:
            self.observed.outside = both_merged(
                self.observed.outside, (ours.first.coverage, theirs.first.coverage)
            )
            return unfit
        if wrong := self._fault(ours, theirs):
            return Examination(True, Difference(wrong))
        found = _unless_of_nothing(self, example, self._compare(example, ours, theirs))
        return replace(
            found,
            # What holds before may happen to be what is written; in one of the runs it is not.
            written=max(ours.first.written, ours.second.written),
            compared=elements_compared(ours, theirs),
            coverage=(ours.first.coverage, theirs.first.coverage),
        )

    def _failures(self, example: Example, ours: Pair, theirs: Pair) -> Examination | None:
        mine = ours.first.failure or ours.second.failure
        other = theirs.first.failure or theirs.second.failure
        if other and not mine and (why := self.versions.not_held_against(example, other.message)):
            self.tally.note(why)
            return Examination(False)
        if self._is_refused(mine, other):
            return Examination(False)
        if mine is not None:
            self.tally.original_failed(
                mine,
                launched=bool(ours.first.launches),
                interpreted=self.versions.interpreted,
            )
            if other is None:
                self.tally.note(f"only the original failed, which does not count: {mine.kind}")
            return Examination(False)
        if other is not None and other.kind == "Hang":
            if self.tally.is_late():
                return Examination(False)
            self.tally.ends = False
            return Examination(
                True, Difference(f"the rewritten version does not finish: {other.message}, twice")
            )
        if other is not None:
            return Examination(True, Difference(f"only the rewritten version fails: {other}"))
        return None

    def _is_refused(self, mine: Failure | None, other: Failure | None) -> bool:
        """Whether the backend itself cannot run an example; then it says nothing."""
        for failure in (mine, other):
            if failure is None or not failure.refused:
                continue
            if failure is mine and failure.kind == NO_GPU:
                return False  # as every other failure of the original's
            slow = failure.kind == SLOW_COMPILATION
            if slow or (failure is mine and failure.kind in _LEFT_OUT):
                self.tally.last_rejection = str(failure)
                self.tally.note(_LEFT_OUT.get(failure.kind, f"left out: {failure.message}"))
                return True
            if failure.kind == OUT_OF_MEMORY:
                # The original had enough, and the rewritten version not even the second time.
                return False
            self.tally.stopped = f"this backend cannot decide: {failure}"
            return True
        return False

    def _fault(self, ours: Pair, theirs: Pair) -> str:
        """What the rewritten version does wrong, whatever it computes; not what both do."""
        self.tally.unordered = next(iter(told(ours, "unordered")), self.tally.unordered)
        for name, note in _NOTES.items():
            for found in told(ours, name)[:1]:
                self.tally.note(note.format(found))
        original, rewritten = ours.first.products, theirs.first.products
        excused = "unordered" if self.tally.unordered else ""
        return fault(ours, theirs, excused) or _products(self, original, rewritten)

    def _compare(self, example: Example, ours: Pair, theirs: Pair) -> Examination:
        # What is kept from one run to the next shows in the second.
        found = forms_differ(ours.first, theirs.first) or forms_differ(ours.second, theirs.second)
        if found is None:
            found = self._differs_from_itself(example, ours, theirs)
        if found is None:
            found = writes_differ(ours, theirs)
            if found is not None and found.original == NOT_WRITTEN and not example.contiguous:
                # What is missing there may be anything: that it is missing is the original's fault.
                self.tally.note("the original leaves elements unwritten on a strided input, which "
                                "was not compared")  # fmt: skip
                self.tally.last_rejection = str(found)
                return Examination(False)
            found = found or exact_parts_differ(ours, theirs)
        if found is not None:
            return Examination(True, found)
        unjudged = not_judged(ours, theirs)
        if unjudged:
            self.tally.stopped = f"{unjudged}: the effect of rounding on these is unknown"
            return Examination(False)
        differing = bits_differ(ours, theirs)
        if differing is None:
            return Examination(True)
        self.tally.any_bits_differ = True
        if self.versions.identical:
            return Examination(True, differing)
        difference, measures = self.residuals.measured(example, ours, theirs)
        difference = difference or self.residuals.unexplained(example, ours, theirs, measures)
        self.tally.numbers_for_nan += any(m.numbers_for_nan for m in measures)
        return Examination(True, difference, tuple(measures))

    def _differs_from_itself(self, example: Example, ours: Pair, theirs: Pair) -> Difference | None:
        """Where the rewritten version does, although the original does not; and by what."""
        trouble = unstable(theirs)
        if trouble is None or (
            not self.versions.identical and self.oracle.rounding_only(example, ours.first, theirs)
        ):
            return None
        asked = self.versions.one_change_each(example)
        outcomes = self.versions.rewritten.run(example, *asked.values())
        text = "differs from itself"
        for cause, outcome in zip(asked, outcomes, strict=True):
            found = unstable(Pair(theirs.first, outcome))
            if found is not None:
                text, trouble = _WRONG_BY[cause], found
                break
        message = f"the rewritten version {text} (the original does not); two of its runs:"
        return replace(trouble, message=message)


def _observe(observed: Observed, example: Example, found: Examination, interpreted: bool) -> None:
    if not found.taught:
        observed.cost(example, found.work)
    if found.taught and interpreted:
        observed.saw(example, found.coverage)
    elif found.taught:
        observed.covers(found.coverage)
        observed.fills(example, found.coverage)
    elif found.accepted and (found.compared or all(c.idle for c in found.coverage)):
        observed.saw_guards(example, found.coverage)


def _sharing_memory(example: Example, found: Examination) -> str:
    """An output that differs, of which several elements lie at one address; else ""."""
    differing = [m.label for m in found.measures if m.error > 0]
    differing += [found.difference.label] if found.difference is not None else []
    return next((label for label in differing if example.shares_memory(label)), "")


def _unless_of_nothing(checker: Checker, example: Example, found: Examination) -> Examination:
    """The finding, but no difference from what torch makes of empty tensors: 0 or NaN, as it
    happens."""
    if not checker.versions.has_reference:
        return found
    wrong = (checker.residuals.excess(example, m, 1.0) is not None for m in found.measures)
    if found.difference is None and not any(wrong):
        return found
    why = checker.versions.not_held_against(example)
    if not why:
        return found
    checker.tally.note(why)
    return Examination(False)


def _work(both: Both) -> int:
    return sum(coverage.work for coverage in both)


def _has_programs(both: Both) -> bool:
    """Whether each version has launched several programs at once."""
    return all(any(math.prod(grid) > 1 for _, grid in coverage.grids) for coverage in both)


def _products(checker: Checker, original: Set[str], rewritten: Set[str]) -> str:
    """Where float32 is multiplied otherwise on a GPU: the interpreter never rounds to TF32."""
    coarse = {TF32, ROUNDED, NARROW}
    lost = original - coarse and not rewritten - coarse
    coarser = ROUNDED in rewritten and (lost or not original & coarse)
    differ = original - {TF32, NARROW} != rewritten - {TF32, NARROW}
    if coarser or (differ and checker.versions.identical):
        return (
            "tl.dot of the rewritten version rounds float32 to TF32 (11 bits) on a GPU, which "
            "the original does not: it has input_precision='ieee', or no tl.dot of float32"
            if coarser
            else "tl.dot of the two versions rounds float32 differently on a GPU"
        )
    if differ:
        checker.tally.any_bits_differ = True
        checker.tally.note("tl.dot of the two versions rounds float32 differently on a GPU")
    return ""


# Whether the original can be judged by: it agrees with itself, and keeps to its memory.

_MOST_CAUSES = 3
"""So often it is asked what a sound original depends on, where it differs from itself."""


@dataclass
class Soundness:
    """What the original does on its own, and what becomes of examples it is not made for."""

    versions: Versions
    oracle: Oracle
    tally: Tally
    plain: tuple[Example, ...]
    """The plainest calls: what ails the original on these is its own fault."""
    plain_are_sound: bool | None = None
    """Whether they can be judged; None as long as nobody had to ask."""

    def trouble(self, example: Example, ours: Pair) -> Difference | None:
        """Where the original differs from itself, and not by the rounding of sums in no order."""
        found = unstable(ours)
        if found is None:
            return None
        if self.versions.identical or not self.oracle.rounding_only(example, ours.first, ours):
            return found
        self.tally.note(
            "the original adds atomically, in no fixed order: its sums were compared with a "
            "tolerance for their rounding"
        )
        return None

    def is_independent(self, ours: Pair) -> bool:
        """Whether the original's result does not depend on lanes that held one thing, and another.

        What is not defined, as what a load has no `other` for, is another number in its second run.
        """
        return self.versions.lanes_poisoned and self.versions.interpreted and not unstable(ours)

    def undetermined(self, example: Example, ours: Pair, trouble: Difference) -> Examination | None:
        """What becomes of an example on which the original differs from itself.

        None: masked-off lanes were to blame. They are left alone from now on; it can run again.
        """
        poisoned = self.versions.lanes_poisoned
        if not self.plain_are_sound or self.tally.unfit < _MOST_CAUSES:
            self._look_for_the_cause(example, ours, trouble)
        if not self.tally.stopped and poisoned and not self.versions.lanes_poisoned:
            return None
        why = self.tally.stopped or f"the original differs from itself ({trouble.label})"
        if self.versions.identical and ours.first.atomics:
            # Small calls may add in few orders; that says nothing of the others.
            self.tally.stopped = why
            return Examination(False)
        return self.unfit(example, why, "the original's result is undefined")

    def out_of_bounds(self, example: Example, ours: Pair) -> Examination | None:
        """What becomes of an example on which the original writes outside of its memory."""
        for outcome in (ours.first, ours.second):
            if outcome.out_of_bounds_stores:
                note = "the original writes outside of its memory"
                return self.unfit(example, f"{note}: {outcome.out_of_bounds_stores[0]}", note)
        return None

    def unfit(self, example: Example, why: str, note: str) -> Examination:
        """An example that the original is not made for is no evidence; one like any other is."""
        tally = self.tally
        tally.stopped = ""
        tally.last_rejection = why
        tally.unfit += 1
        if tally.too_many_unfit or self._plain_calls_fail(example):
            tally.stopped, tally.hopeless = why, True
        else:
            kind = "on some sizes" if example.contiguous else "on a strided input"
            tally.note(f"{note} {kind}, which was not compared")
        return Examination(False)

    def _plain_calls_fail(self, example: Example) -> bool:
        """Whether the plainest calls show as well that the original cannot be judged."""
        if example in self.plain or not self.plain:
            return True
        if self.plain_are_sound is None:
            original, options = self.versions.original, self.versions.options
            pairs = [(e, Pair(*original.run(e, *options(e)))) for e in self.plain]
            ran = [(e, p) for e, p in pairs if not (p.first.failure or p.second.failure)]
            self.plain_are_sound = bool(ran) and all(self._is_sound(e, p) for e, p in ran)
        return not self.plain_are_sound

    def _is_sound(self, example: Example, ours: Pair) -> bool:
        if ours.first.out_of_bounds_stores or ours.second.out_of_bounds_stores:
            return False
        return unstable(ours) is None or (
            not self.versions.identical and self.oracle.rounding_only(example, ours.first, ours)
        )

    def _look_for_the_cause(self, example: Example, ours: Pair, trouble: Difference) -> None:
        """Find what the original depends on; `stopped` is set where it cannot be verified."""
        differing = self._causes(example, ours)
        tally = self.tally
        where = f"{trouble.label} at {trouble.position}: {trouble.original}, {trouble.rewritten}"
        beyond = " by more than the rounding of its atomic additions" if ours.first.atomics else ""
        if self.versions.identical and self.oracle.rounding_only(example, ours.first, ours):
            tally.stopped = (
                "the original's bits depend on the order of its atomic additions: "
                f"identical bits cannot be required ({where})"
            )
        elif "again" in differing:
            tally.stopped = (
                f"the original differs from itself from run to run{beyond}: a race, or "
                f"uninitialized memory ({where})"
            )
        elif "poison" in differing:
            tally.stopped = f"the original's result depends on uninitialized memory ({where})"
        elif "order" in differing:
            tally.stopped = (
                f"the original depends on the order of its programs{beyond}: a race ({where})"
            )
        elif "lanes" in differing:
            self.versions.lanes_poisoned = False
            tally.note(
                "the original depends on inactive lanes of a load without `other`, which "
                "are undefined; 0 was used, as on current GPUs"
            )

    def _causes(self, example: Example, ours: Pair) -> set[str]:
        """Which changes by themselves make it differ from its plain run."""
        asked = self.versions.one_change_each(example)
        outcomes = self.versions.original.run(example, *asked.values())
        differing = set()
        for name, outcome in zip(asked, outcomes, strict=True):
            pair = Pair(ours.first, outcome)
            if unstable(pair) is not None and (
                self.versions.identical or not self.oracle.rounding_only(example, ours.first, pair)
            ):
                differing.add(name)
        return differing
