import torch
import triton
import triton.language as tl


# case: a_loop_already
# expect: silent
# options: longest=16,block=16
"""The kernel goes through its row in tiles."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: two_lengths
# expect: silent
# options: longest=16,block=16
"""Two lengths of a row."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(X + cols, mask=cols < M, other=0.0)
    tl.store(Y + row * N + cols, x * w / tl.sum(x, axis=0), mask=mask & (cols < M))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, n, BLOCK=triton.next_power_of_2(n))
    return y
