# expect: missed parameter-cannot-be-added
"""The hook sees every argument, the number of tiles too."""

import torch
import triton
import triton.language as tl

seen = []


def note(arguments):
    seen.append(sorted(arguments))


CONFIGS = [triton.Config({"BLOCK": 64}, pre_hook=note)]


@triton.autotune(configs=CONFIGS, key=["n"])
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
