"""What held between sizes of calls that were seen: what is taken for a fact, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import pytest

from tests.layers import few
from tritonopt.verification import Verdict
from tritonopt.verification.capture.seen_calls import drawn_forms, related_forms


def call(**arguments: object) -> dict[str, Any]:
    """Tensors by their shapes, numbers, and what else may be passed."""
    found: dict[str, Any] = {}
    for at, (name, value) in enumerate(arguments.items()):
        if isinstance(value, tuple):
            strides = [prod(value[i + 1 :]) for i in range(len(value))]
            tensor = {"dtype": "float32", "shape": list(value), "strides": strides, "memory": at}
            found[name] = tensor
        else:
            found[name] = {"value": value}
    return found


def related_form(calls: list[dict[str, Any]], *tiles: str) -> str:
    """The form with all facts."""
    return ("", *related_forms(calls, tiles))[-1]


def facts(calls: list[dict[str, Any]], *tiles: str) -> str:
    """Those of the form, without its arguments."""
    form = related_form(calls, *tiles)
    return ", ".join(part for part in form.split(", ") if " == " in part)


def test_a_number_that_divides_a_size_is_free_and_divides_it() -> None:
    groups = [(16, 8), (6, 3)]
    calls = [call(x=(4 + at, c, 65), w=(c,), c=c, groups=g) for at, (c, g) in enumerate(groups)]
    assert related_form(calls) == (
        "x: f32[n, c, m], w: f32[c], c: c, groups: groups, c % groups == 0"
    )
    # One that never changed beside a size that never did: there is nothing else it could be.
    calls = [call(x=(n, 4096, 500), w=(4096,), groups=1024) for n in (2, 8)]
    assert related_form(calls) == "x: f32[n, m, k], w: f32[m], groups: groups, m % groups == 0"


def test_sizes_that_are_made_of_others_are_made_of_them() -> None:
    heads = [call(q=(1, n, 30, 128), k=(1, n, 6, 128), f=(1, n, 64)) for n in (10, 40)]
    assert facts(heads) == "b == 2 * d, m % h == 0"
    packed = [call(x=(m, 3 * n), y=(m, n)) for m, n in ((8, 10), (4, 20), (6, 24))]
    assert facts(packed) == "m == 3 * k"
    starts = [call(starts=(n + 1,), lengths=(n,)) for n in (4, 7)]
    assert facts(starts) == "n == m + 1"
    flat = [call(x=(4, n, h, w), y=(4, h * w)) for n, h, w in ((2, 8, 6), (3, 4, 10))]
    assert facts(flat) == "h == k * b"
    image = [call(x=(n, 16, h, 5), w=(16,), HxW=5 * h, g=8) for n, h in ((2, 8), (3, 16))]
    assert drawn_forms(image) == ()  # a number is what no size is
    assert related_form(image) == (
        "x: f32[n, m, k, b], w: f32[m], HxW: HxW, g: g, HxW == k * b, m % g == 0"
    )


def test_with_few_of_them_first() -> None:
    """One that the launcher does not need may hide what it does where that does not hold."""
    heads = [call(q=(1, n, 30, 128), k=(1, n, 6, 128), f=(1, n, 64)) for n in (10, 40)]
    plain = "q: f32[1, n, m, b], k: f32[1, n, h, b], f: f32[1, n, d]"
    assert related_forms(heads) == (
        f"{plain}, b == 2 * d", f"{plain}, m % h == 0", f"{plain}, b == 2 * d, m % h == 0"
    )  # fmt: skip
    assert related_forms([call(x=(4, 4096))]) == ()
    # What a product has to be is one in each of them, and a number that is in none is no size.
    image = [call(x=(n, 16, h, 5), w=(16,), HxW=5 * h, g=8) for n, h in ((2, 8), (3, 16))]
    plain = "x: f32[n, m, k, b], w: f32[m], HxW: HxW"
    assert related_forms(image) == (
        f"{plain}, g: 8, HxW == k * b", f"{plain}, g: g, HxW == k * b, m % g == 0"
    )  # fmt: skip
    # Of many not every set.
    many = [call(x=(m, 4096), a=4, b=8, c=16, d=32) for m in (3, 5)]
    assert [form.count("==") for form in related_forms(many)] == [3, 3, 3, 3, 4]


def test_doubles_of_doubles_are_none() -> None:
    """After four of them a row is a multiple of 16, and all tiles are full."""
    halves = [(2, 8), (3, 16), (4, 40)]
    calls = [call(x=(b, m), y=(b, 2 * m), z=(b, 4 * m), w=(b, 8 * m)) for b, m in halves]
    assert facts(calls) == "k == 2 * m, h == 2 * b"
    calls = [call(x=(b, 8 * m), y=(b, 4 * m), z=(b, 2 * m), w=(b, m)) for b, m in halves]
    assert facts(calls) == "m == 2 * k, b == 2 * h"
    # Of a product it is none.
    calls = [call(x=(n, h, 5), o=(n, 5 * h), p=(n, 15 * h)) for n, h in ((2, 8), (3, 9))]
    assert facts(calls) == "b == m * k, h == 3 * b"


NO_FACTS = {
    "rows and columns": [call(x=(m, n)) for m, n in ((64, 16), (60, 20), (90, 45))],
    "squares": [call(x=(n, n)) for n in (64, 4096)],
    "powers of two": [call(x=(m, n), y=(m, k)) for m, n, k in ((4, 64, 16), (8, 128, 32))],
    "rows beside a number": [call(x=(m, 100), groups=8) for m in (1024, 4096)],
    "rows beside a size": [call(x=(m, 100), y=(8, 100)) for m in (1024, 4096)],
    "an amount for each 128 elements": [call(x=(m, 4096), s=(m, 32)) for m in (3, 5)],
    "and where it changes": [call(x=(m, 128 * m), s=(m, m + 2)) for m in (3, 5)],
    "a dimension's number": [call(x=(m, 4096), dim=2) for m in (3, 5)],
    "a flag": [call(x=(m, 4096), flag=True) for m in (3, 5)],
    "below zero": [call(x=(m, 4096), ignored=-128) for m in (3, 5)],
}


@pytest.mark.parametrize("case", NO_FACTS)
def test_what_may_be_chance_is_no_fact(case: str) -> None:
    assert facts(NO_FACTS[case]) == ""


def test_what_a_tile_may_be_as_long_as_divides_nothing() -> None:
    calls = [call(x=(m, 4096), part=128) for m in (3, 5)]
    assert facts(calls, "part") == ""
    assert facts(calls) == "m % part == 0"


_GROUPS = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, channels, groups, LENGTH: tl.constexpr):
    row, group = tl.program_id(0) // groups, tl.program_id(0) % groups
    size = channels // groups
    o = tl.arange(0, LENGTH)
    at = row * channels + group * size + o
    v = tl.load(x + at, mask=o < size, other=0.0)
    tl.store(y + at, v - tl.sum(v, axis=0), mask=o < size)

def launch(x, channels, groups):
    y = torch.empty_like(x)
    length = triton.next_power_of_2(channels // groups)
    kernel[(x.shape[0] * groups,)](x, y, channels, groups, LENGTH=length)
    return y
"""
_HALVES = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(q, f, y, half, LENGTH: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, half, LENGTH):
        o = start + tl.arange(0, LENGTH)
        total += tl.sum(tl.load(f + row * half + o, mask=o < half, other=0.0), axis=0)
    for start in range(0, half, LENGTH):
        o = start + tl.arange(0, LENGTH)
        for part in range(2):
            at = row * 2 * half + 2 * o + part
            tl.store(y + at, tl.load(q + at, mask=o < half) * total, mask=o < half)

def launch(q, f):
    rows, half = q.shape[0], q.shape[1] // 2
    y = torch.empty_like(q)
    kernel[(rows,)](q, f.view(rows, half), y, half, LENGTH=16)
    return y
"""
_SEEN = {
    _GROUPS: [call(x=(m, c), channels=c, groups=g) for m, c, g in ((5, 16, 8), (7, 6, 3))],
    _HALVES: [call(q=(m, 128), f=(m, 64)) for m in (5, 7)],
}
_DROPPED = {
    _GROUPS: ", mask=o < size, other=0.0",
    _HALVES: ", mask=o < half, other=0.0",
}


@pytest.mark.parametrize("text", few(_SEEN, 1), ids=["groups", "halves"])
def test_facts_hide_no_tail(text: str, of_texts: Callable[..., Verdict]) -> None:
    related = related_form(_SEEN[text])
    wrong, right = text.replace(_DROPPED[text], ""), text.replace("row *", "1 * row *")
    assert wrong != text != right
    answer = of_texts(text, right, args=related)
    assert answer.verdict == "identical", answer.reason or answer.counterexample
    assert any("only calls for which" in note for note in answer.notes)
    assert of_texts(text, wrong, args=related).verdict == "counterexample"


def test_what_a_launcher_needs_is_found_in_its_calls(of_texts: Callable[..., Verdict]) -> None:
    (wide, _), related = drawn_forms(_SEEN[_HALVES]), related_form(_SEEN[_HALVES])
    right = _HALVES.replace("row *", "1 * row *")
    assert of_texts(_HALVES, right, args=wide).verdict == "unsupported"
    assert of_texts(_HALVES, right, args=related).verdict == "identical"


_SHORT_GROUP = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(s, y, n, groups, size, LENGTH: tl.constexpr):
    row, group = tl.program_id(0) // groups, tl.program_id(0) % groups
    o = tl.arange(0, LENGTH)
    at = group * size + o
    v = tl.load(s + row * n + at, mask=(o < size) & (at < n), other=0.0)
    tl.store(y + tl.program_id(0), tl.sum(v, axis=0))

def launch(s, q, f, groups):
    assert q.shape[0] == 2 * f.shape[0] > 8
    rows, n = s.shape
    size = triton.cdiv(n, groups)
    y = torch.empty(rows * groups, dtype=s.dtype, device=s.device)
    length = triton.next_power_of_2(size)
    kernel[(rows * groups,)](s, y, n, groups, size, LENGTH=length)
    return y
"""


def test_facts_hide_no_shorter_group(of_texts: Callable[..., Verdict]) -> None:
    """`n % groups == 0` held, and is not needed; of the other one calls fail without it."""
    calls = [call(s=(m, 4096), q=(96,), f=(48,), groups=32) for m in (5, 7)]
    wrong = _SHORT_GROUP.replace("triton.cdiv(n, groups)", "n // groups")
    answers = [of_texts(_SHORT_GROUP, wrong, args=form).verdict for form in related_forms(calls)]
    assert answers[0] == "counterexample" and answers[-1] == "identical"
