import torch
import triton
import triton.language as tl


# case: a_tenth_less_a_tenth
# expect: not applied, masked-off-lanes-count
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.1).to(tl.float32)
            total += tl.sum(x - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def chosen(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
            total += tl.sum(tl.where(w < W, x, 0.1).to(tl.float32) - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def added(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
            total += tl.sum((x + 0.1).to(tl.float32) - 0.1, axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    for reduced in (kernel, chosen, added):
        reduced[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: exponential_of_an_index
# expect: not applied, masked-off-lanes-count
"""A term grows with the index: past the end it may be infinite, and 0 times that is NaN."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    total = 0.0
    for r in range(M):
        for off in range(0, N, BLOCK):
            cols = off + tl.arange(0, BLOCK)
            x = tl.load(X + r * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += tl.sum(x * tl.exp(r * 1.0), axis=0)
    tl.store(Y, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y


# case: exponentials_of_nothing
# like: narrow_sum
# expect: not applied, masked-off-lanes-count
"""exp(0) is 1 in each lane behind the end of a row."""
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(tl.exp(x), axis=0)


# case: filled_lanes_overflow
# like: quotient_is_chosen
# expect: not applied, masked-off-lanes-count
"""0 times a square that no type holds is NaN."""
#-            z = tl.load(Z + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            z = tl.load(Z + row + n * W + w, mask=w < W, other=1e30).to(tl.float32)
#+            total += tl.sum(x * (z * z), axis=0)


# case: filled_with_infinity
# like: quotient_is_chosen
# expect: not applied, masked-off-lanes-count
"""0 times what the lanes are filled with is NaN."""
#-            z = tl.load(Z + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            z = tl.load(Z + row + n * W + w, mask=w < W, other=float("inf")).to(tl.float32)
#+            total += tl.sum(x * z, axis=0)


# case: infinite_factor
# like: narrow_sum
# expect: not applied, masked-off-lanes-count
"""Where the mask is off, 0 times infinity is NaN: no row has such lanes, and the tiles would."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
#+            y = tl.load(X + row + n * W + w, mask=w < W, other=float("inf"))
#+            total += tl.sum(x.to(tl.float32) * y, axis=0)


# case: lanes_without_a_value
# like: mask_by_another_length
# expect: not applied, masked-off-lanes-count
"""Lanes behind the end of a row are undefined."""
#-            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
#+            x = tl.load(X + row + n * W + w, mask=w < W).to(tl.float32)


# case: largest_with_zeros
# like: largest
# expect: not applied, masked-off-lanes-count
"""Lanes behind the end of a row are 0, which may be the largest."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=float("-inf"))
#+            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)


# case: logarithm_of_filled_lanes
# like: quotient_is_chosen
# expect: not applied, masked-off-lanes-count
"""0 times the logarithm of 0 is NaN."""
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            total += tl.sum(x * tl.log(z), axis=0)


# case: quotient_of_an_index
# like: exponential_of_an_index
# expect: not applied, masked-off-lanes-count
"""A term is divided by what comes to 0 for rows past the end: there 0 / 0 would enter the sum."""
#-            total += tl.sum(x * tl.exp(r * 1.0), axis=0)
#+            total += tl.sum(x * (r + 1) / (N - r * 0.5), axis=0)


# case: quotient_of_filled_lanes
# like: quotient_is_chosen
# expect: not applied, masked-off-lanes-count
"""A lane behind the end of a row divides 0 by 0, in rows that had no such lane too."""
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            total += tl.sum(x / z, axis=0)


# case: remainder_by_filled_lanes
# like: quotient_is_chosen
# expect: not applied, masked-off-lanes-count
"""The remainder by 0 is not defined."""
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            total += tl.sum(x % z, axis=0)
