import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: comment_in_the_load
# expect: not applied, comment-inside
"""A comment would be lost."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    x = tl.load(
        x_block,
        boundary_check=(0,),  # the last tile is ragged
    )
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)
# shared: run


# case: comment_in_the_making
# expect: not applied, comment-inside
"""A comment would be lost."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(
        X,
        (n,),
        (1,),
        (0,),
        (B,),
        (0,),  # the only order
    )
    tl.store(Y + tl.arange(0, B), tl.load(x_block, boundary_check=(0,)), mask=tl.arange(0, B) < n)
# shared: run


# case: moved_in_the_condition_of_a_loop
# expect: not applied, not-expressible
"""The offsets have no place before each test."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    i = 0
    while tl.sum(tl.load(p.advance((i * B,)), boundary_check=(0,))) > 0:
        tl.store(Y + i, i)
        i += 1
# shared: run
