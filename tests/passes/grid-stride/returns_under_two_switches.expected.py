# options: programs=2
"""Two conditions that the compiler decides, each around one that a tile is left for."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    x,
    label,
    out,
    n,
    ignored,
    HAS_LABEL: tl.constexpr,
    POSITIVE: tl.constexpr,
    BLOCK: tl.constexpr,
    NUM_TILES=None,
):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        is_done = False
        at = row * n + cols
        y = tl.load(x + at, mask=cols < n, other=0.0)
        if HAS_LABEL:
            is_done = tl.load(label + row) == ignored
        if not is_done:
            is_done_2 = False
            if POSITIVE:
                least = tl.min(y, axis=0)
                is_done_2 = least < 0
                if is_done_2:
                    tl.store(out + at, least, mask=cols < n)
            if not is_done_2:
                tl.store(out + at, y * 2, mask=cols < n)


# tritonopt: x: f32[m, n], label: i32[m] in 0..2
def run(x: torch.Tensor, label: torch.Tensor, ignored: int = 1):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros((4, m, n), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(min(m, 2),)](x, label, out[0], n, ignored, False, False, BLOCK=block, NUM_TILES=m)
    kernel[(min(m, 2),)](x, label, out[1], n, ignored, True, False, BLOCK=block, NUM_TILES=m)
    kernel[(min(m, 2),)](x, label, out[2], n, ignored, False, True, BLOCK=block, NUM_TILES=m)
    kernel[(min(m, 2),)](x, label, out[3], n, ignored, True, True, BLOCK=block, NUM_TILES=m)
    return out
