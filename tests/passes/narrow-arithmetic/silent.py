import torch
import triton
import triton.language as tl


# case: cast_before_the_product
# like: single_precision
# expect: silent
"""Each element is cast."""
#-        total += x * w
#+        total += x.to(tl.float32) * w.to(tl.float32)
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: bf16[m, n], w: bf16[n]


# case: one_is_cast
# like: single_precision
# expect: silent
"""The other is widened by it."""
#-        total += x * w
#+        total += x * w.to(tl.float32)
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: bf16[m, n], w: bf16[n]


# case: type_is_not_known
# like: single_precision
# expect: silent
"""Nothing says that they are narrow."""
#-# tritonopt: x: f32[m, n], w: f32[n]


# case: single_precision
# expect: silent
"""They are fp32."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        total += x * w
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: one_is_wide
# like: single_precision
# expect: silent
"""An fp32 weight widens the product."""
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: bf16[m, n], w: f32[n]


# case: tile_is_cast
# like: tile_of_half
# expect: silent
"""`tl.sum` adds in fp32."""
#-    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)


# case: counted_in_int8
# like: single_precision
# expect: silent
"""Nothing is added to what a loop carries."""
#-    total = tl.zeros([BLOCK], dtype=tl.float32)
#+    total = tl.zeros([BLOCK], dtype=tl.int8)
#-        total += x * w
#+        total = tl.load(X + cols, mask=cols < N, other=0)
#-# tritonopt: x: f32[m, n], w: f32[n]


# case: exponent_is_masked
# like: exponential_times_mask
# expect: silent
"""Above the diagonal the exponent is -inf."""
#-    w = tl.exp(g[:, None] - g[None, :]) * (i[:, None] >= i[None, :])
#+    w = tl.exp(tl.where(i[:, None] >= i[None, :], g[:, None] - g[None, :], float("-inf")))


# case: exponential_is_chosen
# like: exponential_times_mask
# expect: silent
"""`tl.where` drops what is inf."""
#-    w = tl.exp(g[:, None] - g[None, :]) * (i[:, None] >= i[None, :])
#+    w = tl.where(i[:, None] >= i[None, :], tl.exp(g[:, None] - g[None, :]), 0.0)


# case: exponent_and_product_are_masked
# expect: silent
"""Where the factor is 0 the exponential is, too."""


@triton.jit
def kernel(G, X, Y, T: tl.constexpr):
    i = tl.arange(0, T)
    g = tl.load(G + i)
    m = i[:, None] >= i[None, :]
    w = tl.exp(tl.where(m, g[:, None] - g[None, :], 0.0)) * m.to(tl.float32)
    tl.store(Y + i, tl.sum(w * tl.load(X + i)[None, :], axis=1))


# case: integers_are_counted
# expect: silent
"""Whoever loads 0 for lanes that are off loads integers."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0)
    w = tl.load(W + cols, mask=cols < N, other=0)
    tl.store(Y, tl.sum((x * w).to(tl.float32), axis=0))


# case: maximum_that_heeds_nan
# like: greatest_magnitude
# expect: silent
"""NaN is put back."""
#-    tl.store(Y + tl.program_id(0), tl.max(tl.abs(x), axis=0))
#+    bad = tl.max((x != x).to(tl.int32), axis=0)
#+    tl.store(Y + tl.program_id(0), tl.where(bad > 0, float("nan"), tl.max(x, axis=0)))


# case: greatest_magnitude
# expect: silent
"""A scale for a quantization: of finite numbers."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + tl.program_id(0), tl.max(tl.abs(x), axis=0))


# case: maximum_beside_a_sum_of_exponentials
# expect: silent
"""The sum is NaN where an element is."""


@triton.jit
def kernel(X, M, S, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=float("-inf"))
    x = x.to(tl.float32)
    best = tl.max(x, axis=0)
    tl.store(M + tl.program_id(0), best)
    tl.store(S + tl.program_id(0), tl.sum(tl.exp(x - best), axis=0))


# case: scan_of_floats
# like: scan_of_halves
# expect: silent
"""The elements are cast first."""
#-    x = tl.load(X + row * n + i, mask=i < n, other=0.0)
#+    x = tl.load(X + row * n + i, mask=i < n, other=0.0).to(tl.float32)


# case: product_of_integers
# like: product_of_bytes
# expect: silent
"""The elements are cast first."""
#-        a = tl.load(A + row * K + i, mask=i < K, other=0)
#+        a = tl.load(A + row * K + i, mask=i < K, other=0).to(tl.int32)
#-        total += tl.sum((a * x).to(tl.int32), 0)
#+        total += tl.sum(a * x, 0)


# case: wide_accumulator
# like: half_accumulator
# expect: silent
"""The elements are cast first."""
#-    acc = tl.zeros([BLOCK], tl.float16)
#+    acc = tl.zeros([BLOCK], tl.float32)
#-    tl.store(Y + c, acc, mask=c < N)
#+    tl.store(Y + c, acc.to(tl.float16), mask=c < N)
