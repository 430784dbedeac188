import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


# case: options_are_hidden
# expect: not applied, arguments-are-not-seen
"""There may be a number of warps among the options."""
# shared: row_sum


def sums(x: torch.Tensor, **options):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=256, **options)
    return y


# case: run_by_name
# expect: not applied, arguments-are-not-seen
"""The launch is no `kernel[grid](...)`."""
# shared: row_sum


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum.run(x, y, n, BLOCK=1024, grid=(m,), warmup=False)
    return y


# case: captured_in_a_graph
# expect: not applied, captured-in-a-graph
"""The first launch is captured, where the tuner could not wait for what it times."""


@triton.jit
def halve(X, Y, N, stride, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, 0.5 * x, mask=cols < N)


def halved(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    halve[(m,)](x, y, n, x.stride(0), BLOCK=triton.next_power_of_2(n))


def replayed(x: torch.Tensor, times: int):
    y = torch.empty_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        halved(x, y)
    for _ in range(times):
        graph.replay()
    return y


# case: grid_counts
# expect: not applied, grid-is-not-readable
"""The grid takes down what it was asked, once for each launch so far."""


@triton.jit
def halve(X, N, stride, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(X + tl.program_id(0) * stride + cols, 0.5 * x, mask=cols < N)


def halved(x: torch.Tensor):
    m, n = x.shape
    asked = []

    def grid(meta):
        asked.append(meta["BLOCK"])
        return (m,)

    halve[grid](x, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
    return x, asked


# case: comment_beside_the_option
# expect: not applied, not-expressible
"""Somebody has said why there are eight."""
# shared: row_sum


def sums(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](
        x.contiguous(),
        y,
        n,  # rows are long
        num_warps=8,
        BLOCK=1024,
    )
    return y


# case: triton_has_no_name
# expect: not applied, not-expressible
"""The file has names for parts of Triton only."""

import torch
import triton.language as tl
from triton import jit


@jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=1024)
    return y


# case: heuristics
# expect: not applied, unknown-decorator
"""What a heuristic makes of what a tuner chooses is not looked into."""


@triton.heuristics({"BLOCK": lambda args: 512})
@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, num_warps=4)
    return y
