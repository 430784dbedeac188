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


# case: programs_wait_for_those_before
# expect: finding, grid-ends
"""Each program waits for the row before, which starts earlier only if rows stay on their axis."""


@triton.jit
def chained(X, Y, Flags, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    if row > 0:
        while tl.atomic_add(Flags + row - 1, 0) == 0:
            pass
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x, mask=cols < N)
    tl.atomic_xchg(Flags + row, 1)


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    flags = torch.zeros(m, dtype=torch.int32, device=x.device)
    chained[(1, m)](x, y, flags, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: order_of_evaluation
# like: rows_on_the_second_axis
# expect: finding, grid-ends
"""The numbers of programs come from a list, in the order in which they are asked for."""
#-def launch(x):
#+def run(x: torch.Tensor, sizes: list[int]):
#-    kernel[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
#+    kernel[(sizes.pop(), m)](x, y, n, BLOCK=64)
