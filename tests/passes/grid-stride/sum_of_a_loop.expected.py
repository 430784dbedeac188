# verify: always
# options: programs=2
"""What is added comes from a loop with a branch, so that only its address shows its shape."""

import torch
import triton
import triton.language as tl


@triton.jit
def blocks_kernel(x_ptr, out_ptr, n_blocks, n_rows, D, BLOCK: tl.constexpr, MOST: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    out_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        acc = tl.zeros((BLOCK,), dtype=tl.float32)
        for i in tl.static_range(0, MOST):
            if i < n_blocks:
                v = tl.load(x_ptr + (i * n_rows + row) * D + cols, mask=mask, other=0.0).to(tl.float32)
                share = tl.sum(tl.where(tl.arange(0, MOST) == i, 0.5, 0.25))
                acc += share * v
        out_sum += acc
    tl.atomic_add(out_ptr + cols, out_sum, mask=mask)


# tritonopt: x: f32[b, m, n]
def blocks(x: torch.Tensor):
    x = x.contiguous()
    b, m, n = x.shape
    out = torch.zeros(n, device=x.device, dtype=torch.float32)
    blocks_kernel[(min(m, 2),)](x, out, b, m, n, BLOCK=triton.next_power_of_2(n), MOST=4)
    return out
