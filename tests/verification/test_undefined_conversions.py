"""Loads of whole numbers whose `other` their type has not: what comes of it is no evidence."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict
from tritonopt.verification.worker.triton_interpreter.corrected import in_compiled

_LARGEST = """
import torch
import triton
import triton.language as tl

@triton.jit
def largest(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=OTHER).to(tl.float32)
    tl.store(y + row, tl.max(v, axis=0))

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device, dtype=torch.float32)
    largest[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
_INFINITE = _LARGEST.replace("OTHER", '-float("inf")')
_RIGHT = _LARGEST.replace(", other=OTHER", ", other=0").replace(
    "    tl.store(", '    v = tl.where(o < n, v, -float("inf"))\n    tl.store('
)


def test_infinity_among_whole_numbers_accuses_nobody(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(_INFINITE, _RIGHT, args="x: f32|i16[m, n]", max_examples=12)
    assert verdict.verdict in ("identical", "equivalent"), verdict.counterexample
    assert any("a load of int16 has an `other`" in note for note in verdict.notes)


def test_calls_that_are_all_like_that_give_no_answer(of_texts: Callable[..., Verdict]) -> None:
    twice = ("triton.next_power_of_2(n)", "2 * triton.next_power_of_2(n)")
    original, right = _INFINITE.replace(*twice), _RIGHT.replace(*twice)
    verdict = of_texts(original, right, args="x: u8[m, n]", assume=["n > 0"], max_examples=4)
    assert verdict.verdict == "unsupported", (verdict.counterexample, verdict.notes)
    assert "not defined" in (verdict.reason or "")


_COPIED = """
import torch
import triton
import triton.language as tl

@triton.jit
def copied(x, y, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=-float("inf"))
    tl.store(y + o, v * 2, mask=o < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    copied[(1,)](x, y, n, BLOCK=2 * triton.next_power_of_2(n))
    return y
"""


def test_what_does_not_depend_on_such_lanes_is_judged(of_texts: Callable[..., Verdict]) -> None:
    form = {"args": "x: f32|i32[n]", "max_examples": 12}
    verdict = of_texts(_COPIED, _COPIED.replace("v * 2", "v + v"), **form)
    assert verdict.verdict == "identical", verdict.counterexample or verdict.reason
    assert not any("has an `other`" in note for note in verdict.notes)
    wrong = _COPIED.replace("v * 2", "v * 2 + (v.dtype == tl.int32)")
    verdict = of_texts(_COPIED, wrong, **form)
    assert verdict.verdict == "counterexample", verdict.notes


def test_what_the_type_holds_is_judged(of_texts: Callable[..., Verdict]) -> None:
    smallest = _LARGEST.replace("tl.max(", "tl.min(")
    original, wrong = (smallest.replace("OTHER", number) for number in ("32767.0", "1.0"))
    verdict = of_texts(original, wrong, args="x: i16[m, n]")
    assert verdict.verdict == "counterexample"


_TTIR = """
    %z = arith.constant 1.000000e+09 : f32 loc(#loc20)
    %x = arith.constant 0xFF800000 : f32 loc(#loc21)
    %y = arith.constant dense<3> : tensor<64xi16> loc(#loc22)
    %x_4 = arith.fptosi %x : f32 to i16 loc(#loc21)
    %x_5 = tt.splat %x_4 : i16 -> tensor<64xi16> loc(#loc21)
    %x_6 = tt.load %x_3, %x_1, %x_5 : tensor<64x!tt.ptr<i16>> loc(#loc21)
    %y_8 = tt.load %y_7, %x_1, %y : tensor<64x!tt.ptr<i16>> loc(#loc22)
"""


def test_what_was_compiled_says_it_too() -> None:
    assert in_compiled(_TTIR) == ("a load of i16 has an `other` which is no number of that type",)
    assert in_compiled(_TTIR.replace("%x_1, %x_5", "%x_1, %y")) == ()
    assert in_compiled(_TTIR.replace("fptosi %x ", "fptosi %computed ")) == ()
