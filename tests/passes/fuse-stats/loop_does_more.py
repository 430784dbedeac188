import torch
import triton
import triton.language as tl


# case: assertion_in_the_second_sweep
# like: large_values
# expect: not applied, loop-does-more
"""The second sweep asserts something, which would no longer be asserted."""
#     sq = tl.zeros([BLOCK], dtype=tl.float32)
#     for start in range(0, N, BLOCK):
#         cols = start + tl.arange(0, BLOCK)
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        assert start < N, "oops"


# case: carried_into_a_third_sweep
# like: large_values
# expect: not applied, loop-does-more
"""A name that the second sweep binds goes on to be added to by a third."""
#     X += row * N
#+    d = tl.zeros([BLOCK], dtype=tl.float32)
#-    tl.store(MEAN + row, mean)
#+    for start in range(0, N, BLOCK):
#+        d += 1.0
#+    tl.store(MEAN + row, tl.sum(d, axis=0))


# case: carried_out_of_the_rows
# expect: not applied, loop-does-more
"""A name that the second sweep binds is read after the loop around both."""


@triton.jit
def kernel(X, MEAN, VAR, LAST, M, N, BLOCK: tl.constexpr):
    last = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += x
        mean = tl.sum(total, axis=0) / N
        sq = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            last = tl.where(cols < N, x - mean, 0.0)
            sq += last * last
        var = tl.sum(sq, axis=0) / N
        tl.store(MEAN + row, mean)
        tl.store(VAR + row, var)
    tl.store(LAST + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), last)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    last = torch.zeros(32, device=x.device)
    kernel[(2,)](x, mean, var, last, m, n, BLOCK=16)
    return mean, var, last


# case: carried_to_the_next_row
# expect: not applied, loop-does-more
"""A name that the second sweep binds is read at the top of the next row, through the loop
around both."""


@triton.jit
def kernel(X, MEAN, VAR, M, N, BLOCK: tl.constexpr):
    last = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        tl.store(MEAN + row, tl.sum(last, axis=0))
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += x
        mean = tl.sum(total, axis=0) / N
        sq = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            last = tl.where(cols < N, x - mean, 0.0)
            sq += last * last
        var = tl.sum(sq, axis=0) / N
        tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(2,)](x, mean, var, m, n, BLOCK=16)
    return mean, var


# case: corrected_two_pass
# like: mean_shrunk
# expect: not applied, loop-does-more
"""The corrected two-pass formula: the second sweep adds up the deviations too and subtracts their
square. It is the author's guard against rounding."""
#-    mean = mean * 0.5
#+    rest = tl.zeros([BLOCK], dtype=tl.float32)
#         d = tl.where(cols < N, x - mean, 0.0)
#+        rest += d
#-    var = tl.sum(acc2, axis=0) / N
#+    remainder = tl.sum(rest, axis=0)
#+    var = (tl.sum(acc2, axis=0) - remainder * remainder / N) / N


# case: flag_around_the_square
# like: flag_of_a_store
# expect: not applied, loop-does-more
"""By a flag, the second sweep stores something too."""
#-        if KEEPS:
#-            tl.store(Z + row * N + cols, x, mask=cols < N)

#         squares += d * d
#+        if KEEPS:
#+            tl.store(Z + row * N + cols, d, mask=cols < N)
#-    return y, z
#+    return y


# case: index_read_later
# like: large_values
# expect: not applied, loop-does-more
"""A name of the second sweep is read after it."""
#     var = tl.sum(sq, axis=0) / N
#+    var += start


# case: last_tile_used
# like: mean_shrunk
# expect: not applied, loop-does-more
"""The last tile of deviations is used after the loop, under a name that was bound before it."""
#-    mean = mean * 0.5
#+    d = tl.zeros([BLOCK], dtype=tl.float32)
#-    tl.store(Mean + row, mean)
#+    tl.store(Mean + row, tl.sum(d, axis=0))


# case: linear_carries_more
# like: linear_entropy
# expect: not applied, loop-does-more
"""The second sweep counts, too."""
#     lse = largest + tl.log(total)
#
#+    seen = 0
#+
#-    tl.store(Loss + row, loss)
#+        seen += 1
#+    tl.store(Loss + row, loss + seen)


# case: linear_runtime_branch
# like: linear_entropy
# expect: not applied, loop-does-more
"""A branch of the second sweep is decided at run time."""
#         p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        if start > 16:
#+            p = p * 2.0


# case: linear_stores
# like: linear_entropy
# expect: not applied, loop-does-more
"""The second sweep stores, too."""
#         loss += tl.sum((lse - x) * p, axis=0)
#+        tl.store(P + cols, x, mask=cols < N)


# case: loop_with_else
# like: large_values
# expect: not applied, loop-does-more
"""The second loop has an `else` with a store."""
#         sq += d * d
#+    else:
#+        tl.store(MEAN + row, 3.0)
#-    tl.store(MEAN + row, mean)


# case: second_accumulator
# like: mean_shrunk
# expect: not applied, loop-does-more
"""The second sweep also takes the largest deviation, which no sum of the first sweep gives."""
#-    mean = mean * 0.5
#+    widest = tl.zeros([BLOCK], dtype=tl.float32)
#         acc2 += d * d
#+        widest = tl.maximum(widest, tl.abs(d))
#-    tl.store(Mean + row, mean)
#+    tl.store(Mean + row, mean + tl.max(widest, axis=0))


# case: stores_deviations
# expect: not applied, loop-does-more
"""The second sweep stores the centered values, into a fresh tensor. They need the mean, which one
sweep does not have in time."""


@triton.jit
def kernel(X, Centered, Mean, Var, stride, N, BLOCK: tl.constexpr):
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
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
        tl.store(Centered + row * N + cols, d, mask=cols < N)
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    centered = torch.empty(m, n, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, centered, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean, centered
