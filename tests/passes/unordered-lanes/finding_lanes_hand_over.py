import torch
import triton
import triton.language as tl


# case: in_one_statement
# expect: finding, lanes-hand-over
"""A barrier would have to stand inside of the statement."""


@triton.jit
def k(X, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(X + i * N + j, tl.load(X + j * N + i))


# case: in_a_loop_of_a_helper
# expect: finding, lanes-hand-over
"""The iterations are those of the helper, which other kernels may call."""


@triton.jit
def turned(S, c, BLOCK: tl.constexpr):
    for t in range(4):
        x = tl.load(S + (BLOCK - 1 - c))
        tl.debug_barrier()
        tl.store(S + c, x)


@triton.jit
def k(S, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    turned(S, c, BLOCK)
