"""What a caller sees besides values: gradients on request, strides, memory far apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

_HEAD = """
import torch
import triton
import triton.language as tl
"""

SQUARE = f"""{_HEAD}
@triton.jit
def product_kernel(x, y, z, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + cols, mask=cols < n)
    tl.store(z + cols, a * tl.load(y + cols, mask=cols < n), mask=cols < n)


def product(x, y):
    z = torch.empty_like(x)
    product_kernel[(triton.cdiv(x.numel(), 16),)](x, y, z, x.numel(), BLOCK=16)
    return z


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, y: torch.Tensor):
        assert x.shape == y.shape
        x, y = x.contiguous(), y.contiguous()
        ctx.save_for_backward(x, y)
        return product(x, y)

    @staticmethod
    def backward(ctx, dz):
        x, y = ctx.saved_tensors
        dz = dz.contiguous()
        dx = product(dz, y)
        dy = product(dz, x)
        return dx, dy


def multiplied(x: torch.Tensor, y: torch.Tensor):
    # tritonopt: x: f32[n], y: f32[n]
    z = Product.apply(x, y)
    return z
"""

GRADIENTS = {
    "with the gradients of y": (
        "        dx = product(dz, y)\n        dy = product(dz, x)\n",
        "        dx = product(dz, y)\n"
        "        dy = product(dz, x) if ctx.needs_input_grad[0] else torch.zeros_like(dz)\n",
    ),
    "twice": (
        "        dx = product(dz, y)\n",
        "        dx = product(dz, y)\n        ctx.calls = getattr(ctx, 'calls', 0) + 1\n"
        "        dx = dx * ctx.calls\n",
    ),
    "under torch.no_grad()": (
        "    z = Product.apply(x, y)\n",
        "    z = Product.apply(x, y)\n    z = z if torch.is_grad_enabled() else z + 1\n",
    ),
}


@pytest.mark.parametrize("shown", GRADIENTS)
def test_gradients_in_other_ways_than_all_at_once(
    shown: str, of_texts: Callable[..., Verdict]
) -> None:
    old, new = GRADIENTS[shown]
    assert old in SQUARE
    verdict = of_texts(SQUARE, SQUARE.replace(old, new), max_examples=40)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and shown in verdict.counterexample


COPY = f"""{_HEAD}
@triton.jit
def copy_kernel(x, y, n, step, BLOCK: tl.constexpr):
    cols = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    v = tl.load(x + cols * step, mask=cols < n)
    tl.store(y + cols, v, mask=cols < n)


def copied(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    copy_kernel[(triton.cdiv(n, 16),)](x, y, n, x.stride(0), BLOCK=16)
    return y
"""


def test_strides_of_what_is_returned(of_texts: Callable[..., Verdict]) -> None:
    other = COPY.replace("    return y", "    return torch.stack([y, y], dim=1)[:, 0]")
    verdict = of_texts(COPY, other, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and "other strides" in verdict.counterexample


def test_neighbours_that_are_far_apart(of_texts: Callable[..., Verdict]) -> None:
    narrow = COPY.replace(".to(tl.int64)", "")
    verdict = of_texts(COPY, narrow, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and "neighbours so far" in verdict.counterexample


def test_values_far_below_zero(of_texts: Callable[..., Verdict]) -> None:
    text = f"""{_HEAD}
@triton.jit
def largest_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    above = -float("inf")
    for start in range(0, n, BLOCK):
        v = tl.load(x + start + cols, mask=start + cols < n, other=-float("inf"))
        above = tl.maximum(above, tl.max(v, axis=0))
    tl.store(y, above)


# tritonopt: x: f32[n]
def largest(x):
    y = torch.empty(1, dtype=x.dtype, device=x.device)
    largest_kernel[(1,)](x, y, x.numel(), BLOCK=16)
    return y
"""
    verdict = of_texts(text, text.replace('above = -float("inf")', "above = -1e9"), max_examples=2)
    assert verdict.verdict == "counterexample", verdict


def test_what_the_original_leaves_unwritten_on_strided_inputs_is_no_evidence(
    of_texts: Callable[..., Verdict],
) -> None:
    text = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, stride, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < n
    tl.store(y + at, tl.load(x + at, mask=inside) * 2, mask=inside)


# tritonopt: x: f32[m, n]
def double(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
"""
    verdict = of_texts(text, text.replace("empty_like", "zeros_like"), max_examples=20)
    assert verdict.verdict == "identical", verdict
    # Where it is made for the input, what it leaves alone has to be left alone.
    partly = text.replace("* 2, mask=inside)", "* 2, mask=inside & (at % 2 == 0))")
    verdict = of_texts(partly, partly.replace("& (at % 2 == 0)", "& (at >= 0)"), max_examples=20)
    assert verdict.verdict == "counterexample", verdict
