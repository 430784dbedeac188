import torch
import triton
import triton.language as tl


# case: one_sweep
# expect: silent
"""One sweep reads the row once already."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, x + 1.0, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: other_lengths
# expect: silent
"""The sweeps are over rows of different lengths."""


@triton.jit
def kernel(X, Y, N, M, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, M, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, n - 1, BLOCK=32)
    return y


# case: two_forms_already
# expect: silent
"""A heuristic that is not seen chooses between two forms already."""
from flag_gems import runtime


@triton.heuristics(runtime.get_heuristic_config("rms_norm"))
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, ONE_TILE_PER_CTA: tl.constexpr):
    row = tl.program_id(0) * N
    if ONE_TILE_PER_CTA:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + row + cols, x / tl.sum(x * x, axis=0), mask=cols < N)
    else:
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
            squares += x * x
        total = tl.sum(squares, axis=0)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + row + cols, x / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
