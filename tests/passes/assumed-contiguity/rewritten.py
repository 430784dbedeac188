import torch
import triton
import triton.language as tl


# case: rows_found_by_a_division
# verify: no
"""The row of a position in memory is that of the tensor only where it is contiguous."""


@triton.jit
def kernel(X, S, Y, N, WIDTH, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    s = tl.load(S + at // WIDTH, mask=at < N)
    tl.store(Y + at, x * s, mask=at < N)


def launch(x, s):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m * n, 64),)](x, s, y, m * n, n, BLOCK=64)
    return y


# case: one_stride_for_batches_of_rows
# verify: no
"""The last stride is checked; the rows of a transposed batch are in no line."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x))


def launch(x):
    b, s, n = x.shape
    assert x.stride(-1) == 1
    y = torch.empty((b, s), device=x.device)
    kernel[(b * s,)](x, y, x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: stride_of_one_for_what_may_be_expanded
# verify: no
"""The other tensor's strides are asked for."""


@triton.jit
def kernel(X, Y, G, stride, g_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    g = tl.load(G + row * g_stride)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * g, mask=cols < N)


def launch(x, g):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    kernel[(m,)](x, y, g, x.stride(0), 1, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: gradient_of_autograd
# verify: no
"""`y.sum().backward()` hands in one element, expanded."""


@triton.jit
def kernel(G, DX, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(G + at, mask=at < N)
    tl.store(DX + at, g * 2, mask=at < N)


def launch(g, n):
    dx = torch.empty(g.shape, device=g.device)
    kernel[(triton.cdiv(n, 64),)](g, dx, g.numel(), BLOCK=64)
    return dx


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return launch(grad, grad.numel())


# case: rows_times_their_length
"""Nobody asks for the order of what is read by rows."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: beside_one_that_is_made_contiguous
"""The launcher makes one of two tensors contiguous that are read at the same offsets."""


@triton.jit
def added(X, R, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * N + cols
    x = tl.load(X + at, mask=cols < N) + tl.load(R + at, mask=cols < N)
    tl.store(Y + at, x, mask=cols < N)


def launch(x: torch.Tensor, residual: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    assert residual.shape == (m, n)
    y = torch.empty_like(x)
    added[(m,)](x, residual, y, n, BLOCK=triton.next_power_of_2(n))
    return y
