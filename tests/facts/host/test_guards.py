"""What a launcher lets through: of sizes that it refuses no lint gives an example."""

from __future__ import annotations

import textwrap

import pytest

from tests.facts.support import facts_of
from tritonopt.facts.memory.buffers import find_overruns

TEXT = """
{head}
@triton.jit
def kernel(X, Y, N, D: tl.constexpr):
    {inside}
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


{above}
def launch(x, {parameters}):
    m, d = x.shape
{checks}
    y = torch.empty_like(x)
    kernel[(m,)](x, y, d, D=128)
    return y
"""

HELPERS = """
import sys
from elsewhere import refuse

HEAD, HEADS = 128, (128,)

def check(x):
    assert x.shape[1] == 128

def checks(x):
    check(x)

def rows(x):
    check(x)
    return x.shape[0]

def fits(d):
    return d == 128
"""


def is_reported(
    checks: str = "", *, parameters: str = "w=None", inside: str = "", above: str = ""
) -> bool:
    """Whether a row that is shorter than the tile is let through."""
    text = TEXT.format(
        head=HELPERS,
        inside=inside,
        above=above,
        parameters=parameters,
        checks=textwrap.indent(textwrap.dedent(checks), "    "),
    )
    return bool(list(find_overruns(facts_of(text, "kernel"))))


@pytest.mark.parametrize(
    "checks",
    [
        "assert d == 128",
        "assert x.shape[1] == HEAD",
        "assert 128 <= d <= 128",
        "assert d >= 128 and d <= 128",
        "assert d % 128 == 0 and 0 < d < 256",
        "assert x.is_cuda and x.shape[-1] == 128, 'rows of 128'",
        "if d != 128:\n    raise ValueError(d)",
        "if d != 128:\n    return x * 2",
        "if d == 128:\n    pass\nelse:\n    raise ValueError(d)",
        "if m == 0:\n    return x\nelif d != 128:\n    raise ValueError(d)",
        "if x.dtype == torch.int8 or d != 128:\n    raise ValueError(d)",
        "if x.is_cuda:\n    if d != 128:\n        raise ValueError(d)\nelse:\n    return x",
        "if d != 128:\n    sys.exit(1)",
        "torch._check(d == 128, lambda: 'no')",
        "torch._check_value(d == 128)",
        "torch._assert(x.size(1) == 128, 'no')",
        "assert x.shape == (m, 128)",
        "assert x.size() == torch.Size([m, 128])",
        "assert (x.dim(), d) == (2, 128)",
        "assert tuple(x.shape[1:]) == (128,)",
        "assert x.shape[-1:] == (128,)",
        "assert x.numel() == m * 128",
        "assert x.stride(0) == 128",
        "assert d in (128,)",
        "assert d in HEADS",
        "assert (d if x.is_cuda else 0) == 128",
        "assert all(s == 128 for s in x.shape[1:])",
        "ok = d == 128\nassert ok",
        "bad = d != 128\nif bad:\n    return x",
        "assert fits(d)",
        "if not fits(d):\n    return x",
        "check(x)",
        "checks(x)",
        "m = rows(x)",
        "refuse(d)",
        "if (k := d) != 128:\n    raise ValueError(k)",
        "for s in x.shape[1:]:\n    assert s == 128",
        "try:\n    assert d == 128\nexcept AssertionError:\n    return x",
        "with torch.no_grad():\n    assert d == 128",
        "match d:\n    case 128:\n        pass\n    case _:\n        raise ValueError(d)",
        "assert w.shape == (128,) and w.shape[0] == d",
        "assert w.shape == (m, 128)\nassert x.shape == w.shape",
        "assert w.shape == (3, 128)\nif x.shape[1:] != w.shape[1:]:\n    raise ValueError",
        "x.view(m, 128)",
        "rest = x.reshape(-1, m, 128)",
    ],
)
def test_lengths_that_are_refused_are_not_tried(checks: str) -> None:
    assert not is_reported(checks)


@pytest.mark.parametrize(
    "checks",
    [
        "",
        "assert m > 0 and d > 0",
        "assert d <= 128",
        "assert d == 128 or d == 64",
        "assert d in (32, 64, 128)",
        "assert x.shape == (m, d)",
        "assert x.is_cuda and x.is_contiguous() and x.ndim == 2",
        "assert w is None or w.shape == x.shape",
        "if x.dtype not in (torch.float16, torch.float32):\n    raise TypeError",
        "if x.requires_grad:\n    return x",
        "print(d)",
        "x.view(m, d)",
        "x.view(torch.int8)",
        "for t in (x, w):\n    assert t.is_cuda",
        "if m == 0:\n    return x",
    ],
)
def test_lengths_that_are_let_through_are_tried(checks: str) -> None:
    assert is_reported(checks)


def test_a_length_that_the_caller_gives() -> None:
    assert not is_reported("assert n == 128\nassert d == n", parameters="n")
    assert not is_reported("assert d == n and n == 128", parameters="n=64")
    assert is_reported("assert d == n", parameters="n=128")


@pytest.mark.parametrize(
    "inside",
    [
        "tl.static_assert(N == D)",
        "tl.assume(N == D)",
        "tl.device_assert(N == D)",
        "assert N == D",
        "if N != D:\n        return",
    ],
)
def test_what_the_kernel_asks_for_counts(inside: str) -> None:
    assert not is_reported(inside=inside)
    assert is_reported(inside=inside.replace("N == D", "N <= D").replace("N != D", "N > D"))


def test_sizes_that_are_written_at_the_launcher() -> None:
    assert not is_reported(above="# tritonopt: x: f32[m, 128]")
    assert is_reported(above="# tritonopt: x: f32[m, n]")
    assert not is_reported(parameters="w: 'Float[Tensor, \"m 128\"]' = None")
