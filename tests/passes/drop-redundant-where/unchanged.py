import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: atomic_in_the_condition
# expect: unchanged
"""The condition counts, too."""


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    value = tl.where(mask & (mask | (tl.atomic_add(OUT, 1.0) > 0.0)), x * w, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)
# shared: run


# case: relu
# expect: unchanged
"""A comparison of the values themselves clears no masked-off lanes; nothing is said of it."""


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    value = tl.where(x > 0.0, x, 0.0)
    index = tl.where(mask, cols, 0)
    value = value + index
    tl.store(OUT + row * N + cols, value, mask=mask)
# shared: run
