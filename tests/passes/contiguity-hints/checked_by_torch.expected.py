# verify: no, the interpreter checks no hints
"""`torch._check` raises as well as an `assert` does."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    # True if N is a multiple of BLOCK.
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


def run(x: torch.Tensor):
    n = x.numel()
    torch._check(n % 128 == 0)
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(2 * n // 128,)](x, y, n, BLOCK=128)
    return y
