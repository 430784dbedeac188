# options: block=32
"""What is loaded in some iterations only is loaded under their mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Bins, Weights, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    wanted = tl.program_id(0)
    acc_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.float32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        val = tl.load(Bins + i, mask=mask).to(tl.int64)
        active = mask & (val == wanted)
        w = tl.load(Weights + i, mask=active, other=0).to(tl.float32)
        acc_tile = acc_tile + w
    acc = tl.sum(acc_tile, axis=0)
    tl.store(Y + wanted, acc)


# tritonopt: bins: i32[n] in 0..4, weights: f32[n]
def run(bins: torch.Tensor, weights: torch.Tensor):
    y = torch.empty(4, dtype=torch.float32, device=bins.device)
    kernel[(4,)](bins, weights, y, bins.numel())
    return y
