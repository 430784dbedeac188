# options: programs=2
"""A condition that the compiler decides stands around the one that a tile is left for."""

import torch
import triton
import triton.language as tl


@triton.jit
def distance_kernel(
    p_ptr, q_ptr, label_ptr, loss_ptr, N, HAS_LABEL: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    cols = tl.arange(0, BLOCK)
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for row in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        is_done = False
        p_ptr_tile = p_ptr + row * N
        q_ptr_tile = q_ptr + row * N
        label_ptr_tile = label_ptr + row

        if HAS_LABEL:
            label = tl.load(label_ptr_tile)
            is_done = label == 0
            # No label, no loss.
            if is_done:
                tl.store(loss_ptr + row, 0.0)

        if not is_done:
            p = tl.load(p_ptr_tile + cols, mask=cols < N, other=0.0)
            q = tl.load(q_ptr_tile + cols, mask=cols < N, other=0.0)
            tl.store(loss_ptr + row, tl.sum(tl.abs(p - q), axis=0))


# tritonopt: p: f32[m, n], q: f32[m, n], label: i32[m] in 0..1
def distance(p: torch.Tensor, q: torch.Tensor, label: torch.Tensor):
    p, q, label = p.contiguous(), q.contiguous(), label.contiguous()
    m, n = p.shape
    loss = torch.empty((2, m), device=p.device)
    block = triton.next_power_of_2(n)
    distance_kernel[(min(m, 2),)](p, q, label, loss[0], n, False, BLOCK=block, NUM_TILES=m)
    distance_kernel[(min(m, 2),)](p, q, label, loss[1], n, True, BLOCK=block, NUM_TILES=m)
    return loss
