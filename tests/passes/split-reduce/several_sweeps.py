import torch
import triton
import triton.language as tl


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_counts
# expect: not applied, several-sweeps
"""The second loop carries a sum from turn to turn."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    below = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        below += tl.sum(tl.where(cols < N, largest - x, 0.0), axis=0)
        tl.store(Y + row * stride + cols, x - below, mask=cols < N)
# shared: launch


# case: second_sweep_under_a_condition
# expect: not applied, several-sweeps
"""The second loop only runs for some rows."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    if largest > 0:
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
            tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
# shared: launch


# case: second_sweep_unrolled
# expect: not applied, several-sweeps
"""The compiler unrolls the second loop, and has to know where it begins."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in tl.static_range(0, 256, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
# shared: launch


# case: three_sweeps
# expect: not applied, several-sweeps
"""A third loop behind the second one."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x + largest, mask=cols < N)
# shared: launch


# case: two_sweeps
# expect: not applied, several-sweeps
"""The second loop needs the mean of the first."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    var = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        var += d * d
    tl.store(Y + row, tl.sum(var, axis=0) / N)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
