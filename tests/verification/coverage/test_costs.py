"""What turns out to take long is not made again and again: told by statements, not by the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.coverage.demands import VARIES, Demand
from tritonopt.verification.coverage.sized_calls import SizedCalls, same
from tritonopt.verification.inputs.examples import Example, Limits
from tritonopt.verification.process.messages import Coverage, Loop
from tritonopt.verification.signature.argument_parser import parse

LIMITS = Limits(2**20, 16, frozenset({"f64", "f32", "f16", "i64", "i32"}))
UNMET = Demand("original", 7, "line", "what no call comes to")
SPAN, SOME = (9, 0, 9, 5), frozenset({"1"})
Work = Callable[[int, int], int]


def made_of(
    text: str, work: Work, *, long: int = 2**30, unmet: Demand = UNMET
) -> list[tuple[int, int]]:
    """The sizes of all calls of a kernel with tiles of 16, which take so many statements.

    From `long` on along its second axis it has a loop that nothing else comes to.
    """
    made: list[tuple[int, int]] = []
    loop = Demand("original", 9, "line", "a loop of long rows")

    def seen(example: Example) -> tuple[Coverage, Coverage] | None:
        m, n = example.tensors["x"].shape
        grid = -(-m // 16), -(-n // 16), 1
        lines = frozenset({1, 9} if n >= long else {1})
        coverage = Coverage(lines, grids=(("k", grid),), constants=frozenset({16}))
        if n >= long:
            coverage = replace(coverage, loops={9: Loop(2, True, None)}, values={SPAN: SOME})
        return replace(coverage, work=work(m, n)), Coverage(lines)

    aiming = Aiming(parse(text), LIMITS, seen, lambda: [unmet], [unmet, loop])
    made.extend(e.tensors["x"].shape for e in aiming.examples())  # type: ignore[misc]
    return made


def test_sizes_that_multiply_are_large_together_once() -> None:
    def work(m: int, n: int) -> int:
        return 20_000 if m > 16 and n > 16 else 60 * (-(-m // 16) * -(-n // 16))

    calls = made_of("x: f32|f16[m, n]", work)
    assert sum(m > 16 and n > 16 for m, n in calls) <= 2
    assert sum(n > 16 for m, n in calls) > 10


def test_where_they_cost_little_they_are_large_together_often() -> None:
    calls = made_of("x: f32|f16[m, n]", lambda m, n: m * n // 16)
    assert sum(m > 16 and n > 16 for m, n in calls) > 10


def test_values_for_a_long_call_are_tried_on_few_rows() -> None:
    calls = made_of("x: f32[m, n]", lambda m, n: m * n // 16, long=2**12)
    rows = [m for m, n in calls if n >= 2**12]
    assert rows and rows[0] == 5 and rows.count(2) > 2 * rows.count(5)


def test_values_for_a_long_call_are_tried_on_shorter_ones_that_run_as_much() -> None:
    def work(m: int, n: int) -> int:
        return m * n // 16 + (15_000 if n >= 2**11 else 0)

    lengths = [n for _, n in made_of("x: f32[m, n]", work, long=2**11) if n > 2**11]
    assert lengths.count(2**11 + 1) > 2 * lengths.count(2**12 + 1)


def test_sizes_are_changed_where_one_value_was_computed() -> None:
    """What is computed of rows where they are long is computed for more than a few rows."""
    one = Demand("original", 9, VARIES, "m // 8", span=SPAN, parts=((9, 0, 9, 1),))
    calls = made_of("x: f32[m, n]", lambda m, n: m * n // 16, long=2**12, unmet=one)
    assert max(m for m, n in calls if n >= 2**12) > 8


def test_all_sizes_at_once_are_of_no_use_again_where_they_were_of_none() -> None:
    turns = Demand("original", 5, "turns", "a loop of one turn", within=range(1, 9))
    calls = made_of("x: f32[m, n], k: 1|2|3", lambda m, n: m * n // 16, unmet=turns)
    assert calls.count((19, 19)) == 1


def test_a_call_that_took_long_for_nothing_is_not_made_a_little_smaller() -> None:
    calls = SizedCalls(parse("x: f32[m, n]"), LIMITS)
    calls.took(calls.make({"m": 5, "n": 2049}), 200_000, in_vain=True)
    calls.took(calls.make({"m": 37, "n": 5}), 10_000, in_vain=True)
    assert calls.may_be_in_vain({"m": 5, "n": 2048}, same)
    assert not calls.may_be_in_vain({"m": 5, "n": 1025}, same)
    assert not calls.may_be_in_vain({"m": 3, "n": 2049}, same)
    assert not calls.may_be_in_vain({"m": 37, "n": 5}, same), "it took no time"


def test_a_flag_may_lead_elsewhere_but_not_twice() -> None:
    calls = SizedCalls(parse("x: f32[m, n]"), LIMITS)

    def first(example: Example) -> Example:
        return replace(example, no_grad=True)

    def second(example: Example) -> Example:
        return replace(example, second_call=True)

    sizes = {"m": 5, "n": 2049}
    calls.took(calls.make(sizes), 200_000, in_vain=True)
    assert not calls.may_be_in_vain(sizes, first)
    calls.took(calls.make(sizes, first), 200_000, in_vain=True)
    assert calls.may_be_in_vain(sizes, second)
