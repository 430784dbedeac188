import torch
import triton
import triton.language as tl


# case: longest_length
# expect: finding, undefined-lanes-reduced
"""Lengths are not negative, so that a 0 is not the longest of them."""


@triton.jit
def kernel(Lengths, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    lengths = tl.load(Lengths + rows, mask=rows < N).to(tl.int32)
    tl.store(Y, tl.max(lengths, axis=0))


# case: masked_on_one_side_of_an_if
# expect: finding, undefined-lanes-reduced
"""Only the last tile is masked, and it is summed like the others."""


@triton.jit
def kernel(X, Y, stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(X + row * stride + cols)
    else:
        x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row, tl.sum(x, 0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, y, x.stride(0), n, EVEN=n == block, BLOCK=block)
    return y
