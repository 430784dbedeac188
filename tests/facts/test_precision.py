"""Where arithmetic may be rounded to the type of the data."""

from __future__ import annotations

import pytest

from tritonopt import facts, source

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, I, Y, n, scale, B: tl.constexpr):
    cols = tl.arange(0, B)
    x = tl.load(X + cols)
    wide = x.to(tl.float32)
    index = tl.load(I + cols)
    acc = 0.0
    for i in range(n):
        acc += tl.sum(wide)
    value = {expression}
    tl.store(Y + index, value)
"""


def narrow_steps(expression: str) -> int:
    kernel = source.read(KERNEL.format(expression=expression)).kernels[0]
    known = facts.of(kernel)
    value = known.interpretation.after["value"]
    return len(list(known.precision.narrow_steps(value)))


@pytest.mark.parametrize(
    "expression",
    [
        "wide * 0.1",
        "x - acc",
        "x * wide",
        "x.to(tl.float32) + x.to(tl.float32)",
        "(wide - tl.sum(wide)) / n",
        "index * 2 + cols",
        "tl.where(cols < n, wide, 0.0) * 2.0",
        "tl.load(X + cols * 2 + n)",
    ],
)
def test_wide_or_integer(expression: str) -> None:
    assert narrow_steps(expression) == 0


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("x * 0.1", 1),
        ("(x * x).to(tl.float32)", 1),
        ("x + x * scale", 2),
        ("wide.to(tl.float16) + 1.0", 1),
        ("tl.where(cols < n, x, 0.0) * 2.0", 1),
    ],
)
def test_in_the_type_of_the_data(expression: str, steps: int) -> None:
    assert narrow_steps(expression) == steps
