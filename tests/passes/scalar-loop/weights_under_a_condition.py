# options: block=32
"""What is loaded in some iterations only is loaded under their mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Bins, Weights, Y, n):
    wanted = tl.program_id(0)
    acc = 0.0
    for i in range(n):
        val = tl.load(Bins + i).to(tl.int64)
        if val == wanted:
            w = tl.load(Weights + i).to(tl.float32)
            acc = acc + w
    tl.store(Y + wanted, acc)


# tritonopt: bins: i32[n] in 0..4, weights: f32[n]
def run(bins: torch.Tensor, weights: torch.Tensor):
    y = torch.empty(4, dtype=torch.float32, device=bins.device)
    kernel[(4,)](bins, weights, y, bins.numel())
    return y
