"""Both sweeps walk a block of pointers, `ptrs += BLOCK`, and set it back in between; the mask uses
how much of the row is left."""

import torch
import triton
import triton.language as tl


@triton.jit
def bump(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)

    ptrs = x_ptr + row * stride + lane
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        acc += tl.load(ptrs, mask=lane < n - k, other=0.0)
        ptrs += BLOCK
    mean = tl.sum(acc, axis=0) / n

    ptrs = x_ptr + row * stride + lane
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        x = tl.load(ptrs, mask=lane < n - k, other=0.0)
        d = tl.where(lane < n - k, x - mean, 0.0)
        acc2 += d * d
        ptrs += BLOCK
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    bump[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
