# options: programs=2
"""Programs that leave early become tiles that are skipped."""

import torch
import triton
import triton.language as tl


@triton.jit
def pick_kernel(
    x_ptr, index_ptr, out_ptr, n_picks, n_rows, N: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    # Copy the row.
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        # Nothing to pick.
        if not (pid >= n_picks):
            row = tl.load(index_ptr + pid)
            if not (row < 0 or row >= n_rows):
                tl.store(out_ptr + pid * N + cols, tl.load(x_ptr + row * N + cols, mask=cols < N), mask=cols < N)


# tritonopt: x: f32[m, n], index: i32[k] in -1..8
def pick(x: torch.Tensor, index: torch.Tensor):
    x, index = x.contiguous(), index.contiguous()
    m, n = x.shape
    k = index.shape[0]
    out = torch.zeros((k, n), device=x.device)
    block = triton.next_power_of_2(n)
    num_tiles = index.shape[0] + 1
    pick_kernel[(min(num_tiles, 2),)](x, index, out, k, m, N=n, BLOCK=block, NUM_TILES=num_tiles)
    return out
