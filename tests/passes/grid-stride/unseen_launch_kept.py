# options: unseen_launches=keep
# verify: no, there is no launcher
"""Nobody is seen to launch it: without the new argument all is as before."""

import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, value, mask=offs < n)
