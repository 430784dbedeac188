"""Wrapped offsets that are too large to compare are left alone, and that is said."""

from __future__ import annotations

from tritonopt import rewrite_source


def test_offsets_that_are_too_large_to_compare() -> None:
    summands, length = ([f"{letter}{i}" for i in range(140)] for letter in "AB")
    text = f"""\
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, {", ".join([*summands, *length])}, BLOCK: tl.constexpr):
    cols = ({" + ".join(summands)} + tl.arange(0, BLOCK)) % ({" + ".join(length)})
    tl.store(Y + tl.arange(0, BLOCK), tl.load(X + cols))
"""
    result = rewrite_source(text, passes="contiguity-hints")
    assert [remark.reason for remark in result.remarks] == ["opaque-value"]
    assert result.text == text
