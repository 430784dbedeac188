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
# expect: not applied, accumulator-is-narrow
"""The accumulator is fp16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([], dtype=tl.float16)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x.to(tl.float16), axis=0)
    tl.store(Y + row, acc)
# shared: run


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
# expect: not applied, comment-inside
"""A comment beside the axis would be lost."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(
            x,
            axis=0,  # the only one
        )
    tl.store(Y + row, acc)
# shared: run


# case: left_early
# expect: not applied, early-exit
"""An iteration may end the kernel."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        if start > 100:
            return
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: loop_with_else
# expect: not applied, loop-is-not-plain
"""The loop has an `else`."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
    else:
        acc += 1.0
    tl.store(Y + row, acc)
# shared: run


# case: warp_specialized
# expect: not applied, loop-options
"""The compiler divides the body of the loop over warps."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in tl.range(0, N, BLOCK, warp_specialize=True):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


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
# expect: not applied, nan-is-propagated
"""The maximum keeps NaN, and the maximum of a tile drops it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc = tl.maximum(acc, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y + row, acc)
# shared: run


# case: difference_of_lanes
# expect: not applied, no-such-reduction
"""A function that subtracts, which does not regroup."""


@triton.jit
def minus(a, b):
    return a - b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.reduce(x, 0, minus)
    tl.store(Y + row, acc)
# shared: run


# case: largest_that_comes_with_an_index
# expect: not applied, no-such-reduction
"""The largest of a tile comes with its index, and the index is not used."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        top, place = tl.max(x, axis=0, return_indices=True)
        m = tl.maximum(m, top)
    tl.store(Y + row, m)
# shared: run


# case: unknown_combination
# expect: not applied, no-such-reduction
"""A function that is no operation on its two parameters."""


@triton.jit
def halves(a, b):
    return (a + b) * 0.5


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.reduce(x, 0, halves, keep_dims=False)
    tl.store(Y + row, acc)
# shared: run


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
# expect: not applied, pinned-bits
"""Somebody matched the bits of another library."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, tl.div_rn(acc, N * 1.0))
# shared: run


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
# expect: not applied, unrolled-loop
"""The compiler unrolls the loop, and a name may change its type from turn to turn."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([], dtype=tl.float32)
    for start in tl.static_range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float16)
        acc += tl.sum(x, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: keeps_a_long_tile
# expect: not applied, tile-is-spilled
"""A thread would keep 32 elements of a tile through the loop, where that has two iterations."""

WARPS = 32 if torch.version.hip is None else 16


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for part in range(0, tl.cdiv(N, BLOCK)):
        cols = part * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(32768, triton.next_power_of_2(n))
    kernel[(m,)](x, y, n, BLOCK=block, num_warps=WARPS)
    return y


# case: keeps_a_tile_of_32_elements_for_each_thread
# expect: not applied, tile-is-spilled
"""A launch of 4 warps, as none is named, keeps 32 elements; the other keeps 16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=2048)
    kernel[(m,)](x, y, n, BLOCK=4096)
    return y


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
# expect: not applied, tile-is-spilled
"""A sum of sums takes the whole tile."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(tl.sum(x, axis=1), axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(triton.cdiv(m, 4), dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=8)
    return y


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
