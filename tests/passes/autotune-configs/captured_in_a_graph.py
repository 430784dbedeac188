# expect: missed captured-in-a-graph
"""The first launch is captured, where the tuner could not wait for what it times."""

import torch
import triton
import triton.language as tl


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
