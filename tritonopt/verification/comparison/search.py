"""The search for a counterexample, phase by phase."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from hypothesis import Phase

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.drawing import Drawing, FirstDifference, deadline, smaller
from tritonopt.verification.comparison.edge_case_calls import (
    EdgeCaseCalls,
    Gaps,
    large_grid_calls,
    large_offset_calls,
)
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.coverage.requirements import Requirements, Scouts
from tritonopt.verification.coverage.sized_calls import TriedSizes
from tritonopt.verification.coverage.text_sizes import Numbers
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.inputs.hypothesis_internals import key_of, past_failures
from tritonopt.verification.inputs.strategies import Calls, examples
from tritonopt.verification.process.coverage_data import Coverage
from tritonopt.verification.settling.wider_forms import with_leading
from tritonopt.verification.signature.argument_language import Signature

_DRAWN_FOR_ONE = 5
"""For so many drawn examples, one more is made on purpose."""
_LEAST_ON_PURPOSE = 12
"""But no fewer than these, however few examples are asked for: they find the most."""
_FOR_THE_UNMET = 40
"""So many are drawn, at least, as long as something that has to run has not."""
_LONG = 45.0
"""But after so many seconds no more than were asked for: what has not run is then said."""


class Search:
    """One search; what it has learned stays in the checker."""

    def __init__(
        self,
        checker: Checker,
        calls: Calls,
        requirements: Requirements,
        *,
        max_examples: int,
        seed: int,
        subject: str,
        numbers: Numbers,
        given: bool = False,
        progress: Callable[[int, str], None],
    ) -> None:
        def report(phase: str) -> None:
            progress(checker.tally.accepted, phase)

        def seen(aimed: Example) -> tuple[Coverage, Coverage] | None:
            return checker.observed.seen.get(replace(aimed, backward=calls.backward))

        self.checker = checker
        self.calls = calls
        self.requirements = requirements
        self.max_examples = max_examples
        self.first = FirstDifference()
        self.scouting = Scouting(checker, requirements, report)
        wanted = requirements.to_reach, requirements.demands
        self.aimings = [
            Aiming(aimed, calls.limits, seen, *wanted, numbers, given) for aimed in _ranked(calls)
        ]
        self.aimed = AimedCalls(
            checker, self.aimings, self.scouting, self.first, report, calls.backward
        )
        most = max(max_examples // _DRAWN_FOR_ONE, _LEAST_ON_PURPOSE)
        self.edge_cases = EdgeCaseCalls(checker, calls, most, report)
        key = key_of(subject, calls.signature, calls.backward)
        self.drawing = Drawing(
            checker, examples(calls), max_examples, seed, key, self.first, report
        )
        self.gaps = Gaps(checker, calls, report, numbers.changed)

    @property
    def every_tried(self) -> list[TriedSizes]:
        """What was tried of sizes, and under which changes."""
        return [tried for aiming in self.aimings for tried in aiming.every_tried]

    def run(self) -> Counterexample | None:
        """The smallest counterexample that was found, if any."""
        found = self._first_of(
            self._known_failures,
            self.aimed.run,
            self.edge_cases.run,
            lambda: self.drawing.run(self.checker.certain, self._to_draw()),
        )
        drawn = list(self.checker.examinations)
        if found is None:
            found = self._first_of(self.gaps.configurations)
        if found is None:
            self.scouting.the_rest()
        return found or self._first_of(
            self.gaps.values,
            lambda: self._far(large_offset_calls(self.checker, self.calls.signature)),
            lambda: self._far(
                large_grid_calls(self.checker, self.calls.signature, self.calls.limits)
            ),
            # Errors are judged over all examples, so their turn comes after the last.
            lambda: self._excess(drawn),
        )

    def long_sums(self) -> Counterexample | None:
        """What shows only where much is added up, looked for where residues differ."""
        for aimed in self.aimings[0].long_sums():
            example = replace(aimed, backward=self.calls.backward)
            self.checker.try_out(example)
            difference = self.checker.difference(example)
            if difference is not None:
                return example, difference
        return None

    def _first_of(self, *phases: Callable[[], Counterexample | None]) -> Counterexample | None:
        """What the first phase shows that shows anything; none runs once nothing can be learned."""
        for phase in phases:
            found = None if self.checker.stopped or self.checker.tally.is_late() else phase()
            if found is not None:
                return found
        return None

    def _far(self, found: Counterexample | None) -> Counterexample | None:
        """Of a kernel for a reference without one it is only said how far it goes."""
        if found is None or not self.checker.versions.has_reference:
            return found
        self.checker.tally.note(f"not counted: {str(found[1]).splitlines()[0]}")
        return None

    def _known_failures(self) -> Counterexample | None:
        """Examples that once showed a difference."""
        if past_failures() is None:
            return None
        judge = self.checker.certain
        return self.drawing.run(judge, self._to_draw(), Phase.reuse, Phase.shrink)

    def _excess(self, drawn: Iterable[Example]) -> Counterexample | None:
        """An error that is too large, judged by all examples."""
        checker = self.checker
        for example in (*self.aimed.made, *self.edge_cases.made):
            difference = checker.excess(example)
            if difference is not None:
                return example, difference
        suspect = next((e for e in drawn if checker.excess(e)), None)
        if suspect is None:
            return None
        # The same seed draws the same examples, which are known by now, and makes one small.
        found = self.drawing.run(checker.difference, self._to_draw())
        if found is None and (difference := checker.excess(suspect)) is not None:
            found = suspect, difference
        return found

    def _to_draw(self) -> int:
        """What is left of the examples that were asked for; enough where something has not run."""
        made = len(self.aimed.made) + len(self.edge_cases.made)
        left = max(self.max_examples - made, (self.max_examples + 1) // 2)
        more = self.requirements.to_reach() and self.checker.versions.waited < _LONG
        return max(left, _FOR_THE_UNMET) if more else left


def _ranked(calls: Calls) -> list[Signature]:
    """The signature with a dimension whose size can be chosen for any number of leading ones.

    One is enough, mostly; none, or two, count where the launcher asks how many there are.
    """
    names: tuple[list[str], ...] = (["leading"], [], ["leading", "second"])
    return list(dict.fromkeys(with_leading(calls.signature, some) for some in names))


# Calls that are made to run what differs.


@dataclass
class AimedCalls:
    """They come first, for they show the most."""

    checker: Checker
    aimings: Sequence[Aiming]
    """The later ones are for what the first leave over."""
    scouting: Scouting
    first: FirstDifference
    report: Callable[[str], None]
    backward: bool
    made: list[Example] = field(default_factory=list)

    def run(self) -> Counterexample | None:
        for aiming in self.aimings:
            later = aiming is not self.aimings[0]
            if self.checker.tally.is_late() or (later and not aiming.unmet()):
                break
            for aimed in aiming.examples(briefly=later):
                if self.checker.tally.is_late():
                    break
                difference = self._at(aiming, aimed, "examples")
                self.made.append(self._whole(aimed))
                if difference is not None:
                    return self._smaller(aiming, aimed, difference)
        return None

    def _smaller(self, aiming: Aiming, aimed: Example, difference: Difference) -> Counterexample:
        self.first.seen(self.checker.versions.waited)
        least, difference = smaller(
            aiming.sized_calls,
            aimed,
            difference,
            lambda e: self._at(aiming, e, "shrinking"),
            until=deadline(ends=self.checker.tally.ends),
        )
        return self._whole(least), difference

    def _whole(self, aimed: Example) -> Example:
        return replace(aimed, backward=self.backward)

    def _at(self, aiming: Aiming, aimed: Example, phase: str) -> Difference | None:
        """What a call shows that was aimed; what it ran is then known."""
        example = self._whole(aimed)
        before = self.checker.tally.hangs
        self.checker.try_out(example)
        if self.checker.tally.hangs > before:
            aiming.sized_calls.hung(aimed)
        found = self.checker.examinations[example]
        aiming.sized_calls.took(aimed, found.work, in_vain=not found.accepted)
        self.scouting.aimed(example)
        self.report(phase)
        return self.checker.certain(example)


# Learning what examples ran, where compiled kernels do not tell: the scouts are asked.

_SCOUTED_ELEMENTS = 2**16
_SCOUTING_AIMED = 60.0
_SCOUTING = 120.0
"""Seconds of the interpreter that a verification on a GPU may take: for calls that are aimed,
and for all."""


@dataclass(frozen=True)
class Scouting:
    """Which examples the scouts are asked of, and for how long."""

    checker: Checker
    requirements: Requirements
    report: Callable[[str], None]

    def aimed(self, example: Example) -> None:
        """An example that was aimed at what has to run."""
        self._ask(example, _SCOUTING_AIMED)

    def the_rest(self) -> None:
        """Ask of other examples too what they ran, until all is seen that has to run.

        Those that were drawn show what no aim is taken at, a flag that is zero or a single row:
        the smallest first, and the largest that the interpreter runs in no time.
        """
        if self.requirements.scouts is None:
            return
        known = sorted(self.checker.taken(_SCOUTED_ELEMENTS), key=lambda e: e.main_size)
        turns = chain.from_iterable(zip(known, reversed(known), strict=True))
        for example in dict.fromkeys(turns):
            if not self.requirements.unmet():
                break
            self._ask(example, _SCOUTING)
            self.report("examples")

    def _ask(self, example: Example, seconds: float) -> None:
        """Learn what an example ran; at most so much in all."""
        scouts: Scouts | None = self.requirements.scouts
        observed = self.checker.observed
        if scouts is None or scouts.seconds > seconds or example in observed.seen:
            return
        found = self.checker.examinations[example]
        if found.accepted and found.written:
            coverage = scouts.run(example)
            if coverage is not None:
                (ours, own), (theirs, other) = zip(coverage, found.coverage, strict=True)
                observed.saw(example, (ours.as_launched(own), theirs.as_launched(other)))
