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


# case: narrow_accumulator
# like: type_of_a_load
# expect: not applied, accumulator-is-narrow
"""The accumulator is fp16."""
#-    acc = tl.load(X + row * N)
#+    acc = tl.zeros([], dtype=tl.float16)
#-        acc += tl.sum(x, axis=0)
#+        acc += tl.sum(x.to(tl.float16), axis=0)


# case: called_with_tiles
# expect: not applied, called-from-a-kernel
"""Another kernel calls this one, and may pass a tile."""


@triton.jit
def kernel(X, SCALE, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x * SCALE, axis=0)
    return acc


@triton.jit
def outer(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(Y + lanes, kernel(X, lanes * 1.0, N, BLOCK))


# case: comment_inside
# like: sum_of_squares
# expect: not applied, comment-inside
"""A comment beside the axis would be lost."""
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(
#+            x,
#+            axis=0,  # the only one
#+        )


# case: left_early
# like: type_of_a_load
# expect: not applied, early-exit
"""An iteration may end the kernel."""
#-    acc = tl.load(X + row * N)
#+    acc = 0.0
#         x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        if start > 100:
#+            return


# case: loop_with_else
# like: type_of_a_load
# expect: not applied, loop-is-not-plain
"""The loop has an `else`."""
#-    acc = tl.load(X + row * N)
#+    acc = 0.0
#         acc += tl.sum(x, axis=0)
#+    else:
#+        acc += 1.0


# case: warp_specialized
# like: type_of_a_load
# expect: not applied, loop-options
"""The compiler divides the body of the loop over warps."""
#-    acc = tl.load(X + row * N)
#-    for start in range(0, N, BLOCK):
#+    acc = 0.0
#+    for start in tl.range(0, N, BLOCK, warp_specialize=True):


# case: bound_in_one_branch
# expect: not applied, name-is-bound-elsewhere
"""Without AFFINE there is no accumulator to read behind the loop."""


@triton.jit
def kernel(X, Y, N, AFFINE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if AFFINE:
        total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        if AFFINE:
            total += tl.sum(x, axis=0)
    if AFFINE:
        tl.store(Y + row, total)


# tritonopt: x: f32[m, n], affine: bool
def run(x: torch.Tensor, affine: bool):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, affine, BLOCK=16)
    return y


# case: nan_is_kept
# like: type_of_a_load
# expect: not applied, nan-is-propagated
"""The maximum keeps NaN, and the maximum of a tile drops it."""
#-    acc = tl.load(X + row * N)
#+    acc = float("-inf")
#-        acc += tl.sum(x, axis=0)
#+        acc = tl.maximum(acc, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)


# case: difference_of_lanes
# like: sum_of_squares
# expect: not applied, no-such-reduction
"""A function that subtracts, which does not regroup."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def minus(a, b):
#+    return a - b
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.reduce(x, 0, minus)


# case: largest_that_comes_with_an_index
# like: type_of_a_load
# expect: not applied, no-such-reduction
"""The largest of a tile comes with its index, and the index is not used."""
#-    acc = tl.load(X + row * N)
#+    m = float("-inf")
#-        acc += tl.sum(x, axis=0)
#-    tl.store(Y + row, acc)
#+        top, place = tl.max(x, axis=0, return_indices=True)
#+        m = tl.maximum(m, top)
#+    tl.store(Y + row, m)


# case: unknown_combination
# like: sum_of_squares
# expect: not applied, no-such-reduction
"""A function that is no operation on its two parameters."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def halves(a, b):
#+    return (a + b) * 0.5
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.reduce(x, 0, halves, keep_dims=False)


# case: extent_in_the_loop
# expect: not applied, not-expressible
"""The extent of the tile is named in the loop only."""


@triton.constexpr_function
def helper(n):
    return n // 2


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        HALF: tl.constexpr = helper(BLOCK)
        cols = start + tl.arange(0, HALF)
        acc += tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: pinned_rounding
# like: type_of_a_load
# expect: not applied, pinned-bits
"""Somebody matched the bits of another library."""
#-    acc = tl.load(X + row * N)
#+    acc = 0.0
#-    tl.store(Y + row, acc)
#+    tl.store(Y + row, tl.div_rn(acc, N * 1.0))


# case: keeps_a_tile_of_two_axes
# expect: not applied, tile-is-spilled
"""A tile of many times the elements of its sums would stay live through the loop."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(tl.where(mask, x - 1.0, 0.0), axis=1)
    tl.store(Y + rows, acc, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=8)
    return y


# case: type_of_a_load
# expect: not applied, type-is-unknown
"""The accumulator starts with what is loaded, whatever its type."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.load(X + row * N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: unrolled
# like: type_of_a_load
# expect: not applied, unrolled-loop
"""The compiler unrolls the loop, and a name may change its type from turn to turn."""
#-    acc = tl.load(X + row * N)
#-    for start in range(0, N, BLOCK):
#+    acc = tl.zeros([], dtype=tl.float32)
#+    for start in tl.static_range(0, 64, BLOCK):
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float16)


# case: keeps_a_long_tile
# like: long_tile_of_many_warps
# expect: not applied, tile-is-spilled
"""A thread would keep 32 elements of a tile through the loop, where that has two iterations."""
# import triton.language as tl
#+
#+WARPS = 32 if torch.version.hip is None else 16
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    for part in range(0, tl.cdiv(N, BLOCK)):
#+        cols = part * BLOCK + tl.arange(0, BLOCK)
#-    kernel[(m,)](x, y, n, BLOCK=min(16384, triton.next_power_of_2(n)), num_warps=32)
#+    block = min(32768, triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, n, BLOCK=block, num_warps=WARPS)


# case: keeps_a_tile_of_32_elements_for_each_thread
# like: long_tile_of_many_warps
# expect: not applied, tile-is-spilled
"""A launch of 4 warps, as none is named, keeps 32 elements; the other keeps 16."""
#-    kernel[(m,)](x, y, n, BLOCK=min(16384, triton.next_power_of_2(n)), num_warps=32)
#+    kernel[(m,)](x, y, n, BLOCK=2048)
#+    kernel[(m,)](x, y, n, BLOCK=4096)


# case: start_of_unknown_shape
# expect: not applied, type-is-unknown
"""The sum starts as the call of a type, of which nothing is known."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    total = tl.float32(0.0)
    for start in range(0, N, BLOCK):
        x = tl.load(X + start + cols, mask=start + cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.store(Y, total)


# case: summed_twice
# like: keeps_a_tile_of_two_axes
# expect: not applied, tile-is-spilled
"""A sum of sums takes the whole tile."""
#-    acc = tl.zeros([ROWS], dtype=tl.float32)
#+    acc = 0.0
#-        acc += tl.sum(tl.where(mask, x - 1.0, 0.0), axis=1)
#-    tl.store(Y + rows, acc, mask=rows < M)
#+        acc += tl.sum(tl.sum(x, axis=1), axis=0)
#+    tl.store(Y + row, acc)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(triton.cdiv(m, 4), dtype=torch.float32, device=x.device)


# case: comment_in_the_tile
# expect: not applied, not-expressible
"""A tile over several lines goes on one, without the comment in it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(
            tl.where(
                cols < N,
                x * x,  # of the whole row
                0.0,
            ),
            axis=0,
        )
    tl.store(Y + row, acc)


# case: type_of_the_code
# expect: not applied, type-is-unknown
"""The type of the accumulator has a name."""


@triton.jit
def kernel(X, Y, N, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([], dtype=DTYPE)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(DTYPE)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, tl.float32, BLOCK=16)
    return y
