import torch
import triton
import triton.language as tl


# case: number_of_rows
# like: number_of_rows_as_a_constexpr
"""A multiple of 16, or 1, makes no access wider: only a branch compares it."""
#-def double_rows(X, Y, ROWS: tl.constexpr, N, BLOCK: tl.constexpr):
#+def double_rows(X, Y, rows, N, BLOCK: tl.constexpr):
#-    if row >= ROWS:
#+    if row >= rows:


# case: number_of_rows_ends_a_loop
"""The end of a loop that begins at a program id is in no address, and folds nothing."""


@triton.jit
def double_rows(X, Y, rows, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(X + row * N + cols, mask=cols < N)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    double_rows[(min(m, 132),)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: compared_in_a_mask
"""A scalar in a mask has no lanes."""


@triton.jit
def pad_kernel(X, Lens, Y, batch, stride, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    valid = b < batch
    i = tl.arange(0, BLOCK)
    length = tl.load(Lens + b, mask=valid, other=0)
    x = tl.load(X + b * stride + i, mask=i < length, other=0.0)
    tl.store(Y + b * stride + i, x, mask=(i < stride) & valid)


def pad(x: torch.Tensor, lens: torch.Tensor):
    batch, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    pad_kernel[(triton.next_power_of_2(batch),)](x, lens, y, batch, n, BLOCK=triton.next_power_of_2(n))
    return y
