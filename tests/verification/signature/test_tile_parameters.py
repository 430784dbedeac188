"""Which parameters of a launcher may say how large a tile is."""

from __future__ import annotations

import pytest

from tritonopt import source
from tritonopt.verification.signature.launchers import Launchers
from tritonopt.verification.signature.tile_parameters import tile_parameters

_KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, count, LENGTH: tl.constexpr):
    o = tl.program_id(0) * LENGTH + tl.arange(0, LENGTH)
    tl.store(y + o, tl.load(x + o, mask=o < n) * count, mask=o < n)
"""


def found(text: str, name: str = "launch") -> set[str]:
    launchers = Launchers(source.read(_KERNEL + text, "kernel.py"))
    return set(tile_parameters(launchers, launchers.named(name)))


@pytest.mark.parametrize(
    "body, tiles",
    [
        ("kernel[(n,)](x, y, n, part, LENGTH=parts)", {"parts"}),
        ("kernel[(n,)](x, y, n, part, 128)", set()),
        ("size = min(parts, 64)\n    kernel[(n,)](x, y, n, part, size)", {"parts"}),
        ("meta = {'LENGTH': part}\n    kernel[(n,)](x, y, n, 1, **meta)", {"part"}),
        ("meta = {}\n    meta['LENGTH'] = part\n    kernel[(n,)](x, y, n, 1, **meta)", {"part"}),
        ("a, b = part, parts\n    kernel[(n,)](x, y, n, a, LENGTH=b)", {"parts"}),
        ("for b in range(part):\n        kernel[(n,)](x, y, n, 1, LENGTH=b)", {"part"}),
        # The length of a row is a quotient, and no tile is as long as what it is divided by.
        ("rows = n // parts\n    kernel[(n,)](x, y, n, 1, triton.next_power_of_2(rows))", {"n"}),
        ("kernel[(n,)](x, y, n, 1, triton.next_power_of_2(triton.cdiv(n, parts)))", {"n"}),
        ("kernel[(n,)](x, y, n, 1, triton.next_power_of_2(parts // 2))", {"parts"}),
        # A view of a tensor is one that was there.
        ("v = x.view(parts, -1)\n    kernel[(n,)](v, y, n, parts, v.shape[-1])", set()),
        ("kernel[(n,)](x, y, n, part, 128, num_warps=parts)", {"parts"}),
        ("inner(x, y, parts, n=n)", {"parts"}),
        ("inner(*(x, y, part), n=n)", {"part"}),
        ("k = kernel if n else None\n    k[(n,)](x, y, n, part, 32)", {"n", "part"}),
    ],
)
def test_what_a_constant_is_made_of(body: str, tiles: set[str]) -> None:
    inner = "\ndef inner(a, b, tile, n):\n    kernel[(n,)](a, b, n, 1, LENGTH=tile)\n"
    text = f"{inner}\ndef launch(x, y, n, part, parts):\n    {body}\n"
    assert found(text) - {"x", "y"} == tiles


def test_what_a_backward_pass_remembers() -> None:
    text = """
def run(x, n, tile):
    kernel[(n,)](x, x, n, 1, LENGTH=tile)

class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, tile, other, third, groups):
        ctx.tile = tile
        ctx.other = other
        run(x, groups, third)
        return x

    @staticmethod
    def backward(ctx, dy):
        run(dy, 1, ctx.tile)
        run(dy, 1, getattr(ctx, "other", None))
        return dy, None, None, None, None
"""
    assert found(text, "Function") == {"tile", "other", "third"}


def test_what_a_decorator_makes_a_constant_of() -> None:
    text = """
@triton.heuristics({"LENGTH": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def tuned(x, y, n, count, LENGTH: tl.constexpr):
    o = tl.arange(0, LENGTH)
    tl.store(y + o, tl.load(x + o, mask=o < n) * count, mask=o < n)

def launch(x, y, part, parts):
    tuned[(1,)](x, y, part, parts)
"""
    assert found(text) == {"part"}
