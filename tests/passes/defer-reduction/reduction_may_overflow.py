import torch
import triton
import triton.language as tl


# case: booleans_subtracted
# expect: not applied, reduction-may-overflow
"""The difference of two booleans is no number from -1 to 1."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x > 0, axis=0) - tl.sum(x < 0, axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: integers_in_a_float
# expect: not applied, reduction-may-overflow
"""Tiles of int32 wrap around before they are added to fp32."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0)
        acc += tl.sum(x.to(tl.int32), axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: negated_booleans
# like: booleans_subtracted
# expect: not applied, reduction-may-overflow
"""A boolean that is negated is a boolean."""
#-        acc += tl.sum(x > 0, axis=0) - tl.sum(x < 0, axis=0)
#+        acc += -tl.sum(x > 0, axis=0)


# case: sums_that_wrap
# like: integers_in_a_float
# expect: not applied, reduction-may-overflow
"""Tiles of int32 wrap around before they are added to int64."""
#-    acc = 0.0
#+    acc = tl.zeros([], dtype=tl.int64)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, dtype=torch.int64, device=x.device)
