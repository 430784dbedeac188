# expect: missed parameter-cannot-be-added
# options: unseen_launches=keep
"""Whoever asks for the parameters finds one more."""

import inspect

import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, value, mask=offs < n)


PARAMETERS = list(inspect.signature(fill_kernel.fn).parameters)
