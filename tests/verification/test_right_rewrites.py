"""None of these rewrites may be accused; those that keep every bit must be called identical."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

_SCALAR_SUM = (
    """    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
""",
    """    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32), axis=0)
    mean = total / N
""",
)
_SHIFTED = (
    """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
""",
    """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    first = tl.arange(0, BLOCK)
    x = tl.load(X + first, mask=first < N, other=0.0).to(tl.float32)
    shift = tl.sum(x, axis=0) / tl.minimum(BLOCK, N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - shift, 0.0)
        shifted += d
        squares += d * d
    rest = tl.sum(shifted, axis=0) / N
    var = tl.sum(squares, axis=0) / N - rest * rest
""",
)

RIGHT = {
    "a scalar accumulator": ("layer_norm", _SCALAR_SUM, "equivalent"),
    "the shifted variance": ("layer_norm", _SHIFTED, "equivalent"),
    "a smaller block": ("layer_norm", ("BLOCK=32", "BLOCK=16"), "equivalent"),
    "exp2 for exp": ("softmax", ("tl.exp(v)", "tl.exp2(v * 1.4426950408889634)"), "equivalent"),
    "a reciprocal": (
        "softmax",
        ("e / tl.sum(e, axis=0)", "e * (1.0 / tl.sum(e, axis=0))"),
        "equivalent",
    ),
    "a larger block": ("add", ("BLOCK=64", "BLOCK=256"), "identical"),
    "where for maximum": (
        "add",
        ("tl.maximum(x + y, 0.0)", "tl.where(x + y > 0.0, x + y, 0.0)"),
        "identical",
    ),
    "other is written": (
        "add",
        ("y = tl.load(y_ptr + offsets, mask=mask)", "y = tl.load(y_ptr + offsets, mask, 0.0)"),
        "identical",
    ),
    "reduced in the loop": (
        "column_sum",
        ("count += tl.sum((x > 0).to(tl.int32), axis=0)", "count += tl.sum((x > 0) + 0, axis=0)"),
        "identical",
    ),
    "more rows in a program": ("column_sum", ("ROWS=4", "ROWS=8"), "equivalent"),
    "the gradient in another order": ("autograd", ("2 * x * dy", "dy * (x + x)"), "identical"),
    "in place, one row at a time": (
        "in_place",
        ("x / (1.0 + total * total)", "x * (1.0 / (1.0 + total * total))"),
        "equivalent",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rewrite_is_accepted(name: str, against: Callable[..., Verdict]) -> None:
    subject, change, expected = RIGHT[name]
    verdict = against(subject, change, max_examples=8)
    assert verdict.verdict == expected, verdict
    assert verdict.examples > 5
    assert (verdict.worst_error is not None) == (expected == "equivalent")
