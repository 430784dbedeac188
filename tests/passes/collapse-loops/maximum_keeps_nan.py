# expect: missed not-a-recurrence
"""The maximum keeps NaN, which the maximum of a tile drops: it matters which elements share one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = float("-inf")
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=float("-inf"))
            total = tl.maximum(total, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
