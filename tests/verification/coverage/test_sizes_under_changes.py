"""Kernels that only a flag leads to: their loops and tiles are explored with the flag."""

from __future__ import annotations

from collections.abc import Callable

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


def test_a_tile_that_holds_what_the_arguments_fix(of_texts: Callable[..., Verdict]) -> None:
    """Of 20 rows there are two tiles of 16, and one of 32."""
    verdict = of_texts(SMALL, SMALL.replace('": 16', '": 32'), args=FIXED)
    assert verdict.verdict == "equivalent", verdict.reason
    assert any("as the given arguments ask for" in note for note in verdict.notes)
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
