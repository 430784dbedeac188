"""Counters of interpreted loops are tensors; a literal in place of one is seen to differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.layers import few
from tritonopt.verification import verify

LOOP = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for off in LOOP:
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * (FACTOR), mask=cols < N)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
WRONG = {
    "(off - 5) // 3": "(0 - 5) // 3",
    "(off - 5) % 3": "(0 - 5) % 3",
    "off + 2147483647 + 1": "0 + 2147483647 + 1",
    "(row + off * 1.0) * 2000000000": "row * 2000000000",
    "(N + off - 5) // 3": "(N - 5) // 3",
}


@pytest.mark.parametrize("loop", few(["range(0, N, BLOCK)", "tl.range(0, N, BLOCK)"], 0))
@pytest.mark.parametrize("factor", few(WRONG, 0, 2))
def test_a_literal_in_its_place_is_seen(factor: str, loop: str, tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, loop, factor, WRONG[factor])
    assert verdict == "counterexample"


@pytest.mark.parametrize("factor", few(["(off - 5) // 3", "off + 2147483647 + 1"], 0))
def test_in_an_unrolled_loop_it_is_a_number(factor: str, tmp_path: Path) -> None:
    loop = "tl.static_range(0, 1, BLOCK)"
    assert _verdict(tmp_path, loop, factor, factor.replace("off", "0")) == "identical"


def test_a_bound_of_64_bits_makes_it_as_wide(tmp_path: Path) -> None:
    loop = "range(0, tl.cast(N, tl.int64), BLOCK)"
    factor = "(off + 2147483647 + 1) // 2147483648"
    assert _verdict(tmp_path, loop, factor, "1") == "identical"


def _verdict(folder: Path, loop: str, factor: str, other: str) -> str:
    paths = []
    for name, text in (("before", factor), ("after", other)):
        paths.append(folder / f"{name}.py")
        paths[-1].write_text(LOOP.replace("LOOP", loop).replace("FACTOR", text))
    return str(verify(*paths, backend="interpreter", max_examples=12).verdict)
