import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: branch_on_the_row
# expect: not applied, not-lane-by-lane
"""The first row counts otherwise."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            if n > 0:
                x = 2.0 * x
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: chained_comparison
# expect: not applied, not-lane-by-lane
"""A comparison of three, of which a part is the end of the row."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            m = 0 <= w < W
            x = tl.load(X + row + n * W + w, mask=m, other=0.0).to(tl.float32)
            y = tl.where(m & (n % 2 == 0), x, 0.0)
            total += tl.sum(y, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: counter_is_used
# expect: not applied, not-lane-by-lane
"""Where the tile begins goes into the sum."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x * start, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: helper
# expect: not applied, not-lane-by-lane
"""A helper that may see a tile."""


@triton.jit
def twice(x):
    return x + x


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(twice(x), axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: lanes_are_used
# expect: not applied, not-lane-by-lane
"""A weight for each lane of a tile, wherever it is."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    lanes = tl.arange(0, BLOCK)
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + lanes
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x * lanes, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: lanes_of_sums
# expect: not applied, not-lane-by-lane
"""Each lane of the accumulator is stored."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            acc += x
    tl.store(Y + row + tl.arange(0, BLOCK), acc, mask=tl.arange(0, BLOCK) < W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: length_of_a_tile
# expect: not applied, not-lane-by-lane
"""The length of a tile goes into the sum."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x / BLOCK, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: sum_of_a_tile
# expect: not applied, not-lane-by-lane
"""Each element is divided by the sum of its tile."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            tl.store(Y + row + n * W + w, x / tl.sum(x, axis=0), mask=w < W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y
