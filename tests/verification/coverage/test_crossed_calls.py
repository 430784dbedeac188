"""What no call comes to that has one thing alone: sizes of one meet flags and values of another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.sized_calls import in_turn, pairs_of_changes
from tritonopt.verification.inputs.examples import Limits, PlainValue, usual
from tritonopt.verification.signature.argument_parser import parse

IGNORED = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, label_ptr, y_ptr, n, ignored, BLOCK: tl.constexpr, MARK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(label_ptr + row)
    if label == ignored:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            zero = 0.0 * cols
            tl.store(y_ptr + row * n + cols, zero, mask=cols < n)
        if MARK:
            mark = row * 0 - 1.0
            tl.store(y_ptr + row * n, mark)
        return
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        tl.store(y_ptr + row * n + cols, x * 2.0, mask=cols < n)

def launch(x: torch.Tensor, label: torch.Tensor, ignored: int = 0, mark: bool = False):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(n))
    kernel[(m,)](x, label, y, n, ignored, BLOCK=block, MARK=mark)
    return y
"""
_ARGS = "x: f32[m, n], label: i64[m] in 0..n, ignored: -1|1, mark: False|True"


@pytest.mark.thorough(instead="test_a_mistake_in_long_ignored_rows_is_found")
def test_rows_that_a_value_singles_out_are_long_too(of_texts: Callable[..., Verdict]) -> None:
    """The loop over an ignored row takes a second turn; with a flag set beside it."""
    changed = IGNORED.replace("0.0 * cols", "cols * 0.0").replace("row * 0 - 1.0", "0 * row - 1.0")
    verdict = of_texts(IGNORED, changed, args=_ARGS, max_examples=1)
    assert verdict.verdict == "identical", verdict.reason


def test_a_mistake_in_long_ignored_rows_is_found(of_texts: Callable[..., Verdict]) -> None:
    changed = IGNORED.replace("0.0 * cols", "tl.where(cols < 1024, 0.0 * cols, 1.0)")
    verdict = of_texts(IGNORED, changed, args=_ARGS, max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


OF_DIMENSIONS = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, y_ptr, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < m) & (cols < n)
    x = tl.load(x_ptr + rows * n + cols, mask=mask, other=0.0)
    total = tl.sum(x, axis=1)[:, None]
    tl.store(y_ptr + rows, total, mask=rows < m)

def launch(x: torch.Tensor, dims: tuple):
    x = torch.movedim(x, dims, tuple(range(-len(dims), 0))).contiguous()
    n = x.shape[-len(dims):].numel()
    m = x.numel() // n
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_of_several_dimensions_some_are_left(of_texts: Callable[..., Verdict]) -> None:
    """All of a matrix is one row; of three dimensions there are several rows."""
    args = "x: f32[..., n], dims: (0, 1)"
    if everything():
        changed = OF_DIMENSIONS.replace("total = tl.sum(x", "total = 1.0 * tl.sum(x")
        verdict = of_texts(OF_DIMENSIONS, changed, args=args, max_examples=1)
        assert verdict.verdict == "identical", verdict.reason
    changed = OF_DIMENSIONS.replace("tl.program_id(0) * ROWS", "tl.program_id(0) * 3")
    verdict = of_texts(OF_DIMENSIONS, changed, args=args, max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


OF_ONE_ROW = """
import torch
import triton
import triton.language as tl

@triton.jit
def one(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n)
    tl.store(y_ptr + cols, x * 2.0, mask=cols < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    if x.ndim > 1:
        return x + x
    x = x.contiguous()
    one[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), BLOCK=16)
    return y
"""


def test_of_any_number_of_dimensions_none_may_lead(of_texts: Callable[..., Verdict]) -> None:
    changed = OF_ONE_ROW.replace("x * 2.0", "2.0 * x")
    verdict = of_texts(OF_ONE_ROW, changed, args="x: f32[..., n]", max_examples=1)
    assert verdict.verdict == "identical", verdict.reason


GROUPS = """
import torch
import triton
import triton.language as tl

@triton.jit
def sums_kernel(x_ptr, y_ptr, c, groups, BLOCK: tl.constexpr):
    row, group = tl.program_id(0) // groups, tl.program_id(0) % groups
    size = c // groups
    total = 0.0
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * c + group * size + at, mask=at < size, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(y_ptr + row * groups + group, total)

# tritonopt: x: f32[n, c], groups: 1|3
def launch(x, groups):
    n, c = x.shape
    assert c % groups == 0
    x = x.contiguous()
    y = torch.empty(n, groups)
    sums_kernel[(n * groups,)](x, y, c, groups, BLOCK=16)
    return y
"""


def test_sizes_are_multiples_where_an_argument_asks(of_texts: Callable[..., Verdict]) -> None:
    wrong = GROUPS.replace("group * size + at,", "tl.minimum(group, 1) * size + at,")
    verdict = of_texts(GROUPS, wrong, max_examples=1)
    assert verdict.verdict == "counterexample", verdict


def test_whole_numbers_meet_every_other_value_early() -> None:
    signature = parse("x: f32|f16|bf16[n], y: f32|f16|bf16[n] | 0.5 | 2, mode: None|'a'|'b'")
    limits = Limits(2**12, 8, frozenset(("f32", "f16", "bf16", "f64", "i32")))
    plain = usual(signature, limits)
    seen = set()
    for pair in pairs_of_changes(signature, limits, given=False)[:24]:
        call = in_turn(*pair)(plain)
        seen.add((dict(call.arguments)["mode"], call.tensors["x"].dtype))
    assert {(PlainValue("a"), "i32"), (PlainValue("b"), "i32")} <= seen
    given = pairs_of_changes(signature, limits, given=True)
    assert all(in_turn(*pair)(plain).tensors["x"].dtype != "i32" for pair in given)
