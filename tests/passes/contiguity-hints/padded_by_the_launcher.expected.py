"""The launcher pads the row to whole blocks and passes the padded length."""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(src_ptr, dst_ptr, length, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    index = block * BLOCK + lanes
    index = index % length
    # True if length is a multiple of BLOCK.
    index = tl.max_contiguous(tl.multiple_of(index, BLOCK), BLOCK)
    value = tl.load(src_ptr + index)
    tl.store(dst_ptr + block * BLOCK + lanes, value)


# tritonopt: x: f32[n]
def tiled(x: torch.Tensor):
    n = x.numel()
    padded = triton.cdiv(n, 64) * 64
    source = torch.zeros(padded, dtype=x.dtype, device=x.device)
    source[:n] = x
    out = torch.empty(3 * padded, dtype=x.dtype, device=x.device)
    tile_kernel[(3 * padded // 64,)](source, out, padded, BLOCK=64)
    return out
