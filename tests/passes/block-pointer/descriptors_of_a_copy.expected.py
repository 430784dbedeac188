# options: write=descriptors
"""NaNs beyond the end are what a descriptor can give as well."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_tensor_descriptor(
        X, [M, N], [N, 1], [BM, BN], padding_option="nan"
    )
    y_block = tl.make_tensor_descriptor(Y, [M, N], [N, 1], [BM, BN])
    x = x_block.load([at_m, at_n])
    y_block.store([at_m, at_n], x * 2)


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    # The kernel creates its descriptors in scratch memory.
    triton.set_allocator(
        lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=x.device)
    )
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y
