"""What a lane behind the end of a row divides by 0 is not chosen there."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            z = tl.load(Z + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], z: f32[m, n, w]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, z, y, n, w, BLOCK=16)
    return y
