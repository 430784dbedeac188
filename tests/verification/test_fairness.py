"""What is not held against a rewrite, and what an original may get wrong and still be judged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few, number
from tritonopt.verification import Verdict

_HEAD = """
import torch
import triton
import triton.language as tl
"""

_MEAN = f"""{_HEAD}
@triton.jit
def mean(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=0.0)
    tl.store(y + row, tl.sum(v) / n)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    mean[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_a_sum_that_cancels_may_err_by_the_size_of_its_terms(
    of_texts: Callable[..., Verdict],
) -> None:
    changed = _MEAN.replace(
        "tl.store(y + row, tl.sum(v) / n)",
        "shift = tl.load(x + row * n + n - 1)\n"
        "    tl.store(y + row, shift + tl.sum(tl.where(o < n, v - shift, 0.0)) / n)",
    )
    args = "x: f32[1, n]"
    for seed in range(number(1, 3)):
        verdict = of_texts(_MEAN, changed, args=args, max_examples=40, seed=seed)
        assert verdict.verdict == "equivalent", verdict.counterexample


def test_a_mean_that_is_wrong_by_a_millionth_is_found(of_texts: Callable[..., Verdict]) -> None:
    changed = _MEAN.replace("tl.sum(v) / n", "tl.sum(v) / (n * 1.00001)")
    assert of_texts(_MEAN, changed, args="x: f32[1, n]").verdict == "counterexample"


_ADD_ONE = f"""{_HEAD}
@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)
"""

UNFIT = {
    "no strides": """
def launch(x: torch.Tensor):
    m, n = x.shape
    assert x.stride(0) and x.stride(1)
    y = torch.empty(m, n)
    add_one[(triton.cdiv(m * n, 16),)](x, y, m * n, BLOCK=16)
    return y
""",
    "halves": """
def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    for part, out in zip(x.chunk(2), y.chunk(2)):
        add_one[(triton.cdiv(n, 32),)](part, out, (n + 1) // 2, BLOCK=16)
    return y
""",
    "two sizes that ought to be one": """
def launch(x: torch.Tensor, y: torch.Tensor):
    (n,), (k,) = x.shape, y.shape
    z = torch.empty_like(y)
    add_one[(triton.cdiv(n, 16),)](x, z, n, BLOCK=16)
    return z
""",
}


@pytest.mark.parametrize("kind", few(UNFIT, 1))
def test_examples_that_the_original_is_not_made_for_end_nothing(
    kind: str, of_texts: Callable[..., Verdict]
) -> None:
    text = _ADD_ONE + UNFIT[kind]
    args = {
        "no strides": "x: f32[m, n]",
        "halves": "x: f32[n]",
        "two sizes that ought to be one": "x: f32[n], y: f32[k]",
    }[kind]
    verdict = of_texts(text, text, args=args, max_examples=30)
    assert verdict.verdict == "identical", verdict.reason
    assert verdict.discarded
    assert any("which was not compared" in note for note in verdict.notes)
    wrong = of_texts(text, text.replace("+ 1", "+ 2"), args=args, max_examples=30)
    assert wrong.verdict == "counterexample"


_SHARE = f"""{_HEAD}
@triton.jit
def share(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=0.0)
    total = tl.sum(v)
    tl.store(y + row * n + o, v / total, mask=o < n)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    share[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
_NO_NAN = _SHARE.replace("v / total", "tl.where(total == 0, 0.0, v / total)")
_FEW_ROWS = "x: f32[m, n]"


def test_a_number_for_a_nan_of_the_originals_own_is_noted(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_SHARE, _NO_NAN, args=_FEW_ROWS, max_examples=40)
    assert verdict.verdict == "equivalent", verdict.counterexample
    assert any("the original gives NaN, the rewritten version" in n for n in verdict.notes)


def test_a_nan_of_its_own_beside_one_that_was_given(of_texts: Callable[..., Verdict]) -> None:
    own = _SHARE.replace("v / total", "tl.where(o == 0, (v - v) / (v - v), v / total)")
    verdict = of_texts(own, _SHARE, args=_FEW_ROWS, max_examples=20)
    assert verdict.verdict == "equivalent", verdict.counterexample


def test_other_differences_beside_a_nan_are_found(of_texts: Callable[..., Verdict]) -> None:
    text = _NO_NAN.replace("v / total)", "v / total * 1.001)")
    verdict = of_texts(_SHARE, text, args=_FEW_ROWS, max_examples=40)
    assert verdict.verdict == "counterexample"


def test_identical_bits_leave_no_nan_out(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_SHARE, _NO_NAN, args=_FEW_ROWS, max_examples=40, require="identical")
    assert verdict.verdict == "counterexample"
    assert "the original gives NaN, the rewritten version a number" in str(verdict.counterexample)


def test_a_number_that_becomes_nan_is_a_counterexample(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_NO_NAN, _SHARE, args=_FEW_ROWS, max_examples=40)
    assert verdict.verdict == "counterexample"
    assert "gives NaN where the original gives a number" in str(verdict.counterexample)


def test_a_nan_that_was_given_has_to_stay(of_texts: Callable[..., Verdict]) -> None:
    text = _SHARE.replace("other=0.0)", "other=0.0)\n    v = tl.where(v == v, v, 0.0)")
    verdict = of_texts(_SHARE, text, args=_FEW_ROWS, max_examples=40)
    assert verdict.verdict == "counterexample"


def test_a_rewrite_that_does_not_end_is_a_counterexample(
    of_texts: Callable[..., Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tritonopt.verification.comparison.versions._LEAST_SECONDS", 3.0)
    text = _ADD_ONE + UNFIT["no strides"]
    stuck = text.replace(
        "    o = tl.program", "    while n > 3:\n        n += 1\n    o = tl.program"
    )
    verdict = of_texts(text, stuck, args="x: f32[m, n]")
    assert verdict.verdict == "counterexample"
    assert "does not finish" in str(verdict.counterexample)


def test_calls_that_take_the_original_long_are_left_out(
    of_texts: Callable[..., Verdict],
) -> None:
    text, given = _ADD_ONE + UNFIT["no strides"], {"args": "x: f32[m, n]", "max_examples": 20}
    verdict = of_texts(text, text.replace("+ 1", "+ 1.0"), **given, most_work=60)
    assert verdict.verdict in ("identical", "equivalent"), verdict.reason
    assert any("takes too long in the interpreter" in note for note in verdict.notes)


def test_a_rewritten_version_may_take_longer_than_calls_that_are_left_out(
    of_texts: Callable[..., Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tritonopt.verification.comparison.versions.MOST_WORK", 200)
    text = _ADD_ONE + UNFIT["no strides"]
    longer = text.replace(
        "    o = tl.program", "    for _ in range(100):\n        pass\n    o = tl.program"
    )
    verdict = of_texts(text, longer, args="x: f32[m, n]", max_examples=20)
    assert verdict.verdict in ("identical", "equivalent"), verdict.counterexample


def test_whoever_draws_numbers_draws_the_same(of_texts: Callable[..., Verdict]) -> None:
    text = (
        _ADD_ONE.replace("+ 1", "+ a").replace("y, n,", "y, n, a,")
        + """
import random
import numpy

def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    a = random.random() + numpy.random.rand()
    add_one[(triton.cdiv(n, 16),)](x, y, n, a, BLOCK=16)
    return y
"""
    )
    verdict = of_texts(text, text)
    assert verdict.verdict == "identical", verdict.reason


_SUM_OF_HALVES = f"""{_HEAD}
@triton.jit
def total(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=0.0).to(tl.float16)
    tl.store(y + row, tl.sum(v))

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    total[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""


@pytest.mark.parametrize(
    ("summed", "answer"),
    few(
        [
            ("v.to(tl.float32)", "equivalent"),
            ("tl.where(o == 1, v + v * 0.01, v)", "counterexample"),
            ("tl.load(x + row * n + o, mask=o < n, other=0.0) * 1.002", "counterexample"),
        ],
        0,
        2,
    ),
)
def test_what_is_rounded_on_the_way_is_judged_by_what_follows_the_rounding(
    summed: str, answer: str, of_texts: Callable[..., Verdict]
) -> None:
    changed = _SUM_OF_HALVES.replace("tl.sum(v)", f"tl.sum({summed})")
    verdict = of_texts(_SUM_OF_HALVES, changed, args="x: f32[m, n]")
    assert verdict.verdict == answer, verdict.counterexample or verdict.reason
