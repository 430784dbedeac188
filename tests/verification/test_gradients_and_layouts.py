"""What a caller sees besides values: gradients on request, strides, memory far apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few, number
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


@pytest.mark.parametrize("shown", few(GRADIENTS, 2))
def test_gradients_in_other_ways_than_all_at_once(
    shown: str, of_texts: Callable[..., Verdict]
) -> None:
    old, new = GRADIENTS[shown]
    assert old in SQUARE
    verdict = of_texts(SQUARE, SQUARE.replace(old, new), max_examples=40)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and shown in verdict.counterexample


def test_what_a_backward_pass_allocates_is_guarded() -> None:
    torch = pytest.importorskip("torch")
    from tritonopt.verification.worker.guarded_memory import Allocations, Arena, also_in_backward

    class Untouched(torch.autograd.Function):  # type: ignore[misc]  # torch is untyped here
        @staticmethod
        def forward(ctx: object, x: object) -> object:
            return x * 2  # type: ignore[operator]

        @staticmethod
        def backward(ctx: object, gradient: object) -> object:
            return torch.empty_like(gradient)

    arena = Arena("cpu", 0, 2**20)
    allocations = Allocations(
        arena, pretend_cuda=False, launching=lambda: False, using=lambda tensor: None
    )
    x = torch.ones(4, requires_grad=True)
    with allocations, also_in_backward(allocations):
        y = Untouched.apply(x)
        (gradient,) = torch.autograd.grad([y], [x], [torch.ones_like(y)])
    buffer = arena.buffer_of(gradient)
    assert buffer is not None and not buffer.written


def test_a_gradient_with_an_element_that_is_not_written(of_texts: Callable[..., Verdict]) -> None:
    """What lies there may well be what the original left there a moment before."""
    old = SQUARE.replace("dx = product(dz, y)", "dx = torch.empty_like(dz)\n        "
                         "product_kernel[(triton.cdiv(dz.numel(), 16),)](dz, y, dx, dz.numel(), "
                         "BLOCK=16)")  # fmt: skip
    verdict = of_texts(old, old.replace("dx, dz.numel(),", "dx, dz.numel() - 1,"), max_examples=4)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "only the original writes an element" in verdict.counterexample


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


def test_neighbors_that_are_far_apart(of_texts: Callable[..., Verdict]) -> None:
    narrow = COPY.replace(".to(tl.int64)", "")
    verdict = of_texts(COPY, narrow, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and "neighbors so far" in verdict.counterexample


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


SPREAD = f"""{_HEAD}
@triton.jit
def spread_kernel(x, y, n, step_m, step_n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * step_m + cols * step_n, mask=cols < n)
    tl.store(y + row * n + cols, v, mask=cols < n)


# tritonopt: x: f32[m, n]
def spread(x: torch.Tensor):
    m, n = x.shape
    z = torch.broadcast_to(x, (m, n))
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n)
    spread_kernel[(m,)](z, y, n, z.stride(0), z.stride(1), BLOCK=block)
    return y
"""

VIEWS = {
    "of a function": ("z.stride(1)", "1"),
    "of a method": ("torch.broadcast_to(x, (m, n))", "x.t().t()", "z.stride(1)", "1"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_strides_of_a_view_are_those_of_its_tensor(
    name: str, of_texts: Callable[..., Verdict]
) -> None:
    *same, asked, instead = VIEWS[name]
    old = SPREAD.replace(*same) if same else SPREAD
    verdict = of_texts(old, old.replace(asked, instead), max_examples=5)
    assert verdict.verdict == "counterexample", verdict


STACKED = f"""{_HEAD}
@triton.jit
def row_kernel(x, y, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < size), mask=at < size)


# tritonopt: tensors: [f32[m, n], f32[m, n]]
def stacked(tensors: list[torch.Tensor]):
    tensors = [x if x.dtype == torch.float32 else x.float() for x in tensors]
    y = torch.empty(len(tensors), *tensors[0].shape, device=tensors[0].device)
    for place in range(len(tensors)):
        some = tensors[place : place + 1]
        x = some[0].contiguous()
        row_kernel[(triton.cdiv(x.numel(), 16),)](x, y[place], x.numel(), BLOCK=16)
    return y
"""


def test_strides_of_tensors_in_a_list_that_is_made_again(of_texts: Callable[..., Verdict]) -> None:
    other = STACKED.replace("some[0].contiguous()", "some[0]")
    verdict = of_texts(STACKED, other, max_examples=5)
    assert verdict.verdict == "counterexample", verdict


def test_strides_that_are_passed_all_at_once(of_texts: Callable[..., Verdict]) -> None:
    text = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x, y, sm, sn, M, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at // N * sm + at % N * sn, mask=at < M * N, other=0.0)
    tl.store(y + at, 2 * v, mask=at < M * N)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, n, device=x.device)
    double[(triton.cdiv(m * n, 64),)](x, y, *x.stride(), m, n, BLOCK=64)
    return y
"""
    verdict = of_texts(text, text.replace("at // N * sm", "at // N * (sn * N)"))
    assert verdict.verdict == "counterexample", verdict.reason


FLAT = f"""{_HEAD}
@triton.jit
def double(x, y, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < size), mask=at < size)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    double[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""


def test_strides_of_what_is_made_like_a_dense_tensor(of_texts: Callable[..., Verdict]) -> None:
    changed = FLAT.replace("    y = torch", "    x = x.contiguous()\n    y = torch")
    verdict = of_texts(FLAT, changed, max_examples=5)
    assert verdict.verdict == "counterexample", verdict
    assert "a returned tensor has other strides" in (verdict.counterexample or "")


def test_a_dense_tensor_that_the_original_reads_as_rows_is_not_drawn(
    of_texts: Callable[..., Verdict],
) -> None:
    """What is stored by the number of the element would be another one."""
    numbered = FLAT.replace("2 * tl.load(x + at, mask=at < size)", "at").replace(
        "torch.empty_like(x)", "torch.empty(x.shape, device=x.device)"
    )
    rows = FLAT.replace("2 * tl", "at + tl").replace("_like(x)", "(x.shape, device=x.device)")
    for text in (numbered, rows)[: number(1, 2)]:
        changed = text.replace("    y = torch", "    x = x.contiguous()\n    y = torch")
        verdict = of_texts(text, changed, max_examples=5)
        assert verdict.verdict == "identical", verdict.counterexample


HEADS = """
import torch
import triton
import triton.language as tl


@triton.jit
def twice(x, y, xb, xh, xl, yb, yh, yl, h, d, BLOCK: tl.constexpr):
    at, head, batch = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + batch * xb + head * xh + at * xl + cols, mask=cols < d)
    tl.store(y + batch * yb + head * yh + at * yl + cols, 2 * v, mask=cols < d)


# tritonopt: x: f32[b, h, l, 16]
def launch(x):
    assert x.stride(3) == 1
    b, h, l, d = x.shape
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    twice[(l, h, b)](x, y, *x.stride()[:3], *y.stride()[:3], h, d, BLOCK=16)
    return y
"""


def test_strides_of_what_is_returned_where_tokens_come_before_heads(
    of_texts: Callable[..., Verdict],
) -> None:
    new = HEADS.replace(
        "torch.empty(x.shape, dtype=x.dtype, device=x.device)", "torch.empty_like(x)"
    )
    assert of_texts(HEADS, new).verdict == "counterexample"
