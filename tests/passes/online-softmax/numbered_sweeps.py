"""What is said of the second sweep goes to where its sum starts now."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N

    # Pass 1: the maximum
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))

    # Pass 2: the sum of exponentials
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - largest), axis=0)

    # Pass 3: the result
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        tl.store(Y + cols, tl.exp(x - largest) / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    softmax_kernel[(m,)](x, y, n, BLOCK=16)
    return y
