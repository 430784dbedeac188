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


# case: inductor
"""Single-assignment code as torch's inductor prints it: numbered temporaries, masked accumulation
by `tl.where(rmask, acc + t, acc)`, tiles of [XBLOCK, RBLOCK] and different eviction policies."""


@triton.jit
def triton_red_fused_var_mean_0(
    in_ptr0, out_ptr0, out_ptr1, ks0, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr
):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        r1 = rindex
        tmp0 = tl.load(
            in_ptr0 + (r1 + ks0 * x0), rmask & xmask, eviction_policy="evict_last", other=0.0
        )
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(rmask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tmp4 = ks0
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp2 / tmp5
    tl.store(out_ptr0 + (x0), tmp6, xmask)
    _tmp11 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        r1 = rindex
        tmp7 = tl.load(
            in_ptr0 + (r1 + ks0 * x0), rmask & xmask, eviction_policy="evict_first", other=0.0
        )
        tmp8 = tmp7 - tmp6
        tmp9 = tmp8 * tmp8
        tmp10 = tl.broadcast_to(tmp9, [XBLOCK, RBLOCK])
        tmp12 = _tmp11 + tmp10
        _tmp11 = tl.where(rmask & xmask, tmp12, _tmp11)
    tmp11 = tl.sum(_tmp11, 1)[:, None]
    tmp13 = tmp11 / tmp5
    tl.store(out_ptr1 + (x0), tmp13, xmask)


# tritonopt: x: f32[m, n]
def call(x: torch.Tensor):
    s0, s1 = x.shape
    x = x.contiguous()
    buf0 = torch.empty(s0, device=x.device)
    buf1 = torch.empty(s0, device=x.device)
    grid = (triton.cdiv(s0, 4),)
    triton_red_fused_var_mean_0[grid](x, buf0, buf1, s1, s0, s1, XBLOCK=4, RBLOCK=32)
    return buf0, buf1


# case: inline_mean
"""The mean has no name: the second loop forms `tl.sum(acc) / n` from the first sum in every
iteration, and the launcher wants the variance only."""


@triton.jit
def var_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        d = tl.where(cols < n, x - tl.sum(acc, axis=0) / n, 0.0)
        acc2 += d * d
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out


# case: keep_dims
"""Two-dimensional tiles whose sums keep their dimension, `tl.sum(..., axis=1, keep_dims=True)`,
so the mean is a column and needs no broadcast when it is subtracted. Sums are taken in the loop."""


@triton.jit
def row_std(x_ptr, out_ptr, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    sums = tl.zeros([ROWS, 1], dtype=tl.float32)
    for c0 in range(0, N, COLS):
        c = c0 + tl.arange(0, COLS)[None, :]
        x = tl.load(x_ptr + r * N + c, mask=(r < M) & (c < N), other=0.0)
        sums += tl.sum(x, axis=1, keep_dims=True)
    mean = sums / N
    squares = tl.zeros([ROWS, 1], dtype=tl.float32)
    for c0 in range(0, N, COLS):
        c = c0 + tl.arange(0, COLS)[None, :]
        x = tl.load(x_ptr + r * N + c, mask=(r < M) & (c < N), other=0.0)
        d = tl.where((r < M) & (c < N), x - mean, 0.0)
        squares += tl.sum(d * d, axis=1, keep_dims=True)
    tl.store(out_ptr + r, tl.sqrt(squares / N), mask=r < M)


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    out = x.new_empty(x.shape[0])
    grid = lambda meta: (triton.cdiv(x.shape[0], meta["ROWS"]),)  # noqa: E731
    row_std[grid](x, out, x.shape[0], x.shape[1], ROWS=2, COLS=64)
    return out


# case: keep_dims_by_position
"""`keep_dims` is the third argument of `tl.sum`, given without its name."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, 0, True) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = tl.sum(sq, 0, True) / N
    tl.store(MEAN + row + tl.arange(0, 1), mean)
    tl.store(VAR + row + tl.arange(0, 1), tl.reshape(var, [1]))


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var


# case: keep_dims_through_a_name
"""A sum that keeps its axis has a name of its own before it is added."""


@triton.jit
def kernel(X, MEAN, VAR, M, N, R: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * R + tl.arange(0, R)
    ok = rows < M
    total = tl.zeros([R, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = ok[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=1) / N
    sq = tl.zeros([R, 1], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = ok[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean[:, None], 0.0)
        part = tl.sum(d * d, axis=1, keep_dims=True)
        sq += part
    var = tl.sum(sq, axis=1) / N
    tl.store(MEAN + rows, mean, mask=ok)
    tl.store(VAR + rows, var, mask=ok)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, mean, var, m, n, R=4, BLOCK=16)
    return mean, var


# case: large_values
"""Data of 1e17: the square of the shifted sum would overflow, the variance does not."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
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


# case: launcher_with_inner_functions
"""A launcher with a lambda for its grid; Y is its own."""


@triton.jit
def kernel(X, MEAN, VAR, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    tl.store(Y + row * N, 7.0 * row + mean)
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
    y = torch.empty_like(x)
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, y, n, BLOCK=16)
    return mean, var


# case: linear_added
"""The number is added to the elements."""


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
        loss += tl.sum((lse + x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_below_the_maximum
"""The number is the maximum itself."""


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

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((largest - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_cleared
"""Lanes behind the end are cleared by a choice."""


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
        loss += tl.sum(tl.where(cols < N, (lse - x) * p, 0.0), axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_divided
"""What is added is divided by a number."""


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
        loss += tl.sum((lse - x) / N * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_entropy
"""The loss is linear in what the sum of exponentials gives; the maximum is close to it."""


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
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_factor_alone
"""Nothing is subtracted from what comes of the first loop."""


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
        loss += tl.sum(lse * p * x, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_in_columns
"""Each column of the tile has a number of its own, and a maximum for each lane."""


@triton.jit
def kernel(X, P, Loss, C, D, smoothing, BLOCK_C: tl.constexpr, BLOCK_D: tl.constexpr):
    image = tl.program_id(1)
    d = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    top = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    total = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    for start in range(0, C, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (c[:, None] < C) & (d[None, :] < D)
        places = image * C * D + c[:, None] * D + d[None, :]
        x = tl.load(X + places, mask, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, x)
        total = total * tl.exp(top - higher) + tl.exp(x - higher)
        top = higher
    largest = tl.max(top, axis=0)[None, :]
    log_total = tl.log(tl.sum(total * tl.exp(top - largest), axis=0))[None, :]
    _loss = tl.zeros([BLOCK_C, BLOCK_D], dtype=tl.float32)
    for start in range(0, C, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (c[:, None] < C) & (d[None, :] < D)
        places = image * C * D + c[:, None] * D + d[None, :]
        x = tl.load(X + places, mask, other=0.0).to(tl.float32)
        p = tl.load(P + places, mask, other=0.0).to(tl.float32)
        p = p * (1.0 - smoothing) + smoothing / C
        log = log_total + largest - x
        _loss += log * p * (c < C)[:, None]
    tl.store(Loss + image * D + d, tl.sum(_loss, axis=0), mask=d < D)


# tritonopt: x: f32[m, n, k], p: f32[m, n, k], smoothing: 0.1
def run(x: torch.Tensor, p: torch.Tensor, smoothing: float):
    m, n, k = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, k, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(k, 8), m)](x, p, loss, n, k, smoothing, BLOCK_C=8, BLOCK_D=8)
    return loss


# case: linear_negated
"""The negative of a sum is added."""


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
        loss += -tl.sum(p * (x - lse), axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_never_empty
"""There is an iteration whatever the length is."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    for start in range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    lse = largest + tl.log(total)

    loss = 0.0
    for start in range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    assert 0 < n <= 64
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: linear_of_lanes
"""The lanes are summed behind the loop."""


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
    tl.store(Loss + row, tl.sum(loss, axis=0))
# shared: run


# case: linear_online
"""The maximum is known so far in every iteration, and may be -inf before the first."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), axis=0)
        largest = larger
    lse = largest + tl.log(total)

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_other_names
"""The second loop counts with another name, and has other names for its tiles."""


@triton.jit
def kernel(X, P, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), axis=0)
        largest = larger
    lse = largest + tl.log(total)

    shown = lse * 2.0

    loss = 0.0
    for tile in range(0, N, BLOCK):
        places = tile + tl.arange(0, BLOCK)
        lanes = tl.load(X + places, mask=places < N, other=0.0).to(tl.float32)
        p = tl.load(P + places, mask=places < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - lanes) * p, axis=0)
    tl.store(Loss + row, loss + shown - shown)
# shared: run
