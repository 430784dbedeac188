# expect: missed parameter-cannot-be-added
# options: unseen_launches=keep
"""A function of the file compiles each kernel of a table."""

import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, value, mask=offs < n)


KERNELS = {"fill": fill_kernel}


def build(name, signature):
    return triton.compile(triton.compiler.ASTSource(KERNELS[name], signature))
