# expect: missed masked-off-lanes-count
"""0 times the logarithm of 0 is NaN."""

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
            total += tl.sum(x * tl.log(z), axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], z: f32[m, n, w]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, z, y, n, w, BLOCK=16)
    return y
