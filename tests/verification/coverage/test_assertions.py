"""An assertion that a rewrite adds always holds; where it does not, it does not compile.

One of the device is left out by the compiler and by the interpreter, unless they debug.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

_ORIGINAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < n, other=0.0)
    tl.store(Y + at, x * 2, mask=at < n)


# tritonopt: x: f32[n]
def doubled(x):
    y = torch.empty_like(x)
    n = x.numel()
    double[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
"""
_LOAD = "    x = tl.load"


@pytest.mark.parametrize(
    ("asserted", "expected"),
    [
        ("tl.static_assert(BLOCK >= 16)", "identical"),
        ("tl.device_assert(n <= 2147483647)", "identical"),
        ("tl.static_assert(BLOCK >= 64)", "counterexample"),
        ("tl.static_assert(BLOCK != 32)", "counterexample"),
    ],
)
def test_assertions(of_texts: Callable[..., Verdict], asserted: str, expected: str) -> None:
    rewritten = _ORIGINAL.replace(_LOAD, f"    {asserted}\n{_LOAD}")
    verdict = of_texts(_ORIGINAL, rewritten, backend="interpreter", max_examples=4)
    assert verdict.verdict == expected, verdict
