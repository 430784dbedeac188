import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: annotated
"""What an annotated statement gave the accumulator is the start of the tile."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # The largest absolute value so far.
    amax: tl.float32 = 0.0

    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        block_amax = tl.max(tl.abs(x))
        amax = tl.maximum(amax, block_amax)
    tl.store(Y + row, amax)
# shared: run


# case: bits
"""Bits that are common, bits that are somewhere, and parity."""


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    common = -1
    anywhere = 0
    parity = 5
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0)
        common = common & tl.reduce(x, 0, both)
        anywhere |= tl.reduce(x, 0, either)
        parity ^= tl.xor_sum(x, axis=0)
    tl.store(Y + row * 3, common)
    tl.store(Y + row * 3 + 1, anywhere)
    tl.store(Y + row * 3 + 2, parity)


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 3, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: booleans_counted
# like: largest
# verify: only interpreted, Triton 3.6 adds up booleans to uint32, and compiles no loop that carries that from an int32
"""Integers: a count of booleans, which is exact."""
#-    m = 0.0
#+    count = 0
#-        m = tl.maximum(m, tl.max(tl.abs(x), axis=0))
#-    tl.store(Y + row, m)
#+        count += tl.sum((x > 0) & (cols < N), axis=0)
#+    tl.store(Y + row, count)


# case: cast_to_its_type
# like: sum_of_squares
"""The sum of fp16 is cast to the type of the accumulator, and so is what is added now."""
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += tl.sum(x * x, axis=0)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float16)
#+        acc += tl.sum(x, axis=0).to(tl.float32)


# case: fused_statistics
# with: fuse-stats
"""Two sweeps become one, and all of its sums wait for its end."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    mean = total / N
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += tl.sum(d * d, axis=0)
    tl.store(Y + row, squares / N)
# shared: run


# case: half_precision
# like: sum_of_squares
"""Tiles of fp16 were summed in fp16, and are summed in fp32 now."""
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += tl.sum(x * x, axis=0)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+        acc += tl.sum(x, axis=0)
#-# tritonopt: x: f32[m, n]
#+# tritonopt: x: f16[m, n]


# case: largest
"""A maximum of the maxima of tiles, from a number that is no identity."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        m = tl.maximum(m, tl.max(tl.abs(x), axis=0))
    tl.store(Y + row, m)
# shared: run


# case: largest_inside
# like: largest
"""The running maximum is in every lane that is reduced."""
#-    m = 0.0
#+    m = float("-inf")
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        m = tl.maximum(m, tl.max(tl.abs(x), axis=0))
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf"))
#+        m = tl.max(tl.maximum(x, m))


# case: last_tile_apart
"""The last tile stands behind the loop, with a mask."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    full = N // BLOCK * BLOCK
    for start in range(0, full, BLOCK):
        acc += tl.sum(tl.load(X + row * N + start + tl.arange(0, BLOCK)), axis=0)
    cols = full + tl.arange(0, BLOCK)
    acc += tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: least
"""A minimum, of whatever type the data are."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    low = float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("inf"))
        low = tl.minimum(tl.min(x, axis=0), low)
    tl.store(Y + row, low)
# shared: run


# case: methods_and_other_names
"""Reductions as methods, and a language by another name."""

import torch
import triton
from triton import language as lang


@triton.jit
def kernel(X, Y, N, BLOCK: lang.constexpr):
    row = lang.program_id(0)
    acc = 0.0
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + lang.arange(0, BLOCK)
        x = lang.load(X + row * N + cols, mask=cols < N, other=0.0).to(lang.float32)
        acc += x.sum(0)
        m = lang.maximum(m, x.max())
    lang.store(Y + row, acc + m)
# shared: run


# case: named_apart
"""A blank line stands between the sum of a tile, which a comment explains, and where it is added."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    positive = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        # Of this tile.
        here = tl.sum((x > 0).to(tl.int32), axis=0)

        positive += here
    tl.store(Y + row, positive)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: names_taken
# like: type_of_a_load
"""The name of the tile is taken."""
#-    acc = tl.load(X + row * N)
#+    acc_tile = tl.load(X + row * N)
#+    acc = 0.0
#-    tl.store(Y + row, acc)
#+    tl.store(Y + row, acc + acc_tile)


# case: nested_loops
# like: static_loop_around
"""A nest of loops carries the accumulator, and is reduced after the outer one."""
#-    for turn in tl.static_range(2):
#+    for turn in range(0, 3):
#-            acc += tl.sum(x + turn, axis=0)
#+            acc += tl.sum(x * turn, axis=0)


# case: over_several_lines
"""A reduction over several lines."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    m = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(
            tl.where(
                cols < N,
                x * x,
                0.0,
            ),
            axis=0,
        )
        m = tl.maximum(
            m, tl.max(tl.where(cols < N, x, float("-inf")), axis=0)
        )
    tl.store(Y + row, acc + m)
# shared: run


# case: plain_assignments
# like: largest
"""The accumulator on either side, and two reductions behind it."""
#-    m = 0.0
#+    acc = 0.0
#+    low = 0.0
#-        m = tl.maximum(m, tl.max(tl.abs(x), axis=0))
#-    tl.store(Y + row, m)
#+        acc = tl.sum(x, axis=0) + acc
#+        low = low - tl.sum(x, axis=0) - tl.sum(x * x, axis=0)
#+    tl.store(Y + row, acc - low)
