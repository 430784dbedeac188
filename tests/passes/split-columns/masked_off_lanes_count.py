import torch
import triton
import triton.language as tl


# case: a_tenth_less_a_tenth
# expect: not applied, masked-off-lanes-count
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
    total = tl.sum(x - 0.1, axis=0)
    tl.store(Y + row * N + cols, x * total, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: exponentials_of_nothing
# like: sums_alone
# expect: not applied, masked-off-lanes-count
# options: longest=16,block=16
"""exp(0) is 1 behind the end of the row."""
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row, tl.sum(tl.exp(x), axis=0))


# case: lanes_without_a_value
# expect: not applied, masked-off-lanes-count
# options: longest=16,block=16
"""Lanes behind the row are undefined."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: largest_with_zeros
# like: sums_alone
# expect: not applied, masked-off-lanes-count
# options: longest=16,block=16
"""Behind the end of the row there are zeros."""
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    tl.store(Y + row, tl.max(x, axis=0))


# case: maximum_of_something_else
# like: lanes_without_a_value
# expect: not applied, masked-off-lanes-count
# options: longest=16,block=16
"""Exponentials of what is below another maximum are not 0 behind the row."""
#-    x = tl.load(X + row * N + cols, mask=mask).to(tl.float32)
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#+    z = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32) * 2.0
#+    tl.store(Y + row, tl.sum(tl.exp(x - tl.max(z, axis=0)), axis=0))


# case: quotient_of_filled_lanes
# options: longest=16,block=16
# expect: not applied, masked-off-lanes-count
"""A row that fills its tiles would have no lanes that divide 0 by 0, and as one tile it has."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    z = tl.load(Z + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    s = tl.sum(x / z, axis=0)
    tl.store(Y + row * N + cols, x * s, mask=cols < N)


# tritonopt: x: f32[m, n], z: f32[m, n]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, z, y, n, BLOCK=triton.next_power_of_2(n))
    return y
