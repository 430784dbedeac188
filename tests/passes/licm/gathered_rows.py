# expect: missed data-may-change
"""The rows that a descriptor gathers come from memory, and the loop stores into them."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, m, stride):
    table = tl.make_tensor_descriptor(Out, [m, 16], [stride, 1], [1, 16])
    rows = tl.arange(0, 8)
    for i in range(n):
        found = table.gather(rows, 0)
        tl.store(Out + i * stride, tl.sum(tl.sum(found, axis=1), axis=0))
