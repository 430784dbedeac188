"""Values and numbers that matter only on calls that a plain one is not: they are made there too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few
from tritonopt.verification import Verdict

_HEAD = """
import torch
import triton
import triton.language as tl
"""

TWO_WAYS = f"""{_HEAD}
@triton.jit
def small(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf"))
    tl.store(y_ptr + row, tl.max(x, axis=0))

@triton.jit
def large(x_ptr, y_ptr, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf"))
        largest = tl.maximum(largest, x, propagate_nan=tl.PropagateNan.ALL)
    tl.store(y_ptr + row, tl.max(largest, axis=0))

def launch(x: torch.Tensor, tiled: bool = False):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    if tiled:
        large[(m,)](x, y, m, n, BLOCK=16)
    else:
        small[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""

CHANGED = {
    "far below zero": ('[BLOCK], -float("inf"), tl', "[BLOCK], -1e9, tl"),
    "below what stands for inf": ('[BLOCK], -float("inf"), tl', "[BLOCK], -1e30, tl"),
    "one number of rows": (
        "tl.store(y_ptr + row, tl.max(largest, axis=0))",
        "tl.store(y_ptr + row, tl.max(tl.where(m == 33, 0, largest), axis=0))",
    ),
}


@pytest.mark.parametrize("name", few(CHANGED, 1))
def test_values_and_numbers_meet_what_differs(name: str, of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(TWO_WAYS, TWO_WAYS.replace(*CHANGED[name]))
    assert verdict.verdict == "counterexample", verdict.reason


ONE_BY_ONE = f"""{_HEAD}
@triton.jit
def serial(x_ptr, y_ptr, n):
    row = tl.program_id(0)
    total = 0.0
    for col in range(0, n):
        total += tl.load(x_ptr + row * n + col)
    tl.store(y_ptr + row, total)

@triton.jit
def tiles(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row, tl.sum(total, axis=0))

def launch(x: torch.Tensor, tiled: bool = False):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    if tiled:
        tiles[(m,)](x, y, n, BLOCK=64)
    else:
        serial[(m,)](x, y, n)
    return y
"""


def test_a_long_row_where_it_runs(of_texts: Callable[..., Verdict]) -> None:
    """One element of ten thousand, where the plain call of so many would take long."""
    changed = ONE_BY_ONE.replace("mask=cols < n", "mask=(cols < n) & (cols != 9999)")
    verdict = of_texts(ONE_BY_ONE, changed, args="x: f32[m, n], tiled: bool")
    assert verdict.verdict == "counterexample", verdict.reason


ABOVE = f"""{_HEAD}
@triton.jit
def above(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x > 1.5, mask=at < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.bool)
    above[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


def test_ties_are_drawn(of_texts: Callable[..., Verdict]) -> None:
    changed = ABOVE.replace("x > 1.5", "x >= 1.5")
    assert of_texts(ABOVE, changed, args="x: f32[n]").verdict == "counterexample"


LARGER = f"""{_HEAD}
@triton.jit
def larger(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    z = tl.maximum(x, y)
    tl.store(z_ptr + at, z, mask=at < n)

def launch(x: torch.Tensor, y: torch.Tensor):
    z = torch.empty_like(x)
    larger[(triton.cdiv(x.numel(), 64),)](x, y, z, x.numel(), BLOCK=64)
    return z
"""


def test_nan_in_several_tensors_at_once(of_texts: Callable[..., Verdict]) -> None:
    """`tl.maximum` is NaN only where both of its arguments are."""
    changed = LARGER.replace("z_ptr + at, z,", "z_ptr + at, tl.where(z == z, z, 0.0),")
    verdict = of_texts(LARGER, changed, args="x: f32[n], y: f32[n]")
    assert verdict.verdict == "counterexample", verdict.reason


TAKEN = f"""{_HEAD}
@triton.jit
def take(index_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.load(index_ptr + tl.program_id(0))
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n)
    tl.store(y_ptr + tl.program_id(0) * n + cols, x, mask=cols < n)

def launch(index: torch.Tensor, x: torch.Tensor):
    y = torch.empty(index.shape[0], x.shape[1], device=x.device)
    take[(index.shape[0],)](index, x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
"""


@pytest.mark.parametrize("dtype", few(["int8", "int16"], 1))
def test_an_index_in_a_narrow_type(dtype: str, of_texts: Callable[..., Verdict]) -> None:
    changed = TAKEN.replace(
        "tl.program_id(0))\n    cols", f"tl.program_id(0)).to(tl.{dtype})\n    cols"
    )
    verdict = of_texts(TAKEN, changed, args="index: i64[m] in 0..r, x: f32[r, n]")
    assert verdict.verdict == "counterexample", verdict.reason


IN_PARTS = f"""{_HEAD}
@triton.jit
def part(x_ptr, y_ptr, n, per, BLOCK: tl.constexpr):
    at = tl.program_id(0) * per + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, axis=0))

@triton.jit
def whole(y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + at, mask=at < count, other=0.0)
    tl.store(out_ptr, tl.sum(y, axis=0))

def launch(x: torch.Tensor):
    (n,) = x.shape
    x = x.contiguous()
    per = 128
    count = triton.cdiv(n, per)
    parts = torch.empty(count, device=x.device)
    out = torch.empty((), device=x.device)
    part[(count,)](x, parts, n, per, BLOCK=128)
    whole[(1,)](parts, out, count, BLOCK=triton.next_power_of_2(count))
    return out
"""


@pytest.mark.thorough(instead="test_a_long_row_where_it_runs")
def test_as_many_tiles_as_a_number_that_differs(of_texts: Callable[..., Verdict]) -> None:
    """From the 257th part on they are lost: as many tiles as a changed number says, and more."""
    changed = IN_PARTS.replace(
        "triton.next_power_of_2(count))", "256 if count > 256 else triton.next_power_of_2(count))"
    )
    verdict = of_texts(IN_PARTS, changed, args="x: f32[n]")
    assert verdict.verdict == "counterexample", verdict.reason


def test_ties_among_larger_numbers_are_drawn(of_texts: Callable[..., Verdict]) -> None:
    """Rounded to even by half a number: 1 % too much shows beyond 50 only."""
    even = ABOVE.replace("x > 1.5", "tl.abs(x - 2.0 * tl.floor(x / 2.0)) > 0.5")
    changed = even.replace("x - 2.0", "x - 2.02")
    assert of_texts(even, changed, args="x: f32[n]").verdict == "counterexample"


SEQUENCES = f"""{_HEAD}
@triton.jit
def sums(x_ptr, first_ptr, y_ptr, d, BLOCK: tl.constexpr):
    first = tl.load(first_ptr + tl.program_id(0))
    last = tl.load(first_ptr + tl.program_id(0) + 1)
    total = 0.0
    for start in range(first, last, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + rows, mask=rows < last, other=0.0), axis=0)
    tl.store(y_ptr + tl.program_id(0), total)

def launch(x: torch.Tensor, first: torch.Tensor):
    y = torch.empty(first.shape[0] - 1, device=x.device)
    sums[(first.shape[0] - 1,)](x, first, y, x.shape[0], BLOCK=16)
    return y
"""


def test_a_single_sequence_takes_several_tiles(of_texts: Callable[..., Verdict]) -> None:
    """Five of them share a few tiles, so none has more than two."""
    changed = SEQUENCES.replace(
        "(first, last, BLOCK)", "(first, tl.minimum(last, first + 2 * BLOCK), BLOCK)"
    )
    args = "x: f32[t], first: i32[s + 1] in 0..t cumulative"
    verdict = of_texts(SEQUENCES, changed, args=args, max_examples=2)
    assert verdict.verdict == "counterexample", verdict.reason


STRETCHED = f"""{_HEAD}
@triton.jit
def stretch(x_ptr, y_ptr, w, p, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    place = at.to(tl.float32) * scale
    lower = tl.minimum(place.to(tl.int32), w - 1)
    upper = tl.minimum(lower + 1, w - 1)
    share = place - lower
    one = tl.load(x_ptr + row * w + lower, mask=at < p)
    other = tl.load(x_ptr + row * w + upper, mask=at < p)
    tl.store(y_ptr + row * p + at, one * (1 - share) + other * share, mask=at < p)

def launch(x: torch.Tensor, size: tuple):
    a, b, w = x.shape
    y = torch.empty(a, b, size[0], device=x.device)
    grid = (a * b, triton.cdiv(size[0], 256))
    stretch[grid](x.contiguous(), y, w, size[0], w / size[0], BLOCK=256)
    return y
"""


@pytest.mark.thorough(instead="test_a_long_row_where_it_runs")
def test_a_long_size_beside_others_that_are_not_one(of_texts: Callable[..., Verdict]) -> None:
    """Of one element every position reads the same, exact or not."""
    changed = STRETCHED.replace("at.to(tl.float32)", "at.to(tl.float16).to(tl.float32)")
    args = "x: f32[a, b, w], size: (p,)"
    verdict = of_texts(STRETCHED, changed, args=args, max_examples=2)
    assert verdict.verdict == "counterexample", verdict.reason


DIAGONAL = f"""{_HEAD}
@triton.jit
def trace(x_ptr, y_ptr, count, step, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, count, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at * step, mask=at < count, other=0.0)
    tl.store(y_ptr, tl.sum(total, axis=0))

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((), device=x.device)
    block = min(triton.next_power_of_2(min(m, n)), 256)
    trace[(1,)](x, y, min(m, n), x.stride(0) + x.stride(1), BLOCK=block)
    return y
"""


def test_a_tile_that_two_sizes_fill_together(of_texts: Callable[..., Verdict]) -> None:
    changed = DIAGONAL.replace("total += tl.load", "total = tl.load")
    verdict = of_texts(DIAGONAL, changed, args="x: f32[m, n]")
    assert verdict.verdict == "counterexample", verdict.reason


def test_a_number_that_no_call_comes_to_is_no_yes(of_texts: Callable[..., Verdict]) -> None:
    """A diagonal of ten thousand elements is too much to run."""
    changed = DIAGONAL.replace("mask=at < count", "mask=(at < count) & (at != 9999)")
    verdict = of_texts(DIAGONAL, changed, args="x: f32[m, n]")
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "was true everywhere: `at != 9999`" in verdict.reason


LENGTHS = f"""{_HEAD}
@triton.jit
def means(x_ptr, length_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(length_ptr + row)
    total = 0.0
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < length, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(y_ptr + row, total / tl.maximum(length, 1).to(tl.float32))

def launch(x: torch.Tensor, length: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    means[(m,)](x, length, y, n, BLOCK=16)
    return y
"""


def test_a_length_that_a_tensor_holds(of_texts: Callable[..., Verdict]) -> None:
    """A wrong count from 64 elements on: no random length is as long as its row."""
    changed = LENGTHS.replace("tl.maximum(length, 1)", "tl.maximum(length + (length > 63), 1)")
    verdict = of_texts(LENGTHS, changed, args="x: f32[m, n], length: i32[m] in 0..n")
    assert verdict.verdict == "counterexample", verdict.reason


SCALED = f"""{_HEAD}
@triton.jit
def scaled(x_ptr, y_ptr, n, p, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) / (1 - p), mask=at < n)

def launch(x: torch.Tensor, p: float = 0.5):
    assert 0 <= p < 1 and x.is_contiguous()
    y = torch.empty_like(x)
    scaled[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), p, BLOCK=16)
    return y
"""


@pytest.mark.thorough(instead="test_values_and_numbers_meet_what_differs")
def test_a_float_beyond_a_number_in_what_differs(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(SCALED, SCALED.replace("(1 - p)", "(1 - tl.minimum(p, 0.75))"))
    assert verdict.verdict == "counterexample", verdict
    right = of_texts(SCALED, SCALED.replace("(1 - p)", "(0.75 - p + 0.25)"))
    assert right.verdict in ("identical", "equivalent"), right
