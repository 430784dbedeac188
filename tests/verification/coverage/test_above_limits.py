"""Whole numbers in a tensor decide how large a table is: beyond a limit another kernel runs."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict

TABLE = """import torch
import triton
import triton.language as tl

@triton.jit
def count(x_ptr, table_ptr, n, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(table_ptr + x, 1, mask=(at < n) & (x < size))

@triton.jit
def count_all(x_ptr, table_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(table_ptr + x, 1, mask=at < n)

def counts(x: torch.Tensor):
    assert x.dim() == 1 and x.dtype == torch.int64
    x, size = x.abs(), min(900, 1000)
    n = x.numel()
    table = torch.zeros(size, dtype=torch.int64)
    grid = (triton.cdiv(n, 16),)
    count[grid](x, table, n, size, BLOCK=16)
    largest = int(x.max()) + 1
    if largest <= size:
        return table[:largest]
    table = torch.zeros(largest, dtype=torch.int64)
    count_all[grid](x, table, n, BLOCK=16)
    return table
"""


def test_numbers_beyond_a_limit_are_in_the_tensor(of_texts: Callable[..., Verdict]) -> None:
    renamed = TABLE.replace("at = tl.program_id(0)", "at = 1 * tl.program_id(0)")
    verdict = of_texts(TABLE, renamed)
    assert verdict.verdict in ("identical", "equivalent"), verdict.reason
    wrong = renamed.replace("table_ptr + x, 1, mask=at < n)", "table_ptr + x, 2, mask=at < n)")
    assert of_texts(TABLE, wrong).verdict == "counterexample"
    # The same wherever numbers are small.
    large = TABLE.replace("int(x.max()) + 1", "int(x.max() * 1.01) + 1")
    assert of_texts(TABLE, large).verdict == "counterexample"
