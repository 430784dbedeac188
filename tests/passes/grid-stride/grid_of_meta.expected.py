"""The grid is a function of the block, and so is the number of tiles in the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    for pid in range(tl.program_id(axis=0), tl.cdiv(n_elements, BLOCK_SIZE), tl.num_programs(axis=0)):
        offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask)
        y = tl.load(y_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor):
    output = torch.empty_like(x)
    n_elements = output.numel()
    grid = lambda meta: (min(triton.cdiv(n_elements, meta["BLOCK_SIZE"]), num_programs),)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=64)
    return output
