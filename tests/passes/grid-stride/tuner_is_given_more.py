"""What the tuner is given by ** is a dict of the file, and prunes nothing."""

import torch
import triton
import triton.language as tl


CAN_RESTORE = True
options = {"restore_value": None} if CAN_RESTORE else {}


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64})],
    key=["n"],
    **options,
)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n)
    return out
