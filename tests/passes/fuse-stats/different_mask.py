import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: flag_around_the_sum
# expect: not applied, different-elements
"""Without the flag the mean is 0, and the squares are still summed."""


@triton.jit
def kernel(X, Y, N, CENTERD: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if CENTERD:
            total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, True, BLOCK=16)
    return y


# case: last_column_excluded
# expect: not applied, different-elements
"""The second loop masks by `cols < N - 1` and leaves the last element out, of the load and of
the sum."""


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
        x = tl.load(X + cols, mask=cols < N - 1, other=0.0)
        d = tl.where(cols < N - 1, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: last_column_included
# expect: not applied, different-elements
"""The second loop masks by `cols <= N` and takes one element of the padding along. The launcher
pads the rows, so it is a value."""


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
        x = tl.load(X + cols, mask=cols <= N, other=0.0)
        d = tl.where(cols <= N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = torch.nn.functional.pad(x, (0, 1), value=1.0).contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: mask_only_in_second
# expect: not applied, different-elements
"""The first loop loads whole blocks without a mask, padding columns included; the second leaves
them out."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        acc += x
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


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = torch.nn.functional.pad(x, (0, -n % 64)).contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: mask_with_a_hole
# expect: not applied, different-elements
"""The second loop leaves out column 0, the class token of some models."""


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
        x = tl.load(X + cols, mask=(cols < N) & (cols != 0), other=0.0)
        d = tl.where((cols < N) & (cols != 0), x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: masked_by_value
# expect: not applied, different-elements
"""The deviations of zeros do not count, though the zeros count in the mean: the second sum has a
condition on the data."""


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
        d = tl.where((cols < N) & (x != 0.0), x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: residual_by_another_flag
# expect: not applied, different-elements
"""One flag for the sum, and another one for the squares."""


@triton.jit
def kernel(X, R, Y, N, HAS_RESIDUAL: tl.constexpr, AGAIN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if AGAIN:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, True, True, BLOCK=16)
    return y


# case: residual_by_the_contrary
# expect: not applied, different-elements
"""Where the flag is off for the sum it is on for the squares."""


@triton.jit
def kernel(X, R, Y, N, HAS_RESIDUAL: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if not HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, True, BLOCK=16)
    return y


# case: row_mask_missing
# expect: not applied, different-elements
"""Two-dimensional tiles whose second mask lacks the rows. The rows past the end come from the
launcher's padding, so the load is legal, but it is another set of elements."""


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
        mask = (cols < N)[None, :]
        x = tl.load(X + cols[None, :], mask=mask, other=0.0)
        d = tl.where(mask, x - mean[:, None], 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=1) / N
    tl.store(Mean + rows, mean, mask=row_mask)
    tl.store(Var + rows, var, mask=row_mask)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = torch.nn.functional.pad(x, (0, 0, 0, -m % 4)).contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    tile_stats[(triton.cdiv(m, 4),)](x, mean, var, m, n, x.stride(0), ROWS=4, COLS=32)
    return var, mean


# case: weighted_under_another_mask
# expect: not applied, different-elements
"""Weights under a narrower mask than the elements, around the plain mean."""


@triton.jit
def kernel(X, Weight, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    weights = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N - 1, other=0.0)
        acc += x
        weights += w
    total = tl.sum(weights, axis=0)
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        w = tl.load(Weight + cols, mask=cols < N - 1, other=0.0)
        acc2 += w * (x - mean) * (x - mean)
    var = tl.sum(acc2, axis=0) / total
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], weight: f32[n]
def var_mean(x: torch.Tensor, weight: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, weight, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
