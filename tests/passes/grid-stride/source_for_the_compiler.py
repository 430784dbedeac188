# expect: missed parameter-cannot-be-added
# options: unseen_launches=keep
"""The signature names every parameter that the kernel has today."""

import triton
import triton.language as tl
from triton.compiler import ASTSource


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, value, mask=offs < n)


def build(target):
    types = {"out_ptr": "*fp32", "value": "fp32", "n": "i32"}
    source = ASTSource(fn=fill_kernel, signature=types, constexprs={"BLOCK": 64})
    return triton.compile(source, target=target)
