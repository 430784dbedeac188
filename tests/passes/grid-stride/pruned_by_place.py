# expect: missed parameter-cannot-be-added
"""What prunes the configurations is given by its place."""

import torch
import triton
import triton.language as tl


def prune(configs, arguments, grid, warmup):
    return configs


@triton.autotune(
    [triton.Config({"BLOCK": 64})],
    ["n"],
    {"early_config_prune": prune},
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
