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

WRONG = {
    "padding lanes count in the variance": (
        "layer_norm",
        [("d = tl.where(cols < N, x - mean, 0.0)", "d = x - mean")],
    ),
    "cancellation: E[x^2] - mean^2": ("layer_norm", [(_SECOND_SWEEP, _MOMENTS)]),
    "the last tile is missed": (
        "layer_norm",
        [("for start in range(0, N, BLOCK):\n        cols = start + tl.arange(0, BLOCK)\n        x =",
          "for start in range(0, N - BLOCK + 1, BLOCK):\n"
          "        cols = start + tl.arange(0, BLOCK)\n        x =")],
    ),
    "only the first tile is used": (
        "layer_norm",
        [("total += tl.load", "total = tl.load")],
    ),
    "the accumulator keeps the first sweep": (
        "layer_norm",
        [("    squares = tl.zeros([BLOCK], dtype=tl.float32)\n", "    squares = total * 0.01\n")],
    ),
    "float16 too early": (
        "layer_norm",
        [("squares += d * d", "squares += (d.to(tl.float16) * d.to(tl.float16)).to(tl.float32)")],
    ),
    "N - 1 for N": ("layer_norm", [("var = tl.sum(squares, axis=0) / N", "var = tl.sum(squares, axis=0) / (N - 1)")]),
    "the mean is not stored": ("layer_norm", [("    tl.store(Mean + row, mean)\n", "")]),
    "the stride of the wrong tensor": ("layer_norm", [("X += row * stride", "X += row * N")]),
    "eps is forgotten": ("layer_norm", [("tl.sqrt(var + eps)", "tl.sqrt(var + 1e-3)")]),
    "nothing is stored": (
        "softmax",
        [("tl.store(out + row * n + cols, e / tl.sum(e, axis=0), mask=mask)", "pass")],
    ),
    "other is 0, not -inf": ("softmax", [('other=-float("inf")', "other=0.0")]),
    "the maximum is not subtracted": ("softmax", [("v = v - tl.max(v, axis=0)", "v = v - 0.0")]),
    "NaN is swallowed": (
        "softmax",
        [("v = v - tl.max(v, axis=0)", "v = tl.where(v == v, v, 0.0)\n    v = v - tl.max(v, axis=0)")],
    ),
    "off by one in the mask of the store": (
        "softmax",
        [("axis=0), mask=mask)", "axis=0), mask=cols < n - 1)")],
    ),
    "a store outside": ("add", [("0.0), mask=mask)", "0.0), mask=offsets < n + 1)")]),
    "the mask of the store is dropped": ("add", [("0.0), mask=mask)", "0.0))")]),
    "the mask of the load is dropped": (
        "add",
        [("y = tl.load(y_ptr + offsets, mask=mask)", "y = tl.load(y_ptr + offsets)")],
    ),
    "a load far outside kills the process or is refused": (
        "add",
        [("y = tl.load(y_ptr + offsets, mask=mask)",
          "y = tl.load(y_ptr + offsets.to(tl.int64) * 1000000007, mask=mask)")],
    ),
    "a NaN gives NaN where it gave 0": (
        "add",
        [("tl.maximum(x + y, 0.0)", "tl.where(x + y < 0.0, 0.0, x + y)")],
    ),
    "one program too few": ("add", [("triton.cdiv(n, meta", "max(1, n // meta")]),
    "the input is changed": (
        "add",
        [("    tl.store(out_ptr", "    tl.store(x_ptr + offsets, x + 1, mask=mask)\n    tl.store(out_ptr")],
    ),
    "another type comes back": ("add", [("return out", "return out.double()")]),
    "it raises": ("add", [("    n = out.numel()\n", "    n = out.numel()\n    assert n < 100\n")]),
    "in-place hazard: stored before it is read": (
        "in_place",
        [("    total = tl.sum(x, axis=1)[:, None]\n",
          "    tl.store(x_ptr + rows * n + cols, x * 2, mask=mask)\n"
          "    total = tl.sum(tl.load(x_ptr + rows * n + cols, mask=mask, other=0.0), axis=1)[:, None]\n")],
    ),
    "programs write each other's rows": (
        "in_place",
        [("    rows = tl.program_id(0) * 4", "    rows = tl.program_id(0) * 3")],
    ),
    "wrong axis": ("column_sum", [("tl.sum(total, axis=0)", "tl.sum(tl.sum(total, axis=1))")]),
    "a count that is off by one": ("column_sum", [("(x > 0)", "(x >= 0)")]),
    "the gradient is half": ("autograd", [("2 * x * dy", "x * dy")]),
    "a lane without other decides": (
        "column_sum",
        [("mask=mask, other=0.0)", "mask=mask)")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rewrite_is_found(name: str, against: Callable[..., Verdict]) -> None:
    subject, changes = WRONG[name]
    verdict = against(subject, *changes, max_examples=30)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample
