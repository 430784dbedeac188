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


# case: bfloat_squares
# like: volatile_second
# expect: not applied, accumulator-is-narrow
"""Only the accumulator of the squares is narrow, bf16. Its eight bits hide small deviations, by
design or not."""
#-    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
#+    acc2 = tl.zeros([BLOCK], dtype=tl.bfloat16)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)
#-        acc2 += d * d
#-    var = tl.sum(acc2, axis=0) / N
#+        acc2 += (d * d).to(tl.bfloat16)
#+    var = tl.sum(acc2.to(tl.float32), axis=0) / N


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
# like: large_values
# expect: not applied, accumulator-is-narrow
"""The first sweep adds in fp64, the second one in fp32."""
#-    total = tl.zeros([BLOCK], dtype=tl.float32)
#+    total = tl.zeros([BLOCK], dtype=tl.float64)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float64)
#-    mean = tl.sum(total, axis=0) / N
#+    mean = (tl.sum(total, axis=0) / N).to(tl.float32)


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
# like: sum_as_center
# expect: not applied, data-is-integer
"""What is added up is a condition, `x > 0`, as an integer: a fraction of elements and its
variance."""
#-    total = 0.0
#+    total = 0
#-        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
#+        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0)
#+        x = (x > 0.0).to(tl.int32)
#-        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0).to(tl.float32)
#-        diff = x - total
#+        x = tl.load(x_ptr + row * n_cols + offs, mask=mask, other=0.0)
#+        x = (x > 0.0).to(tl.int32)
#+        diff = x - mean


# case: integer_data
# like: volatile_second
# expect: not applied, data-is-integer
"""The data is cast to int32 and added up exactly; a shifted sum in floating point would not be
exact."""
#-    acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    acc = tl.zeros([BLOCK], dtype=tl.int32)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N, other=0).to(tl.int32)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + cols, mask=cols < N, other=0).to(tl.int32)


# case: linear_leaves_between
# like: linear_entropy
# expect: not applied, early-exit
"""A row may be left before the second sweep."""
#     lse = largest + tl.log(total)
#
#+    if lse < 0.0:
#+        return
#+


# case: return_between
# expect: not applied, early-exit
"""Rows with a mean below zero are done after the first sweep. The second sweep must not run for
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
# like: return_between
# expect: not applied, early-exit
"""A constexpr says that only the mean is wanted, and the kernel returns between the sweeps."""
#-def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr, ONLY_MEAN: tl.constexpr):
#-    if mean < 0.0:
#+    if ONLY_MEAN:
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64, ONLY_MEAN=m == 1)


# case: linear_nothing_again
# like: linear_entropy
# expect: not applied, nothing-read-twice
"""The second sweep reads nothing that the first one does."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)

#-        loss += tl.sum((lse - x) * p, axis=0)
#+        loss += tl.sum((lse - p) * p, axis=0)


# case: chosen_buffer
# expect: not applied, different-elements
"""Which buffer the second sweep reads is chosen by a constexpr. It is the first sweep's only for
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
# like: volatile_second
# expect: not applied, opaque-value
"""A helper of another file makes the offsets. Called twice with the same arguments it may be
pure, but nothing shows it."""
# import triton.language as tl
#+from support.rows import block_offsets
#-        cols = start + tl.arange(0, BLOCK)
#+        cols = block_offsets(start, BLOCK)
#-        cols = start + tl.arange(0, BLOCK)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        cols = block_offsets(start, BLOCK)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)


# case: imported_load
# like: volatile_second
# expect: not applied, opaque-value
"""A helper of another file loads the tile. What it reads, and whether it always reads the same,
cannot be seen."""
# import triton.language as tl
#+from support.rows import load_row
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = load_row(X, cols, N)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = load_row(X, cols, N)


# case: linear_in_half
# like: linear_entropy
# expect: not applied, rounded-differently
"""A product of two tiles may be rounded to 16 bits, and was not before."""
#-        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        p = tl.load(P + cols, mask=cols < N, other=0.0)


# case: linear_of_integers
# like: linear_entropy
# expect: not applied, rounded-differently
"""A product of integers may overflow."""
#-        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.int32)


# case: products_in_the_type_of_the_data
# like: large_values
# expect: not applied, rounded-differently
"""The first sweep multiplies in the type of the data, the second one in fp32."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        total += x
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        total += x * 0.1
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32) * 0.1


# case: linear_volatile
# like: linear_entropy
# expect: not applied, volatile-load
"""A load is volatile."""
#-        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        p = tl.load(P + cols, mask=cols < N, other=0.0, volatile=True).to(tl.float32)


# case: volatile_both
# like: volatile_second
# expect: not applied, volatile-load
"""All loads are volatile, since another kernel writes the buffer meanwhile."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)


# case: volatile_second
# expect: not applied, volatile-load
"""The second sweep's load is volatile: it is there to read memory again."""


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
