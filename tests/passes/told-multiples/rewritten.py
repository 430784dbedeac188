import torch
import triton
import triton.language as tl


# case: rows_of_a_tile
# like: listed_parameter
# verify: always
"""Both where rows begin and where they end is asked for, at once."""
#-@triton.jit(do_not_specialize=["N"])
#+@triton.jit
#-    x = tl.load(X + row * stride + cols, mask=cols < N)
#-    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
#+    x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
#+    e = tl.exp(x - tl.max(x, axis=0))
#+    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


# case: elementwise_below_a_docstring
# like: listed_parameter
"""Nothing is reduced, so the bits are the same; what documents a kernel stays first."""
#-@triton.jit(do_not_specialize=["N"])
#+@triton.jit
# def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+    """Doubles rows."""
#+    # The row of the program.


# case: loop_over_a_row
# options: of=4
"""The end of a loop is a size as well; 4 elements of 32 bits are 16 bytes."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y


# case: one_size_below_a_heuristic
"""A further heuristic stands above the one that is there, and a default is kept."""


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(max(args["N"], 1024))})
@triton.jit
def kernel(X, Y, N, scale=2.0, BLOCK: tl.constexpr = 1024):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * scale, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y


# case: listed_parameter
"""What Triton is told not to specialize is asked by the heuristic all the same."""


@triton.jit(do_not_specialize=["N"])
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(max(n, 1024)))
    return y
