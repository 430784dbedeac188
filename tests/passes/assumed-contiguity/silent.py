import torch
import triton
import triton.language as tl


# case: made_contiguous_by_each_caller
# like: rows_found_by_a_division
# expect: silent
"""The launcher is called with contiguous tensors alone."""
#     return y
#+
#+
#+def scaled(x, s):
#+    return launch(x.contiguous(), s)


# case: checked_in_a_loop
# like: rows_found_by_a_division
# expect: silent
"""Each tensor is asked."""
# def launch(x, s):
#+    assert all(t.is_contiguous() for t in (x, s))


# case: checked_by_other_code
# like: rows_found_by_a_division
# expect: silent
"""What `check` does is not seen."""
# def launch(x, s):
#+    check(x)


# case: expanded_and_cast
# expect: silent
"""A cast copies."""


@triton.jit
def kernel(X, M, Y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    keep = tl.load(M + at, mask=at < N)
    tl.store(Y + at, x * keep, mask=at < N)


def launch(x, mask):
    x = x.contiguous()
    y = torch.empty_like(x)
    all_of_it = mask.expand(x.shape).to(torch.int32)
    kernel[(triton.cdiv(x.numel(), 64),)](x, all_of_it, y, x.numel(), BLOCK=64)
    return y


# case: some_rows
# expect: silent
"""Whole rows of a contiguous tensor lie side by side."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    tl.store(Y + at, x * 2, mask=at < N)


def launch(x):
    top = x.contiguous()[:4]
    y = torch.empty_like(top)
    kernel[(triton.cdiv(top.numel(), 64),)](top, y, top.numel(), BLOCK=64)
    return y


# case: matrix_with_the_stride_of_its_rows
# expect: silent
"""Of two dimensions one stride is that of the rows."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x))


def launch(x):
    m, n = x.shape
    rows = x.numel() // n
    y = torch.empty((rows,), device=x.device)
    kernel[(rows,)](x, y, x.stride(-2), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: gradient_made_contiguous
# like: gradient_of_autograd
# expect: silent
"""In the function that autograd calls."""
#-def launch(g, n):
#+def launch(g):
#-    kernel[(triton.cdiv(n, 64),)](g, dx, g.numel(), BLOCK=64)
#+    kernel[(triton.cdiv(g.numel(), 64),)](g, dx, g.numel(), BLOCK=64)
#-        return launch(grad, grad.numel())
#+        return launch(grad.contiguous())


# case: a_random_number_for_four_elements
# expect: silent
"""No row is found by the division: the result lies in memory as the input does."""


@triton.jit
def kernel(X, Y, seed, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    keep = tl.rand(seed, at // 4) > 0.5
    tl.store(Y + at, tl.where(keep, x, 0.0), mask=at < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m * n, 64),)](x, y, 3, m * n, BLOCK=64)
    return y


# case: gradient_of_a_number
# expect: silent
"""One number is read, which every layout has at the start."""


@triton.jit
def scale(X, g, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    tl.store(X + cols, x * tl.load(g), mask=cols < N)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, inner):
        ctx.save_for_backward(inner.contiguous())
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        (inner,) = ctx.saved_tensors
        scale[(triton.cdiv(inner.numel(), 1024),)](inner, grad, inner.numel(), BLOCK=1024)
        return inner, None


# case: gradient_read_by_a_moving_block
# expect: silent
"""The block pointer has the strides of the gradient."""


@triton.jit
def backward(G, Y, M, N, stride_m, stride_n, BLOCK: tl.constexpr):
    g = tl.make_block_ptr(G, (M, N), (stride_m, stride_n), (0, 0), (1, BLOCK), (1, 0))
    for row in range(M):
        x = tl.load(g, boundary_check=(0, 1), padding_option="zero")
        tl.store(Y + row * N + tl.arange(0, BLOCK)[None, :], x, mask=tl.arange(0, BLOCK)[None, :] < N)
        g = tl.advance(g, (1, 0))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, dy):
        m, n = dy.shape
        y = torch.empty((m, n), device=dy.device)
        backward[(1,)](dy, y, m, n, dy.stride(0), dy.stride(1), BLOCK=triton.next_power_of_2(n))
        return y
