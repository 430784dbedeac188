# expect: missed partials-do-not-match
"""How many partial results there are depends on the tuner."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["N"])
@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0)
    tl.store(P + pid, tl.sum(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0)
    tl.store(Y, tl.sum(x, axis=0))


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, p, n)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y
