import torch
import triton
import triton.language as tl


# case: capped_squares
# like: count_of_one_block
# expect: not applied, accumulator-is-read
"""The sum of squares is capped as it grows, so its value inside the loop matters."""
#-    mean = total / BLOCK
#+    mean = total / n_cols
#-        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
#+        squares = tl.minimum(squares + tl.sum(tl.where(mask, diff * diff, 0.0)), 1e6)


# case: decaying_sum
# like: mean_shrunk
# expect: not applied, center-is-not-the-mean
"""The first accumulator decays: every block shrinks what came before."""
#-        acc += x
#+        acc = 0.9 * acc + x
#-    mean = mean * 0.5


# case: largest_partial_sum
# like: mean_shrunk
# expect: not applied, accumulator-is-read
"""Beside the full sum the largest lane of the squares is used."""
#-    mean = mean * 0.5

#-    var = tl.sum(acc2, axis=0) / N
#+    var = tl.sum(acc2, axis=0) / N + tl.max(acc2, axis=0)


# case: last_tiles_of_two_sweeps_apart
# expect: not applied, accumulator-is-read
"""Each sweep is a loop over full tiles and a last tile, which adds to what the loop summed."""


@triton.jit
def kernel(x_ptr, var_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    full = n // BLOCK * BLOCK
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, full, BLOCK):
        total += tl.load(x_ptr + row * n + start + tl.arange(0, BLOCK))
    cols = full + tl.arange(0, BLOCK)
    total += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(total) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, full, BLOCK):
        d = tl.load(x_ptr + row * n + start + tl.arange(0, BLOCK)) - mean
        squares += d * d
    d = tl.where(cols < n, tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0) - mean, 0.0)
    squares += d * d
    tl.store(var_ptr + row, tl.sum(squares) / n)


def run(x: torch.Tensor):
    m, n = x.shape
    var = x.new_empty(m)
    kernel[(m,)](x, var, n, BLOCK=16)
    return var


# case: linear_lanes_escape
# like: linear_entropy
# expect: not applied, accumulator-is-read
"""The lanes are stored one by one."""
#-    loss = 0.0
#+    loss = tl.zeros([BLOCK], dtype=tl.float32)
#-        loss += tl.sum((lse - x) * p, axis=0)
#-    tl.store(Loss + row, loss)
#+        loss += (lse - x) * p
#+    tl.store(Loss + row * BLOCK + tl.arange(0, BLOCK), loss)
#-    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
#+    loss = torch.zeros(m, 16, dtype=torch.float32, device=x.device)


# case: prefix_sums
# like: count_of_one_block
# expect: not applied, accumulator-is-read
"""The first sweep stores its running sum after every block."""
#-def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
#+def row_stats(x_ptr, prefix_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
#-    mean = total / BLOCK
#+        tl.store(prefix_ptr + row * tl.cdiv(n_cols, BLOCK) + i, total)
#+    mean = total / n_cols
#-    row_stats[(m,)](x, mean, var, n, BLOCK=64)
#-    return var, mean
#+    prefix = x.new_empty(m, triton.cdiv(n, 64))
#+    row_stats[(m,)](x, prefix, mean, var, n, BLOCK=64)
#+    return var, mean, prefix


# case: squares_by_column
# expect: not applied, center-is-not-the-mean
"""The mean is that of each row of the tile, the squares are summed over the rows instead: a
partial sum for each column."""


@triton.jit
def tile_stats(X, Mean, Var, M, N, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    X += rows[:, None] * stride
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, N, COLS):
        cols = start + tl.arange(0, COLS)
        mask = row_mask[:, None] & (cols < N)[None, :]
        acc += tl.load(X + cols[None, :], mask=mask, other=0.0)
    mean = tl.sum(acc, axis=1) / N
    acc2 = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, N, COLS):
        cols = start + tl.arange(0, COLS)
        mask = row_mask[:, None] & (cols < N)[None, :]
        x = tl.load(X + cols[None, :], mask=mask, other=0.0)
        d = tl.where(mask, x - mean[:, None], 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + rows, mean, mask=row_mask)
    tl.store(Var + tl.program_id(0) * COLS + tl.arange(0, COLS), var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(triton.cdiv(m, 4), 32, device=x.device)
    tile_stats[(triton.cdiv(m, 4),)](x, mean, var, m, n, x.stride(0), ROWS=4, COLS=32)
    return var, mean


# case: squares_stored_by_lane
# like: absolute_deviation
# expect: not applied, accumulator-is-read
"""The sum of squares is stored lane by lane and added up by another kernel: the partial sums are
the result."""
#-        acc2 += tl.abs(d)
#-    var = tl.sum(acc2, axis=0) / N
#+        acc2 += d * d
#-    tl.store(Var + row, var)
#+    tl.store(Var + row * BLOCK + tl.arange(0, BLOCK), acc2)
#-    var = torch.empty(m, device=x.device)
#+    var = torch.empty(m, 64, device=x.device)


# case: summed_by_a_helper_that_stores
# expect: not applied, accumulator-is-read
"""The second accumulator is summed by a helper that also stores: the call may not go."""


@triton.jit
def total_of(v, SEEN):
    tl.store(SEEN, 1.0)
    return tl.sum(v, axis=0)


@triton.jit
def kernel(X, MEAN, VAR, SEEN, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = total_of(sq, SEEN + row) / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    seen = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, seen, n, BLOCK=16)
    return mean, var, seen


# case: welford_first
# like: count_of_one_block
# expect: not applied, center-is-not-the-mean
"""The first sweep is Welford's already: it reads its running mean to update it."""
#     lanes = tl.arange(0, BLOCK)
#+    seen = 0.0
#-        total += tl.sum(x)
#-    mean = total / BLOCK
#+        seen += tl.sum(mask.to(tl.float32))
#+        total += tl.sum(tl.where(mask, x - total, 0.0)) / seen
#+    mean = total
