import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=1024)
    return y


# case: called_by_a_kernel
# expect: not applied, unseen-launches
"""A kernel below a tuner cannot be called by another one."""
# shared: row_sum


@triton.jit
def both(X, Y, N, BLOCK: tl.constexpr):
    row_sum(X, Y, N, BLOCK)
# shared: sums


# case: kernel_escapes
# expect: not applied, unseen-launches
"""Others may launch it with a number of warps."""
# shared: row_sum


KERNELS = {"sum": row_sum}
# shared: sums


# case: result_is_used
# like: tile_and_warps
# expect: not applied, unseen-launches
"""What the launch returns is asked for its registers."""
#-    row_sum[(m,)](x, y, n, BLOCK=1024)
#-    return y
#+    made = row_sum[(m,)](x, y, n, BLOCK=1024)
#+    return y, made.n_regs


# case: unknown_decorator
# expect: not applied, unseen-launches
"""The decorator may launch it in any way."""

from elsewhere import counted


@counted
@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
# shared: sums
