import torch
import triton
import triton.language as tl


# case: row_lengths_from_memory
# like: large_values
"""The length of the row is loaded."""
#-def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
#+def kernel(X, MEAN, VAR, LEN, S, BLOCK: tl.constexpr):
#-    X += row * N
#+    X += row * S
#+    N = tl.load(LEN + row)
#-    kernel[(m,)](x, mean, var, n, BLOCK=16)
#+    kernel[(m,)](x, mean, var, torch.arange(m, dtype=torch.int32, device=x.device) % (n + 1), n, BLOCK=16)


# case: row_tiles
"""Tiles of [ROWS, BLOCK] with a row mask and a column mask: one mean for each row of the tile.
The center is broadcast with `mean[:, None]`."""


@triton.jit
def var_mean_kernel(
    X, Var, Mean, M, N, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    X = X + rows * stride
    row_mask = rows < M

    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)[None, :]
        mask = row_mask & (cols < N)
        acc += tl.load(X + cols, mask, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=1) / N
    mean_col = mean[:, None]

    acc_sq = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)[None, :]
        mask = row_mask & (cols < N)
        x = tl.load(X + cols, mask, other=0.0).to(tl.float32)
        x = tl.where(mask, x - mean_col, 0.0)
        acc_sq += x * x
    var = tl.sum(acc_sq, axis=1) / N

    out = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(Mean + out, mean, mask=out < M)
    tl.store(Var + out, var, mask=out < M)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    M, N = x.shape
    x = x.contiguous()
    var = torch.empty(M, dtype=x.dtype, device=x.device)
    mean = torch.empty(M, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(M, 4),)
    var_mean_kernel[grid](x, var, mean, M, N, x.stride(0), BLOCK_M=4, BLOCK_N=32)
    return var, mean


# case: scalar_accumulators
"""Both sums are scalars, `+= tl.sum(...)` in every iteration. Nothing is left to reduce after
the loops, so the shifted sums may be scalars too."""


@triton.jit
def row_variance_kernel(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=0.0)
        total += tl.sum(x, axis=0)
    mean = total / n_cols
    total_sq = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=0.0)
        diff = tl.where(cols < n_cols, x - mean, 0.0)
        total_sq += tl.sum(diff * diff, axis=0)
    tl.store(out_ptr + row, total_sq / n_cols)


def row_variance(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    row_variance_kernel[(m,)](x, out, x.stride(0), n, BLOCK=64)
    return out


# case: second_goes_beyond
# like: first_goes_beyond
"""The other one does."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N + BLOCK - 1, BLOCK):


# case: start_broadcast
# like: large_values
# verify: only on a GPU, the interpreter takes the start of a loop for a Python int
"""The start of a tile is handed to a function that takes a tensor."""
#-        cols = start + tl.arange(0, BLOCK)
#+        cols = tl.broadcast_to(start, [BLOCK]) + tl.arange(0, BLOCK)
#-        cols = start + tl.arange(0, BLOCK)
#+        cols = tl.broadcast_to(start, [BLOCK]) + tl.arange(0, BLOCK)


# case: start_in_64_bits
# like: large_values
# verify: only on a GPU, the interpreter takes the start of a loop for a Python int
"""The start of a tile is widened to int64 by a method, which a number does not have."""
#-        cols = start + tl.arange(0, BLOCK)
#+        cols = start.to(tl.int64) + tl.arange(0, BLOCK)
#-        cols = start + tl.arange(0, BLOCK)
#+        cols = start.to(tl.int64) + tl.arange(0, BLOCK)


# case: start_with_a_hint
# like: large_values
"""The start of a tile carries a hint, which a number cannot carry in the first tile."""
#     for start in range(0, N, BLOCK):
#+        start = tl.multiple_of(start, BLOCK)
#     for start in range(0, N, BLOCK):
#+        start = tl.multiple_of(start, BLOCK)


# case: store_between
"""The mean is stored between the loops. Its buffer comes fresh from `torch.empty` in the only
launcher, so the store cannot touch the data of the second loop."""


@triton.jit
def kernel(X, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        _mean += tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_last")
    mean = tl.sum(_mean, axis=0) / N
    tl.store(Mean + row, mean)

    # Second sweep: this one may throw its lines away.
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_first")
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    tl.store(Rstd + row, 1 / tl.sqrt(tl.sum(_var, axis=0) / N + eps))


# tritonopt: x: f32[m, n]
def stats(x: torch.Tensor, eps: float = 1e-5):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty((m,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((m,), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, mean, rstd, x.stride(0), n, eps, BLOCK=64)
    return mean, rstd


# case: tile_over_lines
# like: large_values
"""The added tile is an expression in parentheses over several lines."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        total += x
#+        total += (
#+            tl.load(
#+                X + cols,  # where
#+                mask=cols < N,  # which
#+                other=0.0,
#+            ).to(tl.float32)
#+        )


# case: tiles_and_columns
# like: first_goes_beyond
"""One loop counts tiles and the other one columns."""
#-    for start in range(0, N + BLOCK, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    for start in tl.range(0, tl.cdiv(N, BLOCK)):
#+        cols = start * BLOCK + tl.arange(0, BLOCK)


# case: tiles_with_a_residual
"""All of it at once, in tiles of several rows."""


@triton.jit
def kernel(X, R, Y, rows, N, HAS_RESIDUAL: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N + BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (cols < N)
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=1)[:, None] / tl.maximum(N, 1)
    squares = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (row < rows) & (cols < N)
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=1)[:, None] / tl.maximum(N, 1)
    tl.store(Y + row, var, mask=row < rows)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, r, y, m, n, True, ROWS=4, BLOCK=16)
    return y


# case: tl_range
"""The loops are `tl.range` with keywords for the pipeliner. The merged loop keeps those of the
first sweep, `num_stages` included."""


@triton.jit
def norm_stats(x_ptr, mean_ptr, rstd_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    sum_x = tl.zeros([BLOCK], dtype=tl.float32)
    for off in tl.range(0, N, BLOCK, num_stages=3):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        sum_x += x
    mean = tl.sum(sum_x, axis=0) / N
    sum_d2 = tl.zeros([BLOCK], dtype=tl.float32)
    for off in tl.range(0, N, BLOCK, num_stages=3):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        sum_d2 += d * d
    rstd = tl.rsqrt(tl.sum(sum_d2, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


# tritonopt: x: f32[m, n]
def stats(x: torch.Tensor, eps: float = 1e-6):
    x = x.contiguous()
    mean = torch.empty(x.shape[0], device=x.device)
    rstd = torch.empty(x.shape[0], device=x.device)
    norm_stats[(x.shape[0],)](x, mean, rstd, x.stride(0), x.shape[1], eps, BLOCK=64)
    return mean, rstd


# case: tutorial
"""Layer norm in the style of Triton's tutorial 05: vectors `_mean` and `_var`, summed after
their loops, then a third sweep that normalizes. The third sweep must stay as it is."""


@triton.jit
def _layer_norm_fwd(
    X,  # pointer to the input
    Y,  # pointer to the output
    W,  # pointer to the weights
    B,  # pointer to the biases
    Mean,  # pointer to the mean
    Rstd,  # pointer to the 1/std
    stride,  # how much to increase the pointer when moving by 1 row
    N,  # number of columns in X
    eps,  # epsilon to avoid division by zero
    BLOCK_SIZE: tl.constexpr,
):
    # Map the program id to the row of X and Y it should compute.
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    # Compute mean
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    # Compute variance
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    # Write mean / rstd
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    # Normalize and apply linear transformation
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        # Write output
        tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[m, n], weight: f32[n], bias: f32[n]
def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5):
    x = x.contiguous()
    y = torch.empty_like(x)
    M, N = x.shape
    mean = torch.empty((M,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
    _layer_norm_fwd[(M,)](x, y, weight, bias, mean, rstd, x.stride(0), N, eps, BLOCK_SIZE=64)
    return y, mean, rstd


# case: unbiased
"""The variance divides by N - 1 while the mean divides by N. What the second loop gives is the
sum of squared deviations; what is done with it afterwards stays as written."""


@triton.jit
def unbiased_std(x_ptr, out_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr = x_ptr + row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        x = tl.where(cols < N, x - mean, 0.0)
        sq += x * x
    tl.store(out_ptr + row, tl.sqrt(tl.sum(sq, axis=0) / (N - 1)))


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    unbiased_std[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out


# case: unnamed_tile
"""The tile of the first loop is never bound to a name, and the whole second sweep is one
statement with two loads of the same lanes. The tile has to be given a name that is free."""


@triton.jit
def terse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x = tl.program_id(0)
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, n, BLOCK):
        s += tl.load(
            x_ptr + x * n + i + tl.arange(0, BLOCK), mask=i + tl.arange(0, BLOCK) < n, other=0.0
        )
    mean = tl.sum(s, axis=0) / n
    v = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, n, BLOCK):
        v += (
            tl.load(
                x_ptr + x * n + i + tl.arange(0, BLOCK),
                mask=i + tl.arange(0, BLOCK) < n,
                other=mean,
            )
            - mean
        ) * (
            tl.load(
                x_ptr + x * n + i + tl.arange(0, BLOCK),
                mask=i + tl.arange(0, BLOCK) < n,
                other=mean,
            )
            - mean
        )
    tl.store(out_ptr + x, tl.sum(v, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    terse[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out


# case: where_after_square
"""The padding lanes are cleared after squaring: `tl.where(mask, d * d, 0)`. They contribute
nothing, exactly as when they are cleared before."""


@triton.jit
def variance(inp, out, row_stride, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    inp += pid * row_stride
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, n, BLOCK):
        idx = i + lanes
        mask = idx < n
        x = tl.load(inp + idx, mask=mask, other=0.0)
        acc += tl.where(mask, x, 0.0)
    mean = tl.sum(acc) / n
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, n, BLOCK):
        idx = i + lanes
        mask = idx < n
        x = tl.load(inp + idx, mask=mask, other=0.0)
        acc2 += tl.where(mask, (x - mean) * (x - mean), 0.0)
    tl.store(out + pid, tl.sum(acc2) / n)


def var(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    out = x.new_empty((m,))
    x = x.contiguous()
    variance[(m,)](x, out, x.stride(0), n, 64)
    return out


# case: where_by_keywords
# like: large_values
"""`tl.where` with its branches given by name."""
#-        d = tl.where(cols < N, x - mean, 0.0)
#+        d = tl.where(cols < N, x=x - mean, y=0.0)


# case: whole_blocks
# assume: N % BLOCK == 0
"""No masks at all: the user asserts that the rows are whole blocks, which makes the number of
elements N. The launcher sees to it."""


@triton.jit
def var_kernel(X, Out, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        acc += tl.load(X + start + tl.arange(0, BLOCK))
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        d = tl.load(X + start + tl.arange(0, BLOCK)) - mean
        acc2 += d * d
    tl.store(Out + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_of_whole_blocks(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    var_kernel[(m,)](x, out, x.stride(0), n // 16 * 16, BLOCK=16)
    return out


# case: whole_tiles_of_columns
# like: first_goes_beyond
"""The end of one loop is rounded up to a whole tile."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, tl.cdiv(N, BLOCK) * BLOCK, BLOCK):
