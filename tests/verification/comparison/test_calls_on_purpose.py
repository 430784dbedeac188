"""However few calls are asked for, those that are made on purpose come first."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.layers import few
from tritonopt.verification import Progress, Verdict
from tritonopt.verification.comparison.compare import Pair
from tritonopt.verification.comparison.drawing import smaller
from tritonopt.verification.comparison.tally import SPENT, Tally
from tritonopt.verification.comparison.versions import Drawable, Versions
from tritonopt.verification.coverage.text_differences import limits_on
from tritonopt.verification.inputs.examples import Example, TensorRecipe, untried
from tritonopt.verification.process.messages import (
    TOO_LONG,
    Attempt,
    Failure,
    Outcome,
    RunOptions,
)
from tritonopt.verification.signature.argument_parser import parse

_TWICE = """
import torch
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x, y, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + tl.program_id(0) * n + cols, mask=cols < n)
        tl.store(y + tl.program_id(0) * n + cols, v * 2, mask=cols < n)


def twice(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    twice_kernel[(m,)](x.contiguous(), y, n, BLOCK=64)
    return y
"""


@pytest.mark.parametrize("asked", few([1, 10], 0))
def test_a_few_calls_are_enough_for_all_that_has_to_run(
    asked: int, of_texts: Callable[..., Verdict]
) -> None:
    steps: list[Progress] = []
    verdict = of_texts(
        _TWICE, _TWICE.replace("v * 2", "v + v"), max_examples=asked, progress=steps.append
    )
    assert verdict.verdict == "identical", verdict.reason
    assert verdict.examples > asked
    assert {step.of for step in steps} == {asked}
    (note,) = (n for n in verdict.notes if n.startswith(f"{asked} random calls were requested"))
    assert "were not tried" in note


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v * 2", "tl.where(start > 0, v * 3, v * 2)"),  # in the second tile only
        ("mask=cols < n)\n\n", "mask=(cols < n) & (n != 65))\n\n"),  # one element more than a tile
        ("range(0, n, BLOCK)", "range(0, n - n % BLOCK, BLOCK)"),  # without the last tile
    ],
)
def test_what_a_single_draw_would_miss_is_found(
    old: str, new: str, of_texts: Callable[..., Verdict]
) -> None:
    assert old in _TWICE
    verdict = of_texts(_TWICE, _TWICE.replace(old, new), max_examples=1)
    assert verdict.verdict == "counterexample", verdict


@pytest.fixture
def a_second_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of which every call takes one second, and nothing else any."""
    seconds, run = [0.0], Versions.run

    def ran(versions: Versions, example: Example) -> tuple[Pair, Pair]:
        seconds[0] += 1.0
        return run(versions, example)

    monkeypatch.setattr(Versions, "run", ran)
    monkeypatch.setattr("tritonopt.verification.comparison.tally.CLOCK", lambda: seconds[0])


_ONE_TILE = """
import torch
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + cols, mask=cols < n)
    tl.store(y + tl.program_id(0) * n + cols, v * 2, mask=cols < n)


def twice(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    twice_kernel[(m,)](x.contiguous(), y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
_TAKES_NO_ROWS_APART = _ONE_TILE.replace("x.contiguous()", "x")
"""Calls that are aimed at lines, tests and loops do not show it."""


@pytest.mark.usefixtures("a_second_each")
def test_no_yes_comes_of_a_budget_that_ends_before_all_calls_on_purpose(
    of_texts: Callable[..., Verdict],
) -> None:
    texts, given = (_ONE_TILE, _TAKES_NO_ROWS_APART), {"args": "x: f32[m, n]", "algebra": False}
    verdict = of_texts(*texts, **given, budget=5.0)
    assert verdict.verdict == "unsupported" and SPENT in verdict.notes, verdict
    reason = verdict.reason or ""
    assert (
        "the time budget was spent, and a positive verdict needs calls that were not made"
    ) in reason
    found = re.search(r"(\d+) for what differs, (\d+) edge cases, .* about (\d+) s more", reason)
    assert found is not None, reason
    assert of_texts(*texts, **given, budget=5.0 + float(found[3])).counterexample


@pytest.mark.usefixtures("a_second_each")
def test_calls_drawn_at_random_alone_may_be_missing(of_texts: Callable[..., Verdict]) -> None:
    right = _ONE_TILE.replace("v * 2", "v + v")
    given = {"args": "x: f32[m, n]", "algebra": False, "max_examples": 30}
    verdict = of_texts(_ONE_TILE, right, **given, budget=40.0)
    assert verdict.verdict == "identical", verdict.reason
    assert SPENT in verdict.notes and verdict.examples < 40


def test_a_budget_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [10.0]
    monkeypatch.setattr("tritonopt.verification.comparison.tally.CLOCK", lambda: clock[0])
    tally = Tally(accepted=20, launched=True, taught=20, ends_at=30.0, first_call=10.0)
    assert not tally.skips("edge cases") and not tally.why_unsupported()
    clock[0] = 31.0
    tally.draws_until = 20.0
    assert tally.draws_no_more() and not tally.why_unsupported() and SPENT in tally.notes
    assert all(tally.skips(kind) for kind in ("edge cases", "edge cases", "with rows far apart"))
    assert tally.why_unsupported() == (
        "the time budget was spent, and a positive verdict needs calls that were not made "
        "(2 edge cases, 1 with rows far apart): give it about 10 s more"
    )
    elsewhere = replace(tally, unmade={}, made_elsewhere=True)
    assert elsewhere.skips("edge cases") and not elsewhere.why_unsupported()


def test_what_no_call_had_is_named() -> None:
    signature = parse("x: f32|f16[m, n], w: f32[n]")
    limits = limits_on("interpreter", ())
    recipe = TensorRecipe("f32", (3, 5))
    seen = Example((("x", recipe), ("w", TensorRecipe("f32", (5,), "with NaN"))))
    (note,) = untried(signature, limits, [seen], 10)
    missing = note.partition("not tried at all: ")[2].split(", ")
    assert {"f16 for x", "rows further apart", "transposed", "tiny", "with inf and NaN"} <= set(
        missing
    )
    assert "with NaN" not in missing and "ordinary" not in missing
    assert untried(signature, limits, [seen], 100) == []


_TUNED = """
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 16, 64)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def total_kernel(x, y, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if EVEN:
            v = tl.load(x + tl.program_id(0) * n + cols)
        else:
            v = tl.load(x + tl.program_id(0) * n + cols, mask=cols < n, other=0.0)
        total += tl.sum(v, axis=0)
    tl.store(y + tl.program_id(0), total)


def total(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    total_kernel[(m,)](x.contiguous(), y, n)
    return y
"""


@pytest.mark.parametrize(
    ("old", "new"),
    few(
        [
            ("range(0, n, BLOCK)", "range(0, n - (BLOCK == 64) * 3, BLOCK)"),
            ('args["n"] % args["BLOCK"] == 0', 'args["n"] % 16 == 0'),
            (
                "start + tl.arange",
                "tl.where(start // BLOCK * (BLOCK == 64) > 3, 0, start) + tl.arange",
            ),
        ],
        0,
    ),
)
def test_each_configuration_has_tiles_of_its_own(
    old: str, new: str, of_texts: Callable[..., Verdict]
) -> None:
    assert old in _TUNED
    verdict = of_texts(_TUNED, _TUNED.replace(old, new), max_examples=1)
    assert verdict.verdict == "counterexample", verdict


class Tuned:
    """A version whose autotuner has more to measure than a run may execute."""

    def attempt(self, example: Example) -> Attempt:
        return Attempt(Attempt.GOOD, 1, configurations=99)

    def run(self, example: Example, *options: RunOptions) -> tuple[Outcome, ...]:
        long = example.first_call and max(o.most_work for o in options) <= 10**6
        failure = Failure(TOO_LONG, "more than 100,000", refused=True) if long else None
        return tuple(Outcome(failure=failure) for _ in options)


def test_first_calls_that_take_too_long_are_known_before() -> None:
    signature, notes = parse("x: f32[m, n]"), list[str]()
    drawable = Drawable(Tuned(), Tuned(), signature, False, notes)  # type: ignore[arg-type]
    calls = drawable.calls(limits_on("interpreter", ()), tuned=True)
    assert calls.configurations == 99 and not calls.first_calls
    assert "takes too long in the interpreter" in notes[-1]


@pytest.mark.parametrize(("until", "found"), [(math.inf, (1, 65)), (0.0, (40, 300))])
def test_a_call_is_made_small_one_size_after_the_other(
    until: float, found: tuple[int, int]
) -> None:
    sizes: Any = SimpleNamespace(
        sizes_of=lambda call: call, with_size=lambda call, name, size: {**call, name: size}
    )
    start: Any = {"m": 40, "n": 300}

    def shown(call: Any) -> str | None:
        return f"row {call['m']}" if call["n"] >= 65 else None

    call, difference = smaller(sizes, start, "row 40", shown, until=until)
    assert (call, difference) == ({"m": found[0], "n": found[1]}, f"row {found[0]}")


_LARGEST = """
import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(out, x, stride, n, BLOCK: tl.constexpr):
    m = -float("inf")
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + tl.program_id(0) * stride + cols, mask=cols < n, other=-float("inf"))
        m = tl.maximum(m, tl.max(v, axis=0))
    tl.store(out + tl.program_id(0), m)


def largest(x: torch.Tensor) -> torch.Tensor:
    assert x.dim() == 2 and x.stride(1) == 1
    out = torch.empty(x.shape[0], dtype=x.dtype)
    largest_kernel[(x.shape[0],)](out, x, x.stride(0), x.shape[1], BLOCK=64)
    return out
"""


def test_an_original_that_overflows_is_told_so(
    of_texts: Callable[..., Verdict],
) -> None:
    verdict = of_texts(_LARGEST, _LARGEST, max_examples=12)
    told = [note for note in verdict.notes if "2**31" in note]
    assert told and "the ORIGINAL fails: its int32 offsets overflow" in told[0]
    assert "int64-offsets fixes that" in told[0]
