"""A sum in two launches: partial results of every program, then their sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x, part, n, tiles, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for tile in range(pid, tiles, tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(x + offsets, mask=offsets < n, other=0.0)
    tl.store(part + pid, tl.sum(acc, axis=0))


@triton.jit
def final_kernel(part, out, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(part + at, mask=at < count, other=0.0)
    tl.store(out, tl.sum(v, axis=0))


# tritonopt: x: f32[n]
def two_step(x):
    n = x.numel()
    tiles = triton.cdiv(n, 32)
    programs = min(tiles, 4)
    part = torch.empty(programs, dtype=torch.float32, device=x.device)
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    partial_kernel[(programs,)](x, part, n, tiles, BLOCK=32)
    final_kernel[(1,)](part, out, programs, BLOCK=4)
    return out
