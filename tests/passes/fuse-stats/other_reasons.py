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


# tritonopt: x: f32[m, n], p: f32[m, n]
def run(x: torch.Tensor, p: torch.Tensor):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, loss, x.stride(0), n, BLOCK=16)
    return loss


# case: bfloat_squares
# expect: not applied, accumulator-is-narrow
"""Only the accumulator of the squares is narrow, bf16. Its eight bits hide small deviations, by
design or not."""


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
    acc2 = tl.zeros([BLOCK], dtype=tl.bfloat16)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += (d * d).to(tl.bfloat16)
    var = tl.sum(acc2.to(tl.float32), axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: half_accumulators
# expect: not applied, accumulator-is-narrow
"""The accumulators are fp16, where sums of squares overflow at 65504; one formula overflows where
the other does not."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float16)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float16)
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float16)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += (d * d).to(tl.float16)
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: sums_of_two_types
# expect: not applied, accumulator-is-narrow
"""The first loop adds in fp64, the second one in fp32."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float64)
        total += x
    mean = (tl.sum(total, axis=0) / N).to(tl.float32)
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


# case: last_tile_apart
# expect: not applied, already-done
"""One sweep: the loop over full tiles needs no mask, and the one after it takes the last tile."""


@triton.jit
def kernel(x_ptr, mean_ptr, var_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    count = tl.zeros([BLOCK], dtype=tl.int32)
    steps = tl.cdiv(n, BLOCK)
    for step in range(0, steps - 1):
        cols = step * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols).to(tl.float32)
        new_mean = mean + (x - mean) / (step + 1)
        squares = squares + (x - new_mean) * (x - mean)
        mean = new_mean
        count += 1
    for step in range(steps - 1, steps):
        cols = step * BLOCK + tl.arange(0, BLOCK)
        mask = cols < n
        x = tl.load(x_ptr + row * n + cols, mask=mask).to(tl.float32)
        new_mean = tl.where(mask, mean + (x - mean) / (step + 1), mean)
        squares = tl.where(mask, squares + (x - new_mean) * (x - mean), squares)
        mean = new_mean
        count += mask.to(tl.int32)
    whole = tl.sum(mean * count) / n
    var = tl.sum(squares + count * (mean - whole) * (mean - whole)) / n
    tl.store(mean_ptr + row, whole)
    tl.store(var_ptr + row, var)


def run(x: torch.Tensor):
    m, n = x.shape
    mean, var = x.new_empty(m), x.new_empty(m)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var


# case: counted_booleans
# expect: not applied, data-is-integer
"""What is added up is a condition, `x > 0`, as an integer: a fraction of elements and its
variance."""


@triton.jit
def row_stats(x_ptr, mean_ptr, var_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = 0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0)
        x = (x > 0.0).to(tl.int32)
        total += tl.sum(x)
    mean = total / n_cols
    squares = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK)):
        offs = i * BLOCK + lanes
        mask = offs < n_cols
        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0)
        x = (x > 0.0).to(tl.int32)
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


# case: integer_data
# expect: not applied, data-is-integer
"""The data is cast to int32 and added up exactly; a shifted sum in floating point would not be
exact."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0).to(tl.int32)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0).to(tl.int32)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: linear_leaves_between
# expect: not applied, early-exit
"""A row may be left before the second loop."""


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

    if lse < 0.0:
        return

    loss = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: return_between
# expect: not applied, early-exit
"""Rows with a mean below zero are done after the first loop. The second loop must not run for
them, and what it stores must not be stored."""


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
    tl.store(Mean + row, mean)
    if mean < 0.0:
        return
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
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: return_by_constexpr
# expect: not applied, early-exit
"""A constexpr says that only the mean is wanted, and the kernel returns between the loops."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr, ONLY_MEAN: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.store(Mean + row, mean)
    if ONLY_MEAN:
        return
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
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64, ONLY_MEAN=m == 1)
    return var, mean


# case: linear_nothing_again
# expect: not applied, nothing-read-twice
"""The second loop reads nothing that the first one does."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        loss += tl.sum((lse - p) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: chosen_buffer
# expect: not applied, different-elements
"""Which buffer the second loop reads is chosen by a constexpr. It is the first loop's only for
some launches."""


@triton.jit
def kernel(X, Y, Mean, Var, stride, N, BLOCK: tl.constexpr, PAIRED: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    if PAIRED:
        X = Y
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
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
    kernel[(m,)](x, y, mean, var, x.stride(0), n, BLOCK=64, PAIRED=m > 1)
    return var, mean


# case: imported_index
# expect: not applied, opaque-value
"""A helper of another file makes the offsets. Called twice with the same arguments it may be
pure, but nothing shows it."""
from support.rows import block_offsets


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = block_offsets(start, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = block_offsets(start, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: imported_load
# expect: not applied, opaque-value
"""A helper of another file loads the tile. What it reads, and whether it always reads the same,
cannot be seen."""
from support.rows import load_row


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = load_row(X, cols, N)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = load_row(X, cols, N)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: linear_in_half
# expect: not applied, rounded-differently
"""A product of two tiles may be rounded to 16 bits, and was not before."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: linear_of_integers
# expect: not applied, rounded-differently
"""A product of integers may overflow."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.int32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: products_in_the_type_of_the_data
# expect: not applied, rounded-differently
"""The first loop multiplies in the type of the data, the second one in fp32."""


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        total += x * 0.1
    mean = tl.sum(total, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32) * 0.1
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


# case: linear_volatile
# expect: not applied, volatile-load
"""A load is volatile."""


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
        p = tl.load(P + cols, mask=cols < N, other=0.0, volatile=True).to(tl.float32)
        loss += tl.sum((lse - x) * p, axis=0)
    tl.store(Loss + row, loss)
# shared: run


# case: volatile_both
# expect: not applied, volatile-load
"""All loads are volatile, since another kernel writes the buffer meanwhile."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: volatile_second
# expect: not applied, volatile-load
"""The second loop's load is volatile: it is there to read memory again."""


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
        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean
