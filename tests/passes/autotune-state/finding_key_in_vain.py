import torch
import triton
import triton.language as tl


# case: length_that_nobody_reads
# expect: finding, key-in-vain
"""The batch is in the key, and no line of the kernel has it."""


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n", "batch"])
@triton.jit
def k_kernel(X, Y, n, batch, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + i, tl.load(X + i, mask=i < n) * 2, mask=i < n)


def k(x: torch.Tensor):
    n = x.numel()
    x = x.contiguous()
    y = torch.empty_like(x)
    k_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n, x.shape[0])
    return y
