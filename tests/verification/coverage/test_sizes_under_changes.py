"""Kernels that only a flag leads to: their loops and tiles are explored with the flag."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything
from tritonopt.verification import Verdict

TWO_WAYS = """
import torch
import triton
import triton.language as tl

SETTINGS = {"block": int("2048")}

@triton.jit
def rows_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row, tl.sum(x, axis=0))

@triton.jit
def columns_kernel(x_ptr, y_ptr, m, n, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, m, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + rows * n + column, mask=rows < m, other=0.0)
    tl.store(y_ptr + column, tl.sum(total, axis=0))

def launch(x: torch.Tensor, axis: int = 1):
    m, n = x.shape
    x = x.contiguous()
    if axis == 0:
        y = torch.empty(n, device=x.device)
        columns_kernel[(n,)](x, y, m, n, BLOCK=SETTINGS["block"])
    else:
        y = torch.empty(m, device=x.device)
        rows_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
_ARGS = "x: f32[m, n], axis: 1|0"


@pytest.mark.thorough(instead="test_a_mistake_in_its_second_turn_is_found")
def test_a_loop_behind_a_flag_takes_a_second_turn(of_texts: Callable[..., Verdict]) -> None:
    changed = TWO_WAYS.replace("total += tl.load", "total += 1.0 * tl.load")
    verdict = of_texts(TWO_WAYS, changed, args=_ARGS)
    assert verdict.verdict == "identical", verdict.reason


def test_a_mistake_in_its_second_turn_is_found(of_texts: Callable[..., Verdict]) -> None:
    changed = TWO_WAYS.replace("total += tl.load", "total = tl.load")
    verdict = of_texts(TWO_WAYS, changed, args=_ARGS)
    assert verdict.verdict == "counterexample", verdict.reason


FIXED = "x: f32[20, n], axis: 0|1"
SMALL = TWO_WAYS.replace('int("2048")', "16")


@pytest.mark.thorough(instead="test_a_tile_that_grows_is_fixed_by_no_arguments")
def test_a_tile_that_holds_what_the_arguments_fix(of_texts: Callable[..., Verdict]) -> None:
    """Of 20 rows there are two tiles of 16, and one of 32."""
    verdict = of_texts(SMALL, SMALL.replace('": 16', '": 32'), args=FIXED)
    assert verdict.verdict == "equivalent", verdict.reason
    assert any("because of the given arguments" in note for note in verdict.notes)
    changed = TWO_WAYS.replace("total += tl.load", "total += 1.0 * tl.load")
    verdict = of_texts(TWO_WAYS, changed, args=FIXED)
    assert verdict.verdict == "unsupported", verdict.verdict


def test_a_tile_that_grows_is_fixed_by_no_arguments(of_texts: Callable[..., Verdict]) -> None:
    grows = TWO_WAYS.replace('SETTINGS["block"]', "min(triton.next_power_of_2(m), 2**20)")
    grows = grows.replace("range(0, m, BLOCK)", "range(tl.cdiv(m, BLOCK))")
    grows = grows.replace("start + tl.arange", "start * BLOCK + tl.arange")
    changed = grows.replace("total += tl.load", "total = tl.load")
    verdict = of_texts(grows, changed, args=_ARGS)
    assert verdict.verdict == "unsupported", verdict.verdict


ALONG = """
import torch
import triton
import triton.language as tl

@triton.jit
def few_kernel(x_ptr, y_ptr, n, k, PART: tl.constexpr):
    at = tl.program_id(1) * PART + tl.arange(0, PART)
    place = tl.program_id(0) * n * k + at * k + tl.program_id(2)
    x = tl.load(x_ptr + place, mask=at < n, other=0.0)
    tl.store(y_ptr + place, x + 1.0, mask=at < n)

@triton.jit
def many_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + cols, x + 1.0, mask=cols < n)

def launch(x: torch.Tensor, dim: int = 1):
    before, n = (1, x.shape[0]) if dim == 0 else x.shape
    k = x.numel() // before // n
    y = torch.empty_like(x)
    if n > 300 and before * k <= 16:
        few_kernel[(before, triton.cdiv(n, 256), k)](x, y, n, k, PART=256)
    else:
        many_kernel[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), BLOCK=16)
    return y
"""


def test_the_dimension_that_a_flag_names_is_long_while_the_other_is_short(
    of_texts: Callable[..., Verdict],
) -> None:
    args = "x: f32[m, n], dim: 1|0"
    if everything():
        verdict = of_texts(ALONG, ALONG.replace("x + 1.0", "1.0 + x"), args=args)
        assert verdict.verdict == "identical", verdict.reason
    wrong = of_texts(ALONG, ALONG.replace("at * k + tl.program_id(2)", "at * k"), args=args)
    assert wrong.verdict == "counterexample", wrong.reason


BY_LENGTH = """
import torch
import triton
import triton.language as tl

@triton.jit
def short_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row, tl.sum(x, axis=0))

@triton.jit
def long_kernel(x_ptr, y_ptr, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < m) & (cols[None, :] < n)
        total += tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
    tl.store(y_ptr + rows, tl.sum(total, axis=1), mask=rows < m)

def launch(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    if n <= 1000:
        short_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    else:
        long_kernel[(triton.cdiv(m, 8),)](x, y, m, n, ROWS=8, BLOCK=256)
    return y
"""


def test_programs_of_a_kernel_that_long_rows_lead_to(of_texts: Callable[..., Verdict]) -> None:
    if everything():
        changed = BY_LENGTH.replace("total += tl.load", "total += 1.0 * tl.load")
        verdict = of_texts(BY_LENGTH, changed, args="x: f32[m, n]", max_examples=2)
        assert verdict.verdict == "identical", verdict.reason
    changed = BY_LENGTH.replace("tl.program_id(0) * ROWS", "tl.program_id(0) * 7")
    verdict = of_texts(BY_LENGTH, changed, args="x: f32[m, n]", max_examples=2)
    assert verdict.verdict == "counterexample", verdict.reason


CAUSAL = """
import torch
import triton
import triton.language as tl

@triton.jit
def sums_kernel(x_ptr, y_ptr, m, n, CAUSAL: tl.constexpr, BLOCK: tl.constexpr):
    tile, matrix = tl.program_id(0), tl.program_id(1)
    rows = tile * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tile + 1) * BLOCK + n - m)
    for start in range(0, end, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < m)[:, None] & (cols < n)[None, :]
        x = tl.load(x_ptr + (matrix * m + rows[:, None]) * n + cols[None, :], mask=mask, other=0.0)
        if CAUSAL:
            x = tl.where(rows[:, None] + n - m >= cols[None, :], x, 0.0)
        total += tl.sum(x, axis=1)
    tl.store(y_ptr + matrix * m + rows, total, mask=rows < m)

# tritonopt: x: f32[a, b, c, d, m, n], causal: bool, m <= n
def launch(x, causal=False):
    m, n = x.shape[-2:]
    x = x.contiguous()
    y = torch.empty(x.shape[:-1])
    grid = triton.cdiv(m, 16), x.numel() // max(m * n, 1)
    sums_kernel[grid](x, y, m, n, causal, BLOCK=16)
    return y
"""


@pytest.mark.thorough(
    instead="test_the_dimension_that_a_flag_names_is_long_while_the_other_is_short"
)
def test_single_sizes_where_a_flag_leads(of_texts: Callable[..., Verdict]) -> None:
    """Wrong where n - m is no multiple of a tile alone; and small sizes are many programs."""
    wrong = CAUSAL.replace("(tile + 1) * BLOCK + n - m", "tile * BLOCK + 1 + n - m")
    assert of_texts(CAUSAL, wrong).verdict == "counterexample"
