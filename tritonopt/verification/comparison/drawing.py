"""Hypothesis draws the examples, and makes a counterexample small."""

from __future__ import annotations

import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import HypothesisException

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.tally import Counterexample, now
from tritonopt.verification.coverage.sized_calls import SizedCalls
from tritonopt.verification.inputs.examples import (
    ORDINARY,
    ROW_GAP,
    SPACED,
    TRANSPOSED,
    Example,
)
from tritonopt.verification.inputs.hypothesis_internals import (
    no_local_constants,
    no_traces,
    past_failures,
)
from tritonopt.verification.inputs.strategies import Calls

# Making a counterexample small, and how much time that may take.

SHRINK_SECONDS = 20.0
MOST_SMALLER = 20
"""So many smaller calls are tried of one that shows a difference."""


@dataclass
class FirstDifference:
    """When the first difference was found."""

    at: float | None = None
    """By the budget's clock."""
    waited: float = 0.0
    """For how long the workers had been waited for until then."""

    def seen(self, waited: float) -> None:
        if self.at is None:
            self.at, self.waited = now(), waited


def deadline(*, ends: bool) -> float:
    """Until when smaller examples are tried from now on; a hang takes as long every time."""
    return time.monotonic() + (SHRINK_SECONDS if ends else 0.0)


def smaller(
    calls: SizedCalls,
    aimed: Example,
    difference: Difference,
    shown: Callable[[Example], Difference | None],
    *,
    until: float,
) -> Counterexample:
    """The difference at the smallest sizes, one after the other, for which it is shown.

    What could not be tried until a time, by the monotonic clock, is left as it is.
    """
    tries = MOST_SMALLER
    for name in calls.sizes_of(aimed):
        least, size = 1, calls.sizes_of(aimed)[name]
        while least < size and tries and time.monotonic() < until:
            middle, tries = (least + size) // 2, tries - 1
            example = calls.with_size(aimed, name, middle)
            found = shown(example)
            if found is None:
                least = middle + 1
            else:
                aimed, difference, size = example, found, middle
    return aimed, difference


_MOST_DISCARDED = 4
"""For every example that was asked for, so many may be rejected."""

Judge = Callable[[Example], Difference | None]


class _Found(Exception):
    def __init__(self, example: Example, difference: Difference) -> None:
        super().__init__(str(difference))
        self.example = example
        self.difference = difference


@dataclass(frozen=True)
class Drawing:
    """The same seed draws the same examples, pass after pass."""

    checker: Checker
    strategy: hypothesis.strategies.SearchStrategy[Example]
    max_examples: int
    seed: int
    key: bytes
    """Under which past failures of this subject are kept."""
    first: FirstDifference
    report: Callable[[str], None]

    def run(self, judge: Judge, count: int, *phases: Phase) -> Counterexample | None:
        """One pass over so many examples; with the phases of hypothesis, or all of them."""
        current = _Pass(self, judge)

        # The settings stand above the seed, which would switch the database off.
        @settings(
            max_examples=count,
            database=past_failures(),
            deadline=None,
            derandomize=False,
            phases=phases or (Phase.reuse, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            print_blob=False,
        )
        @hypothesis.seed(self.seed)
        @given(self.strategy)
        def property_(example: Example) -> None:
            current.step(example)

        # Else all verifications would share what they found: to hypothesis it is one function.
        vars(property_)["_hypothesis_internal_database_key"] = self.key
        try:
            with no_traces(), no_local_constants():
                property_()
        except _Found as found:
            return found.example, found.difference
        except unittest.SkipTest:
            # Hypothesis has nothing to begin with: no failure is known.
            return None
        except HypothesisException:
            # Nothing could be drawn that the original accepts, or the search
            # could not repeat itself: the first failure, if any, is the answer.
            return next(iter(current.remembered.items()), None)
        return None


@dataclass
class _Pass:
    """What one pass has found so far."""

    drawing: Drawing
    judge: Judge
    remembered: dict[Example, Difference] = field(default_factory=dict)
    deadline: float | None = None
    """Until when smaller examples are tried, once there is a difference."""

    def step(self, example: Example) -> None:
        difference = self.remembered.get(example)
        if difference is None:
            difference = self._judged(example)
        if difference is not None:
            # One place for all: hypothesis tells failures apart by where they are raised.
            raise _Found(example, difference)

    def _judged(self, example: Example) -> Difference | None:
        checker = self.drawing.checker
        if (
            checker.stopped
            or checker.tally.draws_no_more()
            or (self.deadline is not None and time.monotonic() > self.deadline)
        ):
            return None
        if example not in checker.examinations and checker.observed.is_heavy(example):
            hypothesis.reject()
        examination = checker.examine(example)
        self.drawing.report("shrinking" if self.remembered else "examples")
        if not examination.accepted:
            checker.tally.give_up_after(_MOST_DISCARDED * self.drawing.max_examples + 50)
            hypothesis.reject()
        difference = self.judge(example)
        if difference is not None:
            self.remembered[example] = difference
            self.drawing.first.seen(checker.versions.waited)
            if self.deadline is None:
                self.deadline = deadline(ends=checker.tally.ends)
        return difference


# Inputs that no benchmark passes, and callers do.

_FEW_ELEMENTS = 600


def in_layouts(checker: Checker, calls: Calls) -> Iterator[str]:
    """What is wrong with inputs that are not contiguous, where a verdict is about those that are.

    A branch for them has run then; what is wrong is no evidence against that verdict.
    """
    largest = checker.rich(_FEW_ELEMENTS)
    for name, recipe in {} if largest is None else largest.tensors.items():
        assert largest is not None
        for layout in (TRANSPOSED, ROW_GAP) if len(recipe.shape) > 1 else (SPACED,):
            if not recipe.shape or checker.tally.is_late():
                continue
            plain = largest.plain(ORDINARY, calls.widest_types(largest))
            example = _laid_out(plain, name, layout)
            before = replace(checker.residuals), checker.tally.any_bits_differ
            checker.try_out(example)
            difference = checker.difference(example)
            if difference is not None:
                yield f"{name} {layout}: {difference.message}"
                del checker.examinations[example]
                checker.residuals, checker.tally.any_bits_differ = before


def _laid_out(example: Example, name: str, layout: str) -> Example:
    return example.with_tensors(lambda n, r: replace(r, layout=layout) if n == name else r)
