import torch
import triton
import triton.language as tl


# case: in_a_loop
# expect: finding, tile-is-spilled
"""Tiles that a launch says to be 32768 elements long: a loop is there, and they are too long."""


@triton.jit
def row_sum(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32)
    row_sum[(m,)](y, x, x.stride(0), n, BLOCK=32768)
    return y


# case: settings_of_a_function
# like: settings_for_any_row
# expect: finding, tile-is-spilled
"""A function says how long tiles are, and how many warps, and which rows are too long."""
#     block = triton.next_power_of_2(n)
#+    if block > 65536:
#+        raise RuntimeError(f"rows of {n} elements are too long")


# case: up_to_a_raise
# like: no_limit
# expect: finding, tile-is-spilled
"""A row of 32768 elements in one tile, with 4 warps."""
#     m, n = x.shape
#+    if n > 32768:
#+        raise ValueError("rows are too long")
