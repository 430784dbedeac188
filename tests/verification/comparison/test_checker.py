"""What is made of the outcomes of workers, told by workers that make them up.

So a GPU's additions in no fixed order are tried where there is none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import Pair, beyond_rounding, rounding_only
from tritonopt.verification.comparison.tally import Tally
from tritonopt.verification.inputs.examples import CONTIGUOUS, EXPANDED, Example, TensorRecipe
from tritonopt.verification.process.messages import Failure, Outcome, Output, RunOptions

EXAMPLE = Example((("x", TensorRecipe("f32", (64,))),))
Answer = Callable[[RunOptions, int], Outcome]


class Worker:
    """Answers run after run with what a function makes of the options and a counter."""

    spec = SimpleNamespace(reference=False)

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.count = itertools.count()
        self.asked: tuple[RunOptions, ...] = ()

    def send_or_die(self, example: Example, options: tuple[RunOptions, ...]) -> None:
        self.asked = options

    def receive(self, count: int) -> tuple[Outcome, ...]:
        return tuple(self.answer(options, next(self.count)) for options in self.asked)

    def run(self, example: Example, *options: RunOptions) -> tuple[Outcome, ...]:
        self.asked = options
        return self.receive(len(options))

    def run_within(
        self, seconds: float, example: Example, options: tuple[RunOptions, ...]
    ) -> tuple[Outcome, ...]:
        return self.run(example, *options)


def outcome(*values: float, atomics: bool = False, failure: Failure | None = None) -> Outcome:
    bits = np.array(values, dtype=np.float32).view(np.uint32)
    output = Output("returned", "f32", bits.shape, bits)
    return Outcome((output,), launches=("kernel",), written=1, atomics=atomics, failure=failure)


def spread(size: float, *, atomics: bool = True, about: float = 100.0) -> Answer:
    """Runs that differ by so much; the float64 copy gives the middle."""

    def answer(options: RunOptions, run: int) -> Outcome:
        off = 0.0 if options.widened else size * (run % 3 - 1)
        perturbation = 1e-5 if options.perturbation else 0.0
        return outcome(about + off + perturbation, 2 * about, atomics=atomics)

    return answer


def checked(original: Answer, rewritten: Answer, *, identical: bool = False) -> Checker:
    workers = Worker(original), Worker(rewritten)
    checker = Checker(*workers, {}, identical, interpreted=False)  # type: ignore[arg-type]
    checker.examine(EXAMPLE)
    return checker


def verdict(checker: Checker) -> str:
    found = checker.examinations[EXAMPLE]
    difference = found.difference or checker.excess(EXAMPLE)
    return checker.stopped or (difference.message if difference else "accepted")


def test_additions_in_no_fixed_order_are_accepted() -> None:
    checker = checked(spread(2e-5), spread(3e-5))
    assert verdict(checker) == "accepted"
    assert any("in no fixed order" in note for note in checker.all_notes())


def test_a_contribution_that_is_lost_is_not_rounding() -> None:
    assert "error is too large" in verdict(checked(spread(2e-5), spread(2e-5, about=99.9)))


@pytest.mark.parametrize(("size", "atomics"), [(0.5, True), (2e-5, False)])
def test_an_original_that_differs_from_itself_by_more_is_a_race(size: float, atomics: bool) -> None:
    reason = verdict(checked(spread(size, atomics=atomics), spread(0.0)))
    assert "differs from itself from run to run" in reason and "a race" in reason
    assert ("more than the rounding" in reason) == atomics


def test_a_rewritten_version_with_a_race_is_a_counterexample() -> None:
    assert "differs from itself" in verdict(checked(spread(2e-5), spread(0.5)))
    assert "differs from itself" in verdict(checked(spread(0.0), spread(2e-5, atomics=False)))


def test_identical_bits_are_not_asked_of_additions_in_no_fixed_order() -> None:
    reason = verdict(checked(spread(2e-5), spread(0.0), identical=True))
    assert "identical bits cannot be required" in reason


def test_what_a_reference_makes_of_nothing_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Example((("x", TensorRecipe("f32", (0, 64))),))
    for value in (float("nan"), 5.0):
        checker = checked(spread(0.0), spread(0.0))
        checker.versions.rewritten.answer = lambda o, n, v=value: outcome(v, v)  # type: ignore
        checker.examine(nothing)
        assert checker.difference(nothing) is not None
        monkeypatch.setattr(Worker, "spec", SimpleNamespace(reference=True))
        checker.examinations.clear()
        checker.examine(nothing)
        assert checker.difference(nothing) is None
        assert any("on empty tensors" in note for note in checker.all_notes())
        monkeypatch.undo()


def test_inputs_of_a_reference_are_moved_until_one_move_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two that lie far on one side of a threshold, say, two moves may show nothing."""

    def original(options: RunOptions, run: int) -> Outcome:
        return outcome(100.0 + 50.0 * (options.perturbation == 5), 200.0)

    assert "error is too large" in verdict(checked(original, spread(0.0, about=99.9)))
    monkeypatch.setattr(Worker, "spec", SimpleNamespace(reference=True))
    assert verdict(checked(original, spread(0.0, about=99.9))) == "accepted"
    assert "error is too large" in verdict(checked(spread(0.0), spread(0.0, about=99.9)))


FULL = Failure("OutOfMemoryError", "CUDA out of memory", refused=True)


def test_an_original_without_the_memory_shows_nothing() -> None:
    checker = checked(lambda o, n: outcome(1.0, failure=FULL), spread(0.0))
    assert verdict(checker) == "accepted" and checker.tally.accepted == 0
    assert any("did not fit the memory" in note for note in checker.all_notes())


def test_a_rewritten_version_that_alone_runs_out_of_memory_is_a_counterexample() -> None:
    checker = checked(spread(0.0), lambda o, n: outcome(1.0, failure=FULL))
    assert "only the rewritten version fails: OutOfMemoryError" in verdict(checker)
    # Once may be somebody else's fault.
    checker = checked(
        spread(0.0), lambda o, n: outcome(100.0, 200.0, failure=FULL if n < 2 else None)
    )
    assert checker.tally.accepted == 1 and not checker.examinations[EXAMPLE].difference


def test_a_kernel_that_takes_long_to_compile_accuses_nobody() -> None:
    slow = Failure("SlowCompilation", "no answer within 75 s while Triton compiles k", refused=True)
    for original, rewritten in ((slow, None), (None, slow), (slow, slow)):
        checker = checked(
            lambda o, n, failure=original: outcome(1.0, failure=failure),
            lambda o, n, failure=rewritten: outcome(1.0, failure=failure),
        )
        assert verdict(checker) == "accepted" and checker.tally.accepted == 0
        assert any("while Triton compiles k" in note for note in checker.all_notes())


def test_who_is_stopped_by_the_budget_is_not_accused() -> None:
    stuck = Worker(lambda o, n: outcome(1.0, failure=Failure("Hang", "no answer within 5 s")))
    for ends_at, accused in ((math.inf, True), (0.0, False)):
        checker = Checker(Worker(spread(0.0)), stuck, {}, False, interpreted=False)  # type: ignore[arg-type]
        checker.tally.ends_at = ends_at
        checker.examine(EXAMPLE)
        assert ("does not finish" in verdict(checker)) == accused


def test_more_memory_than_is_compared_is_no_answer() -> None:
    large = Failure("TooLarge", "more than can be compared", refused=True)
    checker = checked(spread(0.0), lambda o, n: outcome(1.0, failure=large))
    assert "more than can be compared" in checker.stopped


def test_a_yes_needs_examples_that_wrote_something() -> None:
    failure = Failure("InterpreterError", "KeyError")

    def fails(options: RunOptions, run: int) -> Outcome:
        return outcome(1.0, failure=None if run < 2 else failure)

    checker = checked(fails, spread(0.0, about=1.0))
    for n in (1, 2):
        checker.examine(Example((("x", TensorRecipe("f32", (n,))),)))
    assert checker.tally.accepted == 1 and checker.tally.failed == 2
    assert "the original itself failed on 2 examples" in checker.tally.why_unsupported()
    assert "KeyError" in checker.tally.why_unsupported()


def test_an_original_that_never_finishes_is_given_up() -> None:
    stuck = outcome(1.0, failure=Failure("Hang", "no answer within 60 s"))
    checker = checked(lambda o, n: stuck, spread(0.0))
    for n in (1, 2):
        checker.examine(Example((("x", TensorRecipe("f32", (n,))),)))
    assert "does not finish" in checker.stopped


def test_subnormal_numbers_that_an_atomic_addition_drops_are_no_race() -> None:
    one, other = outcome(4e-36, 1e-36), outcome(4.01e-36, 1e-36)
    assert rounding_only(one, other, None, None)
    assert not rounding_only(outcome(4e-30, 1e-36), outcome(4.01e-30, 1e-36), None, None)


def failing(text: str) -> Answer:
    return lambda options, run: outcome(1.0, failure=Failure("RuntimeError", text))


def example_of(size: int) -> Example:
    return Example((("x", TensorRecipe("f32", (size,))),))


def test_the_same_failure_three_times_is_the_answer() -> None:
    workers = Worker(failing("no such device function")), Worker(spread(0.0))
    checker = Checker(*workers, {}, identical=False, interpreted=False)  # type: ignore[arg-type]
    for size in (3, 5):
        checker.try_out(example_of(size))
        assert not checker.stopped
    checker.try_out(example_of(7))
    assert "fails on every example: RuntimeError: no such device function" in checker.stopped


def test_failures_that_differ_may_be_a_matter_of_sizes() -> None:
    counter = itertools.count()
    workers = Worker(lambda o, r: failing(f"size {next(counter)}")(o, r)), Worker(spread(0.0))
    checker = Checker(*workers, {}, identical=False, interpreted=False)  # type: ignore[arg-type]
    for size in (3, 5, 7, 9):
        checker.examine(example_of(size))
    assert not checker.stopped


def far_off(*values: float) -> Answer:
    """What computes these, where the truth is 1 and 2."""
    return lambda options, run: outcome(1.0, 2.0) if options.widened else outcome(*values)


def test_where_the_original_is_worth_nothing_neither_is_judged() -> None:
    checker = checked(far_off(-1.0, 1.0), far_off(1.0, 3.5))
    assert verdict(checker) == "accepted"
    assert any("the call proves nothing" in note for note in checker.all_notes())


def test_what_is_worth_nothing_excuses_no_error_elsewhere() -> None:
    of_size = {3: far_off(-1.0, 1.0), 5: far_off(1.0, 2.0)}
    size = 3

    def original(options: RunOptions, run: int) -> Outcome:
        return of_size[size](options, run)

    workers = Worker(original), Worker(far_off(1.0, 2.1))
    checker = Checker(*workers, {}, identical=False, interpreted=False)  # type: ignore[arg-type]
    checker.examine(example_of(3))
    size = 5
    checker.examine(example_of(5))
    assert checker.excess(example_of(3)) is None
    assert checker.excess(example_of(5)) is not None


def test_where_the_original_takes_hardly_any_call_no_more_are_drawn() -> None:
    """There would be no yes in the end, after hundreds of calls that fail."""
    tally = Tally(3, 140, taught=3, launched=True, last_rejection="ValueError: no")
    tally.give_up_after(450)
    assert not tally.stopped
    tally.discarded = 151
    tally.give_up_after(450)
    assert "most examples were discarded (151), and only 3 compared" in tally.stopped
    several = Tally(10, 155, taught=10, launched=True)
    several.give_up_after(450)
    assert not several.stopped
    none = Tally(discarded=400, last_rejection="ValueError: no")
    none.give_up_after(450)
    assert not none.stopped


def test_what_shares_memory_is_written_in_no_order() -> None:
    def argument(*values: float) -> Outcome:
        found = outcome(*values)
        return replace(found, outputs=(replace(found.outputs[0], label="argument y"),))

    for layout, accused in ((EXPANDED, False), (CONTIGUOUS, True)):
        checker = checked(lambda o, n: argument(1.0, 1.0), lambda o, n: argument(2.0, 1.0))
        example = Example((("y", TensorRecipe("f32", (2, 1), layout=layout)),))
        assert checker.examine(example).accepted == accused
        assert (checker.difference(example) is not None) == accused


def test_who_gives_what_the_oracle_does_is_not_asked_which_rounding_explains_it() -> None:
    """The original rounds a product to float16 before a sum cancels, the rewritten version not."""

    def gives(value: float, dtype: type = np.float16) -> Outcome:
        bits = np.array([value, 0.0], dtype).view(f"u{np.dtype(dtype).itemsize}")
        return Outcome((Output("returned", f"f{8 * np.dtype(dtype).itemsize}", (2,), bits),))

    ours, theirs = (Pair(gives(v), gives(v)) for v in (0.009277, 0.009064))
    assert beyond_rounding(ours, theirs, []) is not None
    for exact, excused in ((0.009063, True), (0.009277, False), (float("nan"), False)):
        found = beyond_rounding(ours, theirs, [], gives(exact, np.float64))
        assert (found is None) == excused, exact
