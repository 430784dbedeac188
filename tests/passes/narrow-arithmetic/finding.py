import torch
import triton
import triton.language as tl


# case: product_of_two_narrow
# like: single_precision
# expect: finding, rounded-before-the-sum
"""Both are bf16, and so is each product."""
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: bf16[m, n], w: bf16[n]


# case: cast_after_the_product
# like: single_precision
# expect: finding, rounded-before-the-sum
"""The kernel itself says that the product is narrower."""
#-        total += x * w
#+        total += (x * w).to(tl.float32)
#-# tritonopt: x: f32[m, n], w: f32[n]


# case: sum_of_products
# like: single_precision
# expect: finding, rounded-before-the-sum
"""The same in a sum over a tile."""
#-        total += x * w
#-    tl.store(Y + row, tl.sum(total, axis=0))
#+        total += x.to(tl.float32)
#+    tl.store(Y + row, tl.sum(total, axis=0) + tl.sum(tl.load(X + tl.arange(0, BLOCK)) * tl.load(W + tl.arange(0, BLOCK)), axis=0))
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: bf16[m, n], w: bf16[n]


# case: widened_elsewhere
# like: single_precision
# expect: finding, rounded-before-the-sum
"""The kernel casts elements of both buffers to fp32, and multiplies others as they are."""
#         total += x * w
#+        total += x.to(tl.float32) + w.to(tl.float32)
#-# tritonopt: x: f32[m, n], w: f32[n]


# case: tile_of_half
# expect: finding, rounded-before-the-sum
"""`tl.sum` of an fp16 tile adds in fp16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f16|bf16[m, n]
def launch(x):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: sum_in_int8
# like: single_precision
# expect: finding, accumulator-is-too-small
"""127 is soon exceeded."""
#-    total = tl.zeros([BLOCK], dtype=tl.float32)
#+    total = tl.zeros([BLOCK], dtype=tl.int8)
#-        total += x * w
#+        total += tl.load(X + cols, mask=cols < N, other=0)
#-# tritonopt: x: f32[m, n], w: f32[n]


# case: exponential_times_mask
# expect: finding, masked-after-the-exponential
"""Above the diagonal the exponential may be inf."""


@triton.jit
def kernel(G, X, Y, T: tl.constexpr):
    i = tl.arange(0, T)
    g = tl.load(G + i)
    x = tl.load(X + i)
    w = tl.exp(g[:, None] - g[None, :]) * (i[:, None] >= i[None, :])
    tl.store(Y + i, tl.sum(w * x[None, :], axis=1))


def launch(g, x):
    y = torch.empty_like(x)
    kernel[(1,)](g, x, y, T=32)
    return y


# case: exponential_times_cast_mask
# like: exponential_times_mask
# expect: finding, masked-after-the-exponential
"""The same with a cast."""
#-    w = tl.exp(g[:, None] - g[None, :]) * (i[:, None] >= i[None, :])
#+    w = (i[:, None] >= i[None, :]).to(tl.float32) * tl.exp2(g[:, None] - g[None, :])


# case: products_of_int8
# expect: finding, rounded-before-the-sum
"""The accumulator is int32, and 16 * 16 is 0 in int8."""


@triton.jit
def kernel(A, X, Y, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.int32)
    for k in range(0, K, BLOCK):
        i = k + tl.arange(0, BLOCK)
        a = tl.load(A + row * K + i, mask=i < K, other=0)
        total += a * tl.load(X + i, mask=i < K, other=0)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: a: i8[m, k], x: i8[k]
def launch(a, x):
    m, k = a.shape
    y = torch.empty((m,), dtype=torch.int32, device=a.device)
    kernel[(m,)](a, x, y, k, BLOCK=32)
    return y


# case: exponential_of_widened_elements
# expect: finding, masked-after-the-exponential
"""The exponent is computed in fp32, and the mask is put on later."""


@triton.jit
def kernel(G, X, Y, T: tl.constexpr):
    i = tl.arange(0, T)
    g = tl.load(G + i).to(tl.float32)
    w = tl.exp(g[:, None] - g[None, :])
    w = w * (i[:, None] >= i[None, :])
    tl.store(Y + i, tl.sum(w * tl.load(X + i)[None, :], axis=1))


# case: scan_of_halves
# expect: finding, rounded-before-the-sum
"""A scan adds in the type of its elements."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + i, mask=i < n, other=0.0)
    tl.store(Y + row * n + i, tl.cumsum(x, 0), mask=i < n)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), device=x.device, dtype=torch.float32)
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: product_of_bytes
# expect: finding, rounded-before-the-sum
"""The product wraps around before it is cast."""


@triton.jit
def k(A, X, Y, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([], tl.int32)
    for s in range(0, K, BLOCK):
        i = s + tl.arange(0, BLOCK)
        a = tl.load(A + row * K + i, mask=i < K, other=0)
        x = tl.load(X + i, mask=i < K, other=0)
        total += tl.sum((a * x).to(tl.int32), 0)
    tl.store(Y + row, total)


# tritonopt: a: i8[m, k], x: i8[k]
def run(a: torch.Tensor, x: torch.Tensor):
    m, k_ = a.shape
    assert x.shape == (k_,) and a.is_contiguous()
    y = torch.empty((m,), dtype=torch.int32, device=a.device)
    k[(m,)](a, x, y, k_, BLOCK=32)
    return y


# case: half_accumulator
# expect: finding, accumulator-is-too-small
"""A sum over a loop in fp16."""


@triton.jit
def k(X, Y, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float16)
    for r in range(0, M):
        acc += tl.load(X + r * N + c, mask=c < N, other=0.0)
    tl.store(Y + c, acc, mask=c < N)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((n,), device=x.device, dtype=torch.float16)
    k[(triton.cdiv(n, 128),)](x, y, m, n, BLOCK=128, ROWS=16)
    return y


# case: half_products
# expect: finding, accumulator-is-too-small
"""Products of matrices in fp16."""


@triton.jit
def k(A, B, C, K, N: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, N)
    kk = tl.arange(0, BK)
    acc = tl.zeros([N, N], tl.float16)
    for s in range(0, K, BK):
        a = tl.load(A + i[:, None] * K + s + kk[None, :], mask=(s + kk < K)[None, :], other=0.0)
        b = tl.load(B + (s + kk)[:, None] * N + i[None, :], mask=(s + kk < K)[:, None], other=0.0)
        acc += tl.dot(a, b, out_dtype=tl.float16)
    tl.store(C + i[:, None] * N + i[None, :], acc)


# tritonopt: a: f16[64, k], b: f16[k, 64]
def run(a: torch.Tensor, b: torch.Tensor):
    n, k_ = a.shape
    assert n == 64 and b.shape == (k_, 64) and a.is_contiguous() and b.is_contiguous()
    c = torch.empty((64, 64), device=a.device, dtype=torch.float16)
    k[(1,)](a, b, c, k_, N=64, BK=32)
    return c
