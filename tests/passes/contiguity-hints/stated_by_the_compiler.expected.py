"""A constexpr length: the compiler sees through `%`, but not through a selection."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(X, Out, N: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(N % BLOCK == 0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in tl.range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        cols = tl.where(condition=cols < N, x=cols, y=0)
        # True if every lane is below N, so that no lane is masked off.
        cols = tl.max_contiguous(tl.multiple_of(cols, BLOCK), BLOCK)
        acc += tl.load(X + tl.program_id(0) * N + cols)
    tl.store(Out + tl.program_id(0), tl.sum(acc))


# tritonopt: x: f32[m, n]
def row_sums(x: torch.Tensor):
    m = x.shape[0]
    x = x[:, :3].repeat(1, 16)
    n = x.shape[1]
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    sum_kernel[(m,)](x, out, N=n, BLOCK=16)
    return out
