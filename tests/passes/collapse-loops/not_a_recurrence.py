import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: last_value
# expect: not applied, not-a-recurrence
"""What the last turn leaves is used behind the loops."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    last = 0
    for n in range(N):
        last = n
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total + last)
# shared: run


# case: maximum_keeps_nan
# expect: not applied, not-a-recurrence
"""The maximum keeps NaN, which the maximum of a tile drops: it matters which elements share one."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = float("-inf")
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=float("-inf"))
            total = tl.maximum(total, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: running_maximum
# expect: not applied, not-a-recurrence
"""Each tile is scaled by the maximum so far."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    top = float("-inf")
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=float("-inf"))
            new = tl.maximum(top, tl.max(x, axis=0))
            total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), axis=0)
            top = new
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: sum_is_stored_each_time
# expect: not applied, not-a-recurrence
"""The sum so far is stored with each element."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
            tl.store(Y + row + n * W + w, x + total, mask=w < W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
