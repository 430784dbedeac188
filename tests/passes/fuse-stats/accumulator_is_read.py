import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def row_var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = x.new_empty(m)
    var = x.new_empty(m)
    row_stats[(m,)](x, mean, var, n, BLOCK=64)
    return var, mean


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: capped_squares
# expect: not applied, accumulator-is-read
"""The sum of squares is capped as it grows, so its value inside the loop matters."""


@triton.jit
def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(x)
    mean = total / n_cols
    squares = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        diff = x - mean
        squares = tl.minimum(squares + tl.sum(tl.where(mask, diff * diff, 0.0)), 1e6)
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)
# shared: row_var_mean


# case: decaying_sum
# expect: not applied, center-is-not-the-mean
"""The first accumulator decays: every block shrinks what came before."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc = 0.9 * acc + x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: largest_partial_sum
# expect: not applied, accumulator-is-read
"""Beside the full sum the largest lane of the squares is used."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N + tl.max(acc2, axis=0)
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


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
# expect: not applied, accumulator-is-read
"""The lanes are stored one by one."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    lse = largest + tl.log(total)

    loss = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += (lse - x) * p
    tl.store(Loss + row * BLOCK + tl.arange(0, BLOCK), loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, 16, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: prefix_sums
# expect: not applied, accumulator-is-read
"""The first loop stores its running sum after every block."""


@triton.jit
def row_stats(x_ptr, prefix_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(x)
        tl.store(prefix_ptr + row * tl.cdiv(n_cols, BLOCK) + i, total)
    mean = total / n_cols
    squares = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        diff = x - mean
        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)


# tritonopt: x: f32[m, n]
def row_var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = x.new_empty(m)
    var = x.new_empty(m)
    prefix = x.new_empty(m, triton.cdiv(n, 64))
    row_stats[(m,)](x, prefix, mean, var, n, BLOCK=64)
    return var, mean, prefix


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
# expect: not applied, accumulator-is-read
"""The sum of squares is stored lane by lane and added up by another kernel: the partial sums are
the result."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    tl.store(Mean + row, mean)
    tl.store(Var + row * BLOCK + tl.arange(0, BLOCK), acc2)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, 64, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


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
# expect: not applied, center-is-not-the-mean
"""The first loop is Welford's already: it reads its running mean to update it."""


@triton.jit
def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    seen = 0.0
    total = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        seen += tl.sum(mask.to(tl.float32))
        total += tl.sum(tl.where(mask, x - total, 0.0)) / seen
    mean = total
    squares = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
        diff = x - mean
        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)
# shared: row_var_mean
