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
    # Pass 2: the sum of exponentials
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new_largest = tl.maximum(largest, tl.max(x, axis=0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift = tl.where(new_largest == -float("inf"), 0.0, new_largest)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = new_largest

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
