# verify: always
# assume: n_cols % BLOCK_N == 0
"""Nothing in the file shows it, but the user asserts it."""

import torch
import triton
import triton.language as tl


@triton.jit
def shifted_kernel(X, Y, n_cols, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # The last block wraps to the start of the row.
    wrapped = (col + BLOCK_N) % n_cols
    # True if n_cols is a multiple of BLOCK_N.
    wrapped = tl.max_contiguous(tl.multiple_of(wrapped, BLOCK_N), BLOCK_N)
    x = tl.load(X + row * n_cols + wrapped)
    tl.store(Y + row * n_cols + col, x, mask=col < n_cols)


# tritonopt: x: f32[m, n]
def shifted(x: torch.Tensor):
    m, n = x.shape
    x = x[:, :3].repeat(1, 16)
    n = x.shape[1]
    y = torch.empty_like(x)
    shifted_kernel[(m, n // 16)](x, y, n, BLOCK_N=16)
    return y
