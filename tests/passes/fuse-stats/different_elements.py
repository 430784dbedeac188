import torch
import triton
import triton.language as tl


# case: other_buffer
# expect: not applied, different-elements
"""The mean is that of X, the deviations are those of Y: a second moment about another tensor's
mean."""


@triton.jit
def kernel(X, Y, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(Y + cols, mask=cols < N, other=0.0)
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
    kernel[(m,)](x, y, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: other_row
# like: volatile_second
# expect: not applied, different-elements
"""The second sweep reads the even row of each pair of rows: odd programs center another row's
data."""
#-    X += row * stride

#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + row // 2 * 2 * stride + cols, mask=cols < N, other=0.0)


# case: other_stride
# like: volatile_second
# expect: not applied, different-elements
"""The sweeps step through the rows by different strides, which agree only when the rows are
dense."""
#-    X += row * stride

#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)


# case: pointer_not_set_back
# expect: not applied, different-elements
"""The first sweep walks a block of pointers to the end of the row, and the second goes on from
there. The launcher pads the rows so that nothing is read outside."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    lane = tl.arange(0, BLOCK)
    ptrs = X + lane
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(ptrs, mask=lane < N - start, other=0.0)
        acc += x
        ptrs += BLOCK
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        x = tl.load(ptrs, mask=lane < N - start, other=0.0)
        d = tl.where(lane < N - start, x - mean, 0.0)
        acc2 += d * d
        ptrs += BLOCK
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = torch.nn.functional.pad(x, (0, n + 64)).contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: pointer_rebound
# like: mean_shrunk
# expect: not applied, different-elements
"""X itself moves on by one element between the sweeps. The two loads are spelled exactly alike."""
#-    mean = mean * 0.5
#+    X += 1
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, mean, var, x.stride(0), n - 1, BLOCK=64)


# case: residual_in_the_first_only
# like: residual_in_moments
# expect: not applied, different-elements
"""The second sweep squares what was read, not what was added."""
#     squares = tl.zeros([BLOCK], dtype=tl.float32)
#     for start in range(0, N, BLOCK):
#         cols = start + tl.arange(0, BLOCK)
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        if HAS_RESIDUAL:
#-            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)


# case: reversed_row
# like: volatile_second
# expect: not applied, different-elements
"""The second sweep reads the row backwards. As a set the elements are the same, but no lane holds
the element that it held in the first sweep."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + (N - 1 - cols), mask=cols < N, other=0.0)


# case: starts_one_tile_later
# like: first_goes_beyond
# expect: not applied, different-elements
"""The second loop leaves the first tile out, and goes as far behind the end."""
#-    for start in range(0, N + BLOCK, BLOCK):
#+    for start in range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in range(BLOCK, N + BLOCK, BLOCK):


# case: strided_row
# like: volatile_second
# expect: not applied, different-elements
"""The first sweep takes the first half of a row, the second its even elements."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + 2 * cols, mask=cols < N, other=0.0)
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, mean, var, x.stride(0), n // 2, BLOCK=64)
