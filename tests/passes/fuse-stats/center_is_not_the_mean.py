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


# case: center_in_bfloat
# expect: not applied, pinned-bits
"""The mean is rounded to bf16, as the tensor that it is stored to, and the rounded one is
subtracted."""


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
    mean = mean.to(tl.bfloat16).to(tl.float32)
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


# case: center_in_half
# expect: not applied, pinned-bits
"""The mean goes through fp16 before it is subtracted. The deviations are from the rounded value,
which a fused sum cannot know."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = (tl.sum(acc, axis=0) / N).to(tl.float16)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean.to(tl.float32), 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: center_of_lanes
# expect: not applied, center-is-not-the-mean
"""Every lane is centered by its own partial sum: the accumulator is divided, but never reduced."""


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
        d = tl.where(cols < N, x - acc / N, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: count_at_least_two
# expect: not applied, center-is-not-the-mean
"""A row of one element is divided by two."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / tl.maximum(N, 2)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / tl.maximum(N, 2)
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: count_at_most_one
# expect: not applied, center-is-not-the-mean
"""The sum is divided by one, or by less."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / tl.minimum(N, 1)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / tl.minimum(N, 1)
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: count_by_a_property
# expect: not applied, center-is-not-the-mean
"""The launch writes one property twice; it may change in between."""


@triton.jit
def kernel(X, MEAN, VAR, N, NF, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / NF
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = tl.sum(sq, axis=0) / NF
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
class Count:
    def __init__(self, n): self.n = n
    self.k = 0
    @property
    def next(self):
        self.k += 1
        return self.n * self.k

def run(x):
    m, n = x.shape
    c = Count(n)
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, c.next, c.next, BLOCK=16)
    return mean, var


# case: count_of_another_at_least_one
# expect: not applied, center-is-not-the-mean
"""The larger number is that of something else."""


@triton.jit
def kernel(X, Y, N, M, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / tl.maximum(M, 1)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / tl.maximum(M, 1)
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, m, BLOCK=16)
    return y


# case: count_of_lanes
# expect: not applied, center-is-not-the-mean
"""The sum is divided by the number of lanes, padding included, and not by the number of
elements."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / (tl.cdiv(N, BLOCK) * BLOCK)
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


# case: count_of_one_block
# expect: not applied, center-is-not-the-mean
"""The sum over the whole row is divided by the size of one block."""


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
    mean = total / BLOCK
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


# case: count_off_by_one
# expect: not applied, center-is-not-the-mean
"""The sum is divided by N + 1, which shrinks the mean. The variance about it is larger than the
variance."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / (N + 1)
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


# case: count_unbiased_mean
# expect: not applied, center-is-not-the-mean
"""The sum is divided by N - 1, as a variance would be and a mean never is."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / (N - 1)
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


# case: loaded_mean
# expect: not applied, center-is-not-the-mean
"""The deviations are taken from a mean that was computed elsewhere and is loaded; the first
sweep's is only stored."""


@triton.jit
def kernel(X, Given, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    center = tl.load(Given + row)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - center, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], given: f32[m]
def var_mean(x: torch.Tensor, given: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, given, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: maximum_as_center
# expect: not applied, center-is-not-the-mean
"""The deviations are taken from the maximum of the partial sums, a different reduction of the
same accumulator."""


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
    center = tl.max(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - center, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: mean_moves_inside
# expect: not applied, center-is-not-the-mean
"""The mean moves while the second loop runs: every block adds its own correction to it."""


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
        mean = mean + tl.sum(tl.where(mask, diff, 0.0)) / n_cols
        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)
# shared: row_var_mean


# case: mean_of_another
# expect: not applied, different-elements
"""The first loop adds up two rows at once; the deviations of X are taken from the mean of Y."""


@triton.jit
def kernel(X, Y, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    acc_y = tl.zeros([BLOCK], dtype=tl.float32)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        acc_y += tl.load(Y + cols, mask=cols < N, other=0.0)
    mean = tl.sum(acc, axis=0) / N
    mean_y = tl.sum(acc_y, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean_y, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], y: f32[m, n]
def var_mean(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = y.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: mean_of_each_tile
# expect: not applied, center-is-not-the-mean
"""Each tile of the second loop is centered by its own mean. The mean of the row is computed,
stored and not used."""


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
        mean_of_tile = tl.sum(x, axis=0) / BLOCK
        d = tl.where(cols < N, x - mean_of_tile, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: mean_plus_eps
# expect: not applied, center-is-not-the-mean
"""An epsilon is added to the mean before it is subtracted, so the deviations are not from the
mean."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N + 1e-3
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


# case: mean_shrunk
# expect: not applied, center-is-not-the-mean
"""The mean is bound again, halved, before the second loop uses it under the same name."""


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
    mean = mean * 0.5
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


# case: mean_square_as_center
# expect: not applied, different-elements
"""The first loop adds up squares; their mean, not the mean of x, is subtracted."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x * x
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


# case: residual_by_the_tile
# expect: not applied, center-is-not-the-mean
"""Which tiles get a residual depends on the tile."""


@triton.jit
def kernel(X, R, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if start > 0:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if start > 0:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, BLOCK=16)
    return y


# case: running_mean
# expect: not applied, center-is-not-the-mean
"""The deviations are taken from a running mean, of which this row's mean is only a tenth."""


@triton.jit
def kernel(X, Running, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    mean = 0.9 * tl.load(Running + row) + 0.1 * mean
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], running: f32[m]
def var_mean(x: torch.Tensor, running: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, running, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: sum_as_center
# expect: not applied, center-is-not-the-mean
"""The sum itself is subtracted, the division comes too late."""


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
        diff = x - total
        squares += tl.sum(tl.where(mask, diff * diff, 0.0))
    var = squares / n_cols
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)
# shared: row_var_mean


# case: sum_in_integers
# expect: not applied, center-is-not-the-mean
"""The sum for the mean is taken in int32, so the center is not the mean."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0, dtype=tl.int32) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = tl.sum(sq, axis=0) / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var
