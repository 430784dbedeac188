# options: programs=2
"""No tile comes to the atomic where the switch is off, so its buffer may be anything."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    x, total, out, n, HAS_TOTAL: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(out + pid * n + cols, v, mask=cols < n)
        if HAS_TOTAL:
            tl.atomic_add(total + cols, v, mask=cols < n)


def run(x: torch.Tensor, with_total: bool = False):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    total = torch.zeros(n if with_total else 0, device=x.device)
    kernel[(min(m, 2),)](
        x,
        total,
        out,
        n,
        HAS_TOTAL=with_total,
        BLOCK=triton.next_power_of_2(n),
        NUM_TILES=m,
    )
    return out, total
