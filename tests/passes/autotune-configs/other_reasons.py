import torch
import triton
import triton.language as tl


# case: options_are_hidden
# like: tile_and_warps
# expect: not applied, arguments-are-not-seen
"""There may be a number of warps among the options."""
#-def sums(x: torch.Tensor):
#+def sums(x: torch.Tensor, **options):
#-    row_sum[(m,)](x, y, n, BLOCK=1024)
#+    row_sum[(m,)](x, y, n, BLOCK=256, **options)


# case: run_by_name
# like: tile_and_warps
# expect: not applied, arguments-are-not-seen
"""The launch is no `kernel[grid](...)`."""
#-    row_sum[(m,)](x, y, n, BLOCK=1024)
#+    row_sum.run(x, y, n, BLOCK=1024, grid=(m,), warmup=False)


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
# like: options_go
# expect: not applied, not-expressible
"""Somebody has said why there are eight."""
#-        N=n,
#+        n,  # rows are long
#-        num_stages=2,


# case: triton_has_no_name
# like: tile_and_warps
# expect: not applied, not-expressible
"""The file has names for parts of Triton only."""
#-import triton

# import triton.language as tl
#+from triton import jit
#-@triton.jit
#+@jit


# case: heuristics
# like: tile_and_warps
# expect: not applied, unknown-decorator
"""What a heuristic makes of what a tuner chooses is not looked into."""
# import triton.language as tl
#
#
#+@triton.heuristics({"BLOCK": lambda args: 512})
#-    row_sum[(m,)](x, y, n, BLOCK=1024)
#+    row_sum[(m,)](x, y, n, num_warps=4)
