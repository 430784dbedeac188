import torch
import triton
import triton.language as tl


# case: one_turn
# expect: silent
"""Each loop turns once, so there are no tiles to go through."""


@triton.jit
def kernel(X, Y, N, WIDTH: tl.constexpr):
    for i in tl.static_range(1):
        tl.store(Y + i, tl.load(X + i) * 2)
    total = 0.0
    for i in tl.static_range(0, 1):
        total += tl.load(X + i)
    tl.store(Y + 1, total)


# tritonopt: x: f32[4]
def run(x: torch.Tensor):
    y = torch.zeros(4, device=x.device)
    kernel[(1,)](x, y, 4, WIDTH=1)
    return y


# case: works_on_tiles
# expect: silent
"""A scalar load beside tiles: these would get one more axis."""


@triton.jit
def kernel(X, W, Y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(n):
        acc += tl.load(W + i) * tl.load(X + i * BLOCK + cols)
    tl.store(Y + cols, acc)
