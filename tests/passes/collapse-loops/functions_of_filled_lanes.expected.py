# verify: always
"""All that is computed of what the lanes are filled with is finite."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, W, BLOCK: tl.constexpr):
    FLAT_BLOCK: tl.constexpr = 1024
    row = tl.program_id(0) * N * W
    total = 0.0
    for start in range(0, N * W, FLAT_BLOCK):
        place = start + tl.arange(0, FLAT_BLOCK)
        x = tl.load(X + row + place, mask=place < N * W, other=0.0).to(tl.float32)
        z = tl.load(Z + row + place, mask=place < N * W, other=1.0).to(tl.float32)
        total += tl.sum(x / (1.0 + tl.exp(-x)) + x * tl.log(z) + x / (z + 0.5), axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], z: f32[m, n, w]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, z, y, n, w, BLOCK=16)
    return y
