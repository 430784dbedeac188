import torch
import triton
import triton.language as tl


# case: seed
# like: seed_is_used_otherwise
# expect: finding, recompiles-for-nothing
"""Each seed that 16 divides would do as well with the code for the others."""
#-    offsets += seed


# case: number_of_rows_as_a_constexpr
# expect: finding, recompiles-for-nothing
"""Each batch size compiles the kernel again, for one comparison."""


@triton.jit
def double_rows(X, Y, ROWS: tl.constexpr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= ROWS:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    double_rows[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: number_of_rows_in_a_mask_of_rows
# expect: finding, recompiles-for-nothing
"""Each batch size compiles the kernel again, for the mask of an axis that nothing vectorizes."""


@triton.jit
def double_rows(X, Y, ROWS: tl.constexpr, N, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK)
    mask = (rows[:, None] < ROWS) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask)
    tl.store(Y + rows[:, None] * N + cols[None, :], x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    grid = (triton.cdiv(m, 16),)
    double_rows[grid](x, y, m, n, BLOCK_M=16, BLOCK=triton.next_power_of_2(n))
    return y


# case: bound_of_programs
# expect: finding, recompiles-for-nothing
"""A fixed grid, and a constexpr that ends the programs which do work."""


@triton.jit
def copy_kernel(Src, Dst, Ids, num_tokens: tl.constexpr, stride, BLOCK: tl.constexpr):
    t = tl.program_id(0).to(tl.int64)
    if t < num_tokens:
        row = tl.load(Ids + t).to(tl.int64)
        i = tl.arange(0, BLOCK)
        tl.store(Dst + row * stride + i, tl.load(Src + t * stride + i, mask=i < stride), mask=i < stride)


def scatter(src: torch.Tensor, dst: torch.Tensor, ids: torch.Tensor):
    copy_kernel[(1024,)](src, dst, ids, num_tokens=src.size(0), stride=src.stride(0), BLOCK=triton.next_power_of_2(src.size(1)))
    return dst
