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


# case: bias_before_the_sum
# expect: not applied, masked-off-lanes-count
"""The first loop adds up `x + bias` under the name x, bound again after the load. The second
sweep centers x without the bias."""


@triton.jit
def kernel(X, Bias, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    bias = tl.load(Bias + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        x += bias
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


# tritonopt: x: f32[m, n], bias: f32[m]
def var_mean(x: torch.Tensor, bias: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, bias, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: linear_one_lane
# expect: not applied, masked-off-lanes-count
"""Perhaps no lane is chosen, and then nothing is added."""


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

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum(tl.where(cols == 3, lse - x, 0.0), axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: padding_cleared_too_early
# expect: not applied, masked-off-lanes-count
"""The padding lanes are cleared before the mean is subtracted, which brings the mean back into
them."""


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
        d = tl.where(cols < N, x, 0.0) - mean
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: padding_deviates_by_one
# expect: not applied, different-elements
"""The `tl.where` sets the deviation of padding lanes to 1.0 rather than 0, so each of them
counts."""


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
        d = tl.where(cols < N, x - mean, 1.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: padding_is_one
# expect: not applied, masked-off-lanes-count
"""The first load fills its padding lanes with 1.0, and they are added up with the rest."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=1.0)
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
# shared: var_mean


# case: padding_not_cleared
# expect: not applied, masked-off-lanes-count
"""Nothing clears the padding lanes of the second loop: they hold 0 and add the square of the
mean each."""


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
        d = x - mean
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: padding_undefined
# expect: not applied, masked-off-lanes-count
"""The loads are masked but give no `other`, and nothing clears the lanes afterwards: what they
hold is undefined."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N)
        d = x - mean
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: residual_without_a_mask
# expect: not applied, masked-off-lanes-count
"""The residual of lanes behind the row is added too."""


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
            x += tl.load(R + cols).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols).to(tl.float32)
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
