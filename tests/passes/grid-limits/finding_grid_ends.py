import torch
import triton
import triton.language as tl


# case: helper_asks_for_the_axis
# expect: finding, grid-ends
"""The axis is named in a helper."""


@triton.jit
def helper(P, axis: tl.constexpr):
    return P + tl.program_id(axis) * 64


@triton.jit
def k(X, Y):
    i = tl.arange(0, 64)
    tl.store(helper(Y, 2) + i, tl.load(helper(X, 2) + i))


def run(x: torch.Tensor):
    n = x.shape[0]
    assert x.shape[1] == 64 and x.is_contiguous()
    y = torch.empty_like(x)
    k[1, 1, n](x, y)
    return y
