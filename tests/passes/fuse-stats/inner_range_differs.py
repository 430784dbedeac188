# expect: missed different-range
"""In nested loops the second sweep leaves out the last row of each image. Outer and inner loops
agree, the one in the middle does not."""

import torch
import triton
import triton.language as tl


@triton.jit
def channel_stats(x_ptr, mean_ptr, var_ptr, N, C, H, W, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    count = N * H * W
    total = 0.0
    for n in range(N):
        for h in range(H):
            for w_start in range(0, W, BLOCK):
                w = w_start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr + ((n * C + c) * H + h) * W + w, mask=w < W, other=0.0)
                total += tl.sum(x)
    mean = total / count
    squares = 0.0
    for n in range(N):
        for h in range(H - 1):
            for w_start in range(0, W, BLOCK):
                w = w_start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr + ((n * C + c) * H + h) * W + w, mask=w < W, other=0.0)
                d = tl.where(w < W, x - mean, 0.0)
                squares += tl.sum(d * d)
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, squares / count)


# tritonopt: x: f32[n, c, h, w]
def batch_stats(x: torch.Tensor):
    n, c, h, w = x.shape
    x = x.contiguous()
    mean = torch.empty(c, device=x.device)
    var = torch.empty(c, device=x.device)
    channel_stats[(c,)](x, mean, var, n, c, h, w, BLOCK=16)
    return mean, var
