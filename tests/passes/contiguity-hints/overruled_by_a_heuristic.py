# expect: missed hint-can-be-false
"""The launch passes 16, but the heuristic chooses by its own rule."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 16 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=16)
    return y
