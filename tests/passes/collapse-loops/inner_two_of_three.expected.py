"""The outermost loop does more; the two inner ones become one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, H, W, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    m = tl.program_id(0)
    for n in range(N):
        total = 0.0
        for start in range(0, H * W, FLAT_BLOCK):
            place = start + tl.arange(0, FLAT_BLOCK)
            x = tl.load(X + (m * N + n) * H * W + place, mask=place < H * W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
        tl.store(Y + m * N + n, total)


# tritonopt: x: f32[m, n, h, w]
def run(x: torch.Tensor):
    m, n, h, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, h, w, BLOCK=16)
    return y
