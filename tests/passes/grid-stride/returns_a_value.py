# expect: silent
# options: unseen_launches=keep
"""A helper that was taken for a kernel: what it returns has no place in a loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def offsets(BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    return pid * BLOCK + tl.arange(0, BLOCK)
