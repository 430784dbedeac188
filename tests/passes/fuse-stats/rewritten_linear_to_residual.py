import torch
import triton
import triton.language as tl


# case: linear_same_for_all
# like: linear_entropy
"""Each lane that counts has the same weight."""
#-        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        loss += tl.sum((lse - x) * p, axis=0)
#+        loss += tl.sum(tl.where(cols < N, (lse - x) * 0.1, 0.0), axis=0)


# case: linear_scaled_in_place
# like: linear_entropy
"""What is added has one name, which is bound again and again."""
#-        loss += tl.sum((lse - x) * p, axis=0)
#+        part = lse - x
#+        part *= p
#+        part += 0.0 * x
#+        loss += tl.sum(part, axis=0)


# case: linear_step_by_step
# like: linear_entropy
"""What is added has several names on the way."""
#-        loss += tl.sum((lse - x) * p, axis=0)
#+        # of each class
#+        surprise = lse - x
#+        weighted = surprise * p
#+        loss = loss + tl.sum(weighted, axis=0)


# case: linear_taken_away
# like: linear_entropy
"""The negative is subtracted."""
#-        loss += tl.sum((lse - x) * p, axis=0)
#+        loss -= tl.sum((x - lse) * p, axis=0)


# case: linear_weights_if_any
"""A branch that the compiler decides goes over to the first loop."""


@triton.jit
def kernel(X, P, W, Loss, stride, N, BLOCK: tl.constexpr):
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
        if W is not None:
            p *= tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n], w: f32[n] | None
def run(x: torch.Tensor, p: torch.Tensor, w: torch.Tensor | None):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, w, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: mean_minus_x
"""The deviation is written the other way round, `mean - x`; its square is the same. The second
load names another mask, `n > cols`, which selects the same lanes."""


@triton.jit
def spread(src, dst, ld, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    a = tl.zeros([BLOCK], tl.float32)
    for o in range(0, n, BLOCK):
        cols = o + tl.arange(0, BLOCK)
        a += tl.load(src + r * ld + cols, mask=cols < n, other=0.0)
    center = tl.sum(a, axis=0) / n
    b = tl.zeros([BLOCK], tl.float32)
    for o in range(0, n, BLOCK):
        cols = tl.arange(0, BLOCK) + o
        inside = n > cols
        t = tl.load(src + cols + ld * r, mask=inside, other=0.0)
        u = tl.where(inside, center - t, 0.0)
        b += u * u
    tl.store(dst + r, tl.sum(b, axis=0) / n)


# tritonopt: x: f32[m, n]
def row_spread(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    spread[(x.shape[0],)](x, out, x.shape[1], x.shape[1], BLOCK=32)
    return out


# case: mixed_accumulators
"""A vector for the first sum, a scalar for the second, the second spelled `acc = acc + tl.sum(...)`.
The two accumulators need not have the same rank."""


@triton.jit
def kernel(X, Out, stride_m, N, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    offsets = tl.arange(0, BLOCK_N)
    s = tl.zeros((BLOCK_N,), tl.float32)
    for k in range(0, N, BLOCK_N):
        valid = k + offsets < N
        v = tl.load(X + pid * stride_m + k + offsets, mask=valid, other=0)
        s = s + v
    mu = tl.sum(s, 0) / N
    q = 0.0
    for k in range(0, N, BLOCK_N):
        valid = k + offsets < N
        v = tl.load(X + pid * stride_m + k + offsets, mask=valid, other=0)
        c = v - mu
        q = q + tl.sum(tl.where(valid, c * c, 0.0), 0)
    sigma2 = q / N
    tl.store(Out + pid * 2, mu)
    tl.store(Out + pid * 2 + 1, sigma2)


# tritonopt: x: f32[m, n]
def moments(x: torch.Tensor):
    out = x.new_empty((x.shape[0], 2))
    x = x.contiguous()
    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK_N=32)
    return out


# case: module_constants
"""The block size is a module constant and the kernel copies it into a constexpr local; the
correction of the count is another constant."""

BLOCK_SIZE = tl.constexpr(64)
CORRECTION = tl.constexpr(1)


@triton.jit
def unbiased_var(x_ptr, out_ptr, n):
    BLOCK: tl.constexpr = BLOCK_SIZE
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(acc, axis=0) / n
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        d = tl.where(cols < n, x - mean, 0.0)
        acc2 += d * d
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / (n - CORRECTION))


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    unbiased_var[(x.shape[0],)](x, out, x.shape[1])
    return out


# case: nested_kernel
"""The kernel is defined inside its launcher, with a block size it closes over and two more levels
of indentation than usual. Another function of the file stands after it."""


# tritonopt: x: f32[m, n]
def row_variance(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 2:

        @triton.jit
        def kernel(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
            row = tl.program_id(0)
            acc = tl.zeros([BLOCK], dtype=tl.float32)
            for start in range(0, n, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                acc += tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
            mean = tl.sum(acc, axis=0) / n
            squares = tl.zeros([BLOCK], dtype=tl.float32)
            for start in range(0, n, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
                d = tl.where(cols < n, x - mean, 0.0)
                squares += d * d
            tl.store(out_ptr + row, tl.sum(squares, axis=0) / n)

    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out


def describe() -> str:
    return "the variance of each row"


# case: one_name
"""One name, `acc`, serves for both sums, `x` for everything loaded or derived, and `mean` starts
as a placeholder. Names mean nothing; which definition reaches a use does."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    mean = 0.0
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        x = off + tl.arange(0, BLOCK)
        x = tl.load(X + x, mask=x < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        x = tl.where(cols < N, x - mean, 0.0)
        acc += x * x
    acc = tl.sum(acc, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, acc)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: one_of_two_by_a_flag
"""What is read is one of two things, in both sweeps the same."""


@triton.jit
def kernel(X, R, Y, N, SHIFTED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if SHIFTED:
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        else:
            x = tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if SHIFTED:
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        else:
            x = tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n], shifted: bool
def run(x, r, shifted):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, shifted, BLOCK=16)
    return y


# case: one_tile_beyond
# like: first_goes_beyond
"""Both loops go on behind the end of the row, where the mask is off."""
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N + BLOCK, BLOCK):


# case: one_tile_for_a_row
"""Two sweeps over rows of which each is launched as one tile: allowed, and slower as a rule."""


@triton.jit
def variance_kernel(X, V, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    tl.store(V + row, tl.sum(squares, axis=0) / N)


def variance(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    v = torch.empty(m, device=x.device, dtype=torch.float32)
    variance_kernel[(m,)](x, v, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return v


# case: other_is_mean
"""The second load fills its padding lanes with the mean, so that they deviate by nothing and no
`tl.where` is needed. The two loads differ in `other`, yet in nothing that counts."""


@triton.jit
def std_kernel(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ptr = x_ptr + row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        acc += tl.load(ptr + cols, mask=cols < N, other=0.0)
    mean = tl.sum(acc, axis=0) / N

    acc_sq = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        d = tl.load(ptr + cols, mask=cols < N, other=mean) - mean
        acc_sq += d * d
    tl.store(y_ptr + row, tl.sqrt(tl.sum(acc_sq, axis=0) / N))


# tritonopt: x: f32[m, n]
def std(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=x.dtype)
    std_kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: persistent_rows
"""A fixed number of programs walk all rows: `for row in range(pid, M, tl.num_programs(0))` around
both sweeps. The sums start anew in every turn of the outer loop."""


@triton.jit
def persistent_var(x_ptr, mean_ptr, var_ptr, M, N, stride, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x_row = x_ptr + row * stride
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(x_row + cols, mask=cols < N, other=0.0)
        mean = tl.sum(total, axis=0) / N
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            squares += d * d
        tl.store(mean_ptr + row, mean)
        tl.store(var_ptr + row, tl.sum(squares, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, dtype=torch.float32, device=x.device)
    var = torch.empty(m, dtype=torch.float32, device=x.device)
    persistent_var[(min(m, 2),)](x, mean, var, m, n, x.stride(0), BLOCK=64)
    return var, mean


# case: pointer_bumping
"""Both sweeps walk a block of pointers, `ptrs += BLOCK`, and set it back in between; the mask uses
how much of the row is left."""


@triton.jit
def bump(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)

    ptrs = x_ptr + row * stride + lane
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        acc += tl.load(ptrs, mask=lane < n - k, other=0.0)
        ptrs += BLOCK
    mean = tl.sum(acc, axis=0) / n

    ptrs = x_ptr + row * stride + lane
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, n, BLOCK):
        x = tl.load(ptrs, mask=lane < n - k, other=0.0)
        d = tl.where(lane < n - k, x - mean, 0.0)
        acc2 += d * d
        ptrs += BLOCK
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    bump[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out


# case: power
# verify: no, tensors of Triton up to 3.9 have no `**` operator
"""The square is written `d ** 2`, as some sketches and older kernels do."""


@triton.jit
def row_var(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(acc, axis=0) / n
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        acc2 += tl.where(cols < n, x - mean, 0.0) ** 2
    tl.store(out_ptr + row, tl.sum(acc2, axis=0) / n)


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    row_var[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out


# case: reciprocal_count
"""The mean is formed with a reciprocal, `total * inv_n`, computed once and used for both."""


@triton.jit
def stats(x_ptr, mean_ptr, var_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    inv_n = 1.0 / n
    _sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        _sum += tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(_sum) * inv_n
    _sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        diff = tl.where(cols < n, x - mean, 0.0)
        _sq += diff * diff
    var = tl.sum(_sq) * inv_n
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    stats[(m,)](x, mean, var, n, BLOCK=32)
    return var, mean


# case: residual_by_a_flag
# like: residual_in_moments
"""The residual is added in both sweeps, or in none."""
#-    kernel[(m,)](x, r, y, n, True, BLOCK=16)
#+    kernel[(m,)](x, r, y, n, r is not None, BLOCK=16)
