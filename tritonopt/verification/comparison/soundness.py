"""Whether the original can be judged by: it agrees with itself, and keeps to its memory."""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.verification.comparison.compare import Difference, Pair, unstable
from tritonopt.verification.comparison.residuals import Oracle
from tritonopt.verification.comparison.tally import Examination, Tally
from tritonopt.verification.comparison.versions import Versions
from tritonopt.verification.inputs.examples import Example

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
            "the original adds atomically, in no fixed order: it was compared within the rounding "
            "of its sums"
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
        return self.unfit(example, why, "the original's result is not determined")

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
                "the original's bits depend on the order of its atomic additions: identical bits "
                f"cannot be required of it ({where})"
            )
        elif "again" in differing:
            tally.stopped = (
                f"the original differs from itself from run to run{beyond}: a race, or memory "
                f"that nothing wrote ({where})"
            )
        elif "poison" in differing:
            tally.stopped = f"the original's result depends on memory that nothing wrote ({where})"
        elif "order" in differing:
            tally.stopped = (
                f"the original depends on the order of its programs{beyond}: a race ({where})"
            )
        elif "lanes" in differing:
            self.versions.lanes_poisoned = False
            tally.note(
                "the original depends on masked-off lanes of a load without `other`, which the "
                "language leaves undefined; they were taken as 0, as today's GPUs give them"
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
