import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: booleans
# expect: not applied, elements-are-boolean
"""A block pointer loads booleans as int8: -1 + -1 is none of theirs."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.program_id(0) * B + tl.arange(0, B), x + x, mask=tl.arange(0, B) < n)


def run(m: int):
    x = torch.ones(m, dtype=torch.bool)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(1,)](x, y, m, B=32)
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
