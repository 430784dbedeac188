"""Offsets that are no longer computed in 64 bits: no call that is run shows what that does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.surroundings import narrowed_offsets
from tritonopt.verification.coverage.text_differences import Comparison

ROWS = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first = row * n
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + first + cols, mask=cols < n, other=0.0)
    kept = (x > 0).to(tl.int64)
    tl.store(y_ptr + first + cols, 2 * x * kept, mask=cols < n)

def launch(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    double[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
REWRITES = {
    "dropped": ((".to(tl.int64)\n    first", "\n    first"), [8]),
    "narrower": (("0).to(tl.int64)", "0).to(tl.int32)"), [8]),
    "elsewhere": ((".to(tl.int64)\n    first = row", "\n    first = row.to(tl.int64)"), []),
    "by cast": (("tl.program_id(0).to(tl.int64)", "tl.cast(tl.program_id(0), tl.int64)"), []),
    "of no offset": (("(x > 0).to(tl.int64)", "(x > 0).to(tl.int32)"), []),
    "beside it": (("2 * x", "x * 2"), []),
}


@pytest.mark.parametrize("name", REWRITES)
def test_offsets_that_lose_bits(name: str) -> None:
    change, lines = REWRITES[name]
    changed = ROWS.replace(*change)
    assert changed != ROWS
    compared = Comparison.of(source.read(ROWS, "f.py"), source.read(changed, "f.py"))
    assert narrowed_offsets(compared) == lines


def test_they_are_no_yes(of_texts: Callable[..., Verdict]) -> None:
    changed = ROWS.replace(*REWRITES["dropped"][0])
    verdict = of_texts(ROWS, changed, max_examples=2)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "(line 8)" in verdict.reason
    verdict = of_texts(ROWS, changed, max_examples=2, assume_covered=True)
    assert verdict.verdict == "identical", verdict
    assert any("never to need them" in note for note in verdict.notes)
