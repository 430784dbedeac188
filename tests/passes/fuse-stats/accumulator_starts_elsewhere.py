import torch
import triton
import triton.language as tl


# case: linear_starts_at_one
# expect: not applied, accumulator-starts-elsewhere
"""The sum starts at 1."""


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

    loss = 1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: squares_start_at_eps
# expect: not applied, accumulator-starts-elsewhere
"""The sum of squares starts at an epsilon, to keep it off zero."""


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
    squares = 1e-6
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
    row_stats[(m,)](x, mean, var, n, BLOCK=64)
    return var, mean


# case: sum_goes_on
# expect: not applied, accumulator-starts-elsewhere
"""The sum goes on from what an earlier launch left in memory."""


@triton.jit
def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.load(mean_ptr + row)
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
        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)


# tritonopt: x: f32[m, n]
def row_var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = x.new_ones(m)
    var = x.new_empty(m)
    row_stats[(m,)](x, mean, var, n, BLOCK=64)
    return var, mean


# case: sum_over_all_rows
# expect: not applied, accumulator-starts-elsewhere
"""In a loop over rows the first accumulator is set to zero only once, before the loop: from the
second row on it starts with the rows before. The squares do start anew."""


@triton.jit
def kernel(X, Mean, Var, M, N, stride, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x_row = X + row * stride
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(x_row + cols, mask=cols < N, other=0.0)
        mean = tl.sum(acc, axis=0) / N
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Mean + row, mean)
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(min(m, 2),)](x, mean, var, m, n, x.stride(0), BLOCK=64)
    return var, mean


# case: sum_starts_at_one
# expect: not applied, accumulator-starts-elsewhere
"""The first accumulator starts with ones, a prior of one observation in every lane."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.full([BLOCK], 1.0, dtype=tl.float32)
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
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
