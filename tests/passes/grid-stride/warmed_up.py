# expect: missed parameter-cannot-be-added
# options: unseen_launches=keep
"""What a warm-up compiles is kept under the parameters that there are."""

import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, value, mask=offs < n)


def warm(out):
    return fill_kernel.warmup(out, 1.0, 8, BLOCK=64, grid=(1,))


KERNELS = [fill_kernel]
