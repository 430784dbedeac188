"""What bounds a bare pointer is read from the kernel's masks, however they are written."""

from __future__ import annotations

import textwrap

import pytest

from tritonopt import source
from tritonopt.verification.signature.kernel_launcher import index_pointers, pointers

HEAD = """
import triton
import triton.language as tl


@triton.jit
def helper(p, at, end):
    return tl.load(p + at, mask=at < end)


@triton.jit
def kernel(x, y, n, m, stride, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
"""


def kernel_of(body: str) -> source.Kernel:
    module = source.read(HEAD + textwrap.indent(textwrap.dedent(body), "    "))
    kernel = module.kernel("kernel")
    assert kernel is not None
    return kernel


def bounds(body: str) -> dict[str, str | None]:
    return pointers(kernel_of(body))


@pytest.mark.parametrize(
    "access",
    [
        "tl.load(x + cols, mask=cols < n)",
        "tl.load(x + cols, mask=n > cols)",
        "tl.load(x + cols, mask=cols - n < 0)",
        "tl.load(x + (cols + 0), mask=(cols < n) & (pid < m))",
        "tl.load(x + pid * BLOCK + cols, mask=pid * BLOCK + cols < n)",
        "tl.load(cols + x, cols < n)",
        "tl.load(x + cols, mask=cols <= n - 1)",
        "helper(x, cols, n)",
    ],
)
def test_the_bound_is_what_the_mask_says(access: str) -> None:
    assert bounds(access) == {"x": "n"}


@pytest.mark.parametrize(
    "body",
    [
        "at = cols\ninside = at < n\ntl.load(x + cols, mask=inside)",
        "for at in range(0, n, BLOCK):\n    tl.load(x + at + cols, mask=cols < n - at)",
        "for at in range(0, n, BLOCK):\n    tl.load(x + cols, mask=cols < n - at)\n    x += BLOCK",
        "if pid < n:\n    tl.load(x + pid)",
    ],
)
def test_by_other_names_and_in_loops(body: str) -> None:
    assert bounds(body) == {"x": "n"}


@pytest.mark.parametrize(
    "body",
    [
        "tl.load(x + cols)",
        "tl.load(x + cols, mask=cols >= n)",
        "tl.load(x + cols, mask=(cols < n) | (pid < m))",
        "tl.load(x + cols, mask=(cols < n) & (cols < m))",
        "tl.load(x + pid * stride + cols, mask=cols < n)",
        "tl.load(x + cols, mask=cols < n)\ntl.load(x + cols, mask=cols < m)",
        "tl.load(x + cols, mask=pid < n)",
        "if pid < n:\n    pass\nelse:\n    tl.load(x + pid * 2)",
    ],
)
def test_no_bound_is_guessed(body: str) -> None:
    assert bounds(body) == {"x": None}


def test_one_element_a_program() -> None:
    body = "tl.store(y + tl.program_id(1), tl.load(x + pid))"
    assert bounds(body) == {"x": "program 0", "y": "program 1"}


@pytest.mark.parametrize(
    ("body", "indices"),
    [
        ("at = tl.load(x + cols, mask=cols < n)\ntl.load(y + at)", {"x"}),
        ("at = tl.load(x + pid).to(tl.int64) * stride\ntl.store(y + at + cols, 0.0)", {"x"}),
        ("tl.load(y + helper(x, cols, n))", {"x"}),
        ("v = tl.load(x + cols)\ntl.store(y + cols, v)", set()),
        ("v = tl.load(x + cols)\ntl.store(y + cols, v, mask=v > 0)", set()),
        ("v = tl.load(x + cols)\ntl.store(y + tl.where(v > 0, cols, cols + n), v)", set()),
        ("v = tl.load(x + pid)\nif v > 0:\n    tl.store(y + cols, 1.0)", set()),
    ],
)
def test_what_becomes_part_of_an_address_is_whole(body: str, indices: set[str]) -> None:
    assert index_pointers(kernel_of(body)) == indices
