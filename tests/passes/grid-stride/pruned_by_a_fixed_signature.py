# expect: missed parameter-cannot-be-added
"""A function of the user's is called with the arguments of the launch, and takes no other."""

import torch
import triton
import triton.language as tl


def prune(configs, arguments, grid, warmup):
    return configs


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64})],
    key=["n"],
    prune_configs_by={"early_config_prune": prune},
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
