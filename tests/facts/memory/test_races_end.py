"""Looking for races comes to an end where a launcher's tensor is like itself."""

from __future__ import annotations

from tritonopt import facts, source
from tritonopt.facts.memory.races import find_races

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def shift(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)


def run(x):
    flat = x.reshape(-1).contiguous()
    n = flat.numel()
    shift[(triton.cdiv(n, 64),)](flat, n, BLOCK=64)
"""


def test_a_chain_at_one_place() -> None:
    (kernel,) = source.read(TEXT, "shift.py").kernels
    assert list(find_races(facts.of(kernel))) == []
