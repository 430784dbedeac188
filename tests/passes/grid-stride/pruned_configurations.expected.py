# options: programs=3
"""What prunes the configurations takes arguments by name, so that there must be no new one."""

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
    for pid in range(tl.program_id(0), (n - 1) // 64 + 1, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(min(triton.cdiv(n, 64), 3),)](x, out, n)
    return out
