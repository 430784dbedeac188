import torch
import triton
import triton.language as tl


# case: twice_in_the_list
# expect: finding, configuration-is-repeated
"""The third configuration is the first one."""


@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=4), triton.Config({"BLOCK": 512}, num_warps=4), triton.Config({"BLOCK": 256}, num_warps=4)], key=["n"])
@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + i, tl.load(X + i, mask=i < n), mask=i < n)


def copy(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty_like(x)
    copy_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y
