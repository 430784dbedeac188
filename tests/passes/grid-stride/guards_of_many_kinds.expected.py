# options: programs=2
"""Comparisons of comparisons, remainders, None, and comments that stay."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, bias, out, n, limit, BLOCK: tl.constexpr, NUM_TILES=None):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):  # one row each
        # beyond
        # Rows of padding have no data.
        if not ((pid < limit) == 0):
            odd = pid % 2
            if odd == 0:
                if not (pid == 4 or pid == 6):
                    if bias is not None:
                        v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0)
                        if not (tl.sum(v, axis=0) > 1.0):
                            tl.store(out + pid * n + cols, v + tl.load(bias), mask=cols < n)


# tritonopt: x: f32[m, n], bias: f32[n]
def run(x: torch.Tensor, bias: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    num_tiles = m + 1
    kernel[(min(num_tiles, 2),)](
        x, bias, out, n, m, BLOCK=triton.next_power_of_2(n), NUM_TILES=num_tiles
    )
    return out
