import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: if_around_second
# expect: unchanged
"""The second loop runs only when a runtime flag asks for it. Merged, it would always run; that
is another trade."""


@triton.jit
def kernel(X, Mean, Var, stride, N, wanted, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.store(Mean + row, mean)
    if wanted > 0:
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, m, BLOCK=64)
    return var, mean


# case: linear_bound_by_both
# expect: unchanged
"""A name of the first loop would be read for one that has gone."""


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
        part = x
        total += tl.sum(tl.exp(x - largest), axis=0)
    lse = largest + tl.log(total)

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        part = lse - x
        part **= 2.0
        loss += tl.sum(part * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_condition
# expect: unchanged
"""Which lanes count depends on the first loop."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum(tl.where(x < lse, (lse - x) * p, 0.0), axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_exponent
# expect: unchanged
"""What comes of the first loop is exponentiated."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum(tl.exp(x - lse) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_gathered
# expect: unchanged
"""Where the second loop reads depends on the first."""


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
        p = tl.load(P + cols * (lse > 0.0).to(tl.int32), mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_reads_itself
# expect: unchanged
"""What is added depends on the sum so far."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0) + loss * 0.5
    tl.store(Loss + row, loss)
# shared: run


# case: linear_squared
# expect: unchanged
"""What comes of the first loop is squared."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * (lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: nest_in_another_order
# expect: unchanged
"""The second nest goes h before n. The elements are the same in another order, and the loops do
not match one by one."""


@triton.jit
def channel_stats(x_ptr, mean_ptr, var_ptr, N, C, H, W, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    count = N * H * W
    total = 0.0
    for n in range(N):
        for h in range(H):
            for w_start in range(0, W, BLOCK):
                w = w_start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr + ((n * C + c) * H + h) * W + w, mask=w < W, other=0.0)
                total += tl.sum(x)
    mean = total / count
    squares = 0.0
    for h in range(H):
        for n in range(N):
            for w_start in range(0, W, BLOCK):
                w = w_start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr + ((n * C + c) * H + h) * W + w, mask=w < W, other=0.0)
                d = tl.where(w < W, x - mean, 0.0)
                squares += tl.sum(d * d)
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, squares / count)


# tritonopt: x: f32[n, c, h, w]
def batch_stats(x: torch.Tensor):
    n, c, h, w = x.shape
    x = x.contiguous()
    mean = torch.empty(c, device=x.device)
    var = torch.empty(c, device=x.device)
    channel_stats[(c,)](x, mean, var, n, c, h, w, BLOCK=16)
    return mean, var


# case: one_sweep_already
# expect: unchanged
"""Both sums are taken in one sweep: there is nothing to merge."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        acc2 += x * x
    mean = tl.sum(acc, axis=0) / N
    var = tl.sum(acc2, axis=0) / N - mean * mean
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: other_branch
# expect: unchanged
"""The sweeps stand in different branches of one `if`: a program runs one or the other, never
both."""


@triton.jit
def kernel(X, Mean, Var, stride, N, given, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = 0.0
    if row % 2 == 0:
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            acc += x
        mean = tl.sum(acc, axis=0) / N
        tl.store(Mean + row, mean)
    else:
        mean = given
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, 0.5, BLOCK=64)
    return var, mean


# case: two_kernels
# expect: unchanged
"""The sweeps stand in two kernels, launched one after the other. A pass looks at one kernel at a
time."""


@triton.jit
def mean_kernel(X, Mean, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    tl.store(Mean + row, tl.sum(acc, axis=0) / N)


@triton.jit
def var_kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = tl.load(Mean + row)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    mean_kernel[(m,)](x, mean, x.stride(0), n, BLOCK=64)
    var_kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: while_loops
# expect: unchanged
"""The sweeps are `while` loops. They could be understood; for now they are not rewritten."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < N:
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        start += BLOCK
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < N:
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
        start += BLOCK
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean
