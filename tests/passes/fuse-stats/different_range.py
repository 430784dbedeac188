import torch
import triton
import triton.language as tl


# case: assumption_too_weak
# expect: not applied, different-range
# assume: N % 16 == 0
"""The user asserts that N is a multiple of 16; the blocks are larger, so whole blocks are still
not proved."""


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
        x = tl.load(X + cols)
        d = x - mean
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
    kernel[(m,)](x, mean, var, x.stride(0), n // 64 * 64, BLOCK=64)
    return var, mean


# case: beyond_by_another_mask
# like: first_goes_beyond
# expect: not applied, different-range
"""The mask of the second sweep ends elsewhere."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N + BLOCK, BLOCK):
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        d = tl.where(cols < N, x - mean, 0.0)
#+        x = tl.load(X + cols, mask=cols < N - 1, other=0.0).to(tl.float32)
#+        d = tl.where(cols < N - 1, x - mean, 0.0)


# case: beyond_by_halves
# like: first_goes_beyond
# expect: not applied, different-range
"""The loops end with the row, and go there by other steps."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, HALF: tl.constexpr, BLOCK: tl.constexpr):
#-    squares = tl.zeros([BLOCK], dtype=tl.float32)
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    squares = tl.zeros([HALF], dtype=tl.float32)
#+    for start in range(0, N, HALF):
#+        cols = start + tl.arange(0, HALF)
#-    kernel[(m,)](x, y, n, BLOCK=16)
#+    kernel[(m,)](x, y, n, HALF=8, BLOCK=16)


# case: beyond_without_a_mask
# like: first_goes_beyond
# expect: not applied, different-range
"""What lies behind the row is read by one loop more than by the other."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + cols).to(tl.float32)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        d = tl.where(cols < N, x - mean, 0.0)
#+        x = tl.load(X + cols).to(tl.float32)
#+        d = x - mean


# case: ends_one_tile_early
# like: first_goes_beyond
# expect: not applied, different-range
"""The last tile is not read where the row has no whole number of them."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N - BLOCK, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N - BLOCK, BLOCK):


# case: first_ends_early
# like: first_goes_beyond
# expect: not applied, different-range
"""The first loop leaves the last tile out."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N - BLOCK, BLOCK):


# case: inner_range_differs
# expect: not applied, different-range
"""In nested loops the second sweep leaves out the last row of each image. Outer and inner loops
agree, the one in the middle does not."""


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
    for n in range(N):
        for h in range(H - 1):
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


# case: length_reassigned
# like: mean_shrunk
# expect: not applied, different-range
"""N is bound again between the sweeps, so the same words `range(0, N, BLOCK)` and `cols < N` mean
something else the second time."""
#-    mean = mean * 0.5
#+    N = N - 1


# case: length_stored_between
# expect: not applied, different-range
"""The length is loaded from memory, written between the sweeps and loaded again: two loads of one
address need not give one value."""


@triton.jit
def kernel(X, Mean, Var, Length, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    N = tl.load(Length + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.store(Length + row, N // 2)
    N = tl.load(Length + row)
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
    length = torch.full((m,), n, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, mean, var, length, x.stride(0), BLOCK=64)
    return var, mean


# case: linear_other_start
# like: linear_entropy
# expect: not applied, different-range
"""The second sweep begins elsewhere."""
#     loss = 0.0
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    for start in range(BLOCK, N + BLOCK, BLOCK):
#+        cols = start - BLOCK + tl.arange(0, BLOCK)


# case: linear_shorter_range
# like: linear_entropy
# expect: not applied, different-range
"""The second sweep leaves out the last element."""
#     loss = 0.0
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N - 1, BLOCK):


# case: no_mask
# like: assumption_too_weak
# expect: not applied, different-range
"""There is no mask and nothing says that N is a multiple of BLOCK: the sums may hold more than N
elements, and then mean is not their mean."""


# case: other_block_size
# like: range_of_half
# expect: not applied, different-range
"""The second sweep walks the row in smaller blocks. The elements are the same, the tiles are not,
so there is no tile to share."""
#-def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr, SMALL: tl.constexpr):
#-    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
#-    for start in range(0, N // 2, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    acc2 = tl.zeros([SMALL], dtype=tl.float32)
#+    for start in range(0, N, SMALL):
#+        cols = start + tl.arange(0, SMALL)
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64, SMALL=32)


# case: range_of_half
# expect: not applied, different-range
"""The second sweep stops in the middle of the row: a variance of the first half about the mean of
all."""


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
    for start in range(0, N // 2, BLOCK):
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


# case: range_starts_later
# like: range_of_half
# expect: not applied, different-range
"""The second sweep leaves out the first block. The loads look alike; the loops do not cover the
same elements."""
#-    for start in range(0, N // 2, BLOCK):
#+    for start in range(BLOCK, N, BLOCK):


# case: second_ends_early
# like: first_goes_beyond
# expect: not applied, different-range
"""The second loop leaves the last tile out."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, N - 1, BLOCK):


# case: step_skips_blocks
# like: range_of_half
# expect: not applied, different-range
"""The second sweep takes every other block of the row, an estimate from half of the data."""
#-    for start in range(0, N // 2, BLOCK):
#+    for start in range(0, N, 2 * BLOCK):


# case: tail_left_out
# like: count_of_one_block
# expect: not applied, different-range
"""The first loop counts blocks and rounds up, the second rounds down and loses the tail of the
row."""
#-    mean = total / BLOCK
#+    mean = total / n_cols
#-    for i in range(tl.cdiv(n_cols, BLOCK)):
#+    for i in range(n_cols // BLOCK):
