"""Every one of these rewrites is wrong, and has to be found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

_SECOND_SWEEP = """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
"""
_MOMENTS = """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    var = tl.sum(squares, axis=0) / N - mean * mean
"""
_MAX = "v = v - tl.max(v, axis=0)"
_LOAD_Y = "y = tl.load(y_ptr + offsets, mask=mask)"
_STORE_SUM = "    tl.store(out_ptr"
_TOTAL = "    total = tl.sum(x, axis=1)[:, None]\n"
_HAZARD = """    tl.store(x_ptr + rows * n + cols, x * 2, mask=mask)
    x2 = tl.load(x_ptr + rows * n + cols, mask=mask, other=0.0)
    total = tl.sum(x2, axis=1)[:, None]
"""

WRONG = {
    "padding lanes count in the variance": (
        "layer_norm",
        "d = tl.where(cols < N, x - mean, 0.0)",
        "d = x - mean",
    ),
    "cancellation": ("layer_norm", _SECOND_SWEEP, _MOMENTS),
    "the last tile is missed": (
        "layer_norm",
        _SECOND_SWEEP,
        _SECOND_SWEEP.replace("range(0, N, BLOCK)", "range(0, N - BLOCK + 1, BLOCK)"),
    ),
    "only the last tile is used": ("layer_norm", "total += tl.load", "total = tl.load"),
    "the accumulator is not reset": (
        "layer_norm",
        "squares = tl.zeros([BLOCK], dtype=tl.float32)",
        "squares = total",
    ),
    "float16 too early": (
        "layer_norm",
        "squares += d * d",
        "squares += (d * d).to(tl.float16).to(tl.float32)",
    ),
    "N - 1 for N": (
        "layer_norm",
        "tl.sum(squares, axis=0) / N",
        "tl.sum(squares, axis=0) / (N - 1)",
    ),
    "the mean is not stored": ("layer_norm", "tl.store(Mean + row, mean)", "pass"),
    "the stride of another tensor": ("layer_norm", "X += row * stride", "X += row * N"),
    "another eps": ("layer_norm", "tl.sqrt(var + eps)", "tl.sqrt(var + 2e-5)"),
    "nothing is stored": (
        "softmax",
        "tl.store(out + row * n + cols, e / tl.sum(e, axis=0), mask=mask)",
        "pass",
    ),
    "other is 0, not -inf": ("softmax", 'other=-float("inf")', "other=0.0"),
    "the maximum is not subtracted": ("softmax", _MAX, "v = v - 0.0"),
    "NaN is swallowed": ("softmax", _MAX, f"v = tl.where(v == v, v, 0.0)\n    {_MAX}"),
    "off by one in the mask": ("softmax", "axis=0), mask=mask)", "axis=0), mask=cols < n - 1)"),
    "a store outside": ("add", "0.0), mask=mask)", "0.0), mask=offsets < n + 1)"),
    "the mask of the store is dropped": ("add", "0.0), mask=mask)", "0.0))"),
    "the mask of the load is dropped": ("add", _LOAD_Y, "y = tl.load(y_ptr + offsets)"),
    "a load far outside": (
        "add",
        _LOAD_Y,
        "y = tl.load(y_ptr + offsets.to(tl.int64) * 1000000007, mask=mask)",
    ),
    "NaN where it was dropped": (
        "add",
        "tl.maximum(x + y, 0.0)",
        "tl.where(x + y < 0.0, 0.0, x + y)",
    ),
    "one program too few": ("add", "triton.cdiv(n, meta", "max(1, n // meta"),
    "the input is changed": (
        "add",
        _STORE_SUM,
        f"    tl.store(x_ptr + offsets, x + 1, mask=mask)\n{_STORE_SUM}",
    ),
    "another type comes back": ("add", "return out", "return out.double()"),
    "it raises": ("add", "n = out.numel()", "n = out.numel()\n    assert n < 100"),
    "in-place hazard": ("in_place", _TOTAL, _HAZARD),
    "programs write each other's rows": (
        "in_place",
        "rows = tl.program_id(0) * 4",
        "rows = tl.program_id(0) * 3",
    ),
    "wrong axis": ("column_sum", "tl.sum(total, axis=0)", "tl.sum(tl.sum(total, axis=1))"),
    "a count that is off": ("column_sum", "(x > 0)", "(x >= 0)"),
    "a lane without other decides": ("column_sum", "mask=mask, other=0.0)", "mask=mask)"),
    "the gradient is half": ("autograd", "2 * x * dy", "x * dy"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rewrite_is_found(name: str, against: Callable[..., Verdict]) -> None:
    subject, old, new = WRONG[name]
    verdict = against(subject, (old, new), max_examples=8)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample
