import torch
import triton
import triton.language as tl


# case: a_comment_inside
# expect: not applied, comment-inside
"""The comment would be lost."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(
        0  # one program for a row
    )
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: in_a_helper
# expect: not applied, opaque-value
"""The product is in a function, which others may call."""


@triton.jit
def offset_of(row, stride):
    return (row % 4096) * 0 + row * stride


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + offset_of(row, stride) + cols, mask=cols < N, other=0.0)
    tl.store(Y + offset_of(row, stride) + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
