"""An `if` that the compiler decides, with a load of one element."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, N, W, HAS_SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            if HAS_SHIFT:
                x = tl.where(w < W, x - tl.load(S), 0.0)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], s: f32[1], shifted: bool
def run(x: torch.Tensor, s: torch.Tensor, shifted: bool):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, s, y, n, w, HAS_SHIFT=shifted, BLOCK=16)
    return y
