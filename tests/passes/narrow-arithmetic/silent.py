import torch
import triton
import triton.language as tl


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


# case: cast_before_the_product
# expect: silent
"""Each element is cast."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        total += x.to(tl.float32) * w.to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: bf16[m, n], w: bf16[n]
def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: one_is_cast
# expect: silent
"""The other is widened by it."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        total += x * w.to(tl.float32)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: bf16[m, n], w: bf16[n]
def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: type_is_not_known
# expect: silent
"""Nothing says that they are narrow."""


# shared: kernel


def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: single_precision
# expect: silent
"""They are fp32."""


# shared: kernel


# tritonopt: x: f32[m, n], w: f32[n]
def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: one_is_wide
# expect: silent
"""An fp32 weight widens the product."""


# shared: kernel


# tritonopt: x: bf16[m, n], w: f32[n]
def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: tile_is_cast
# expect: silent
"""`tl.sum` adds in fp32."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f16|bf16[m, n]
def launch(x):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: counted_in_int8
# expect: silent
"""Nothing is added to what a loop carries."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.int8)
    for i in range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        total = tl.load(X + cols, mask=cols < N, other=0)
    tl.store(Y + row, tl.sum(total, axis=0))


def launch(x, w):
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.float32)
    kernel[(m,)](x, w, y, n, BLOCK=64)
    return y


# case: exponent_is_masked
# expect: silent
"""Above the diagonal the exponent is -inf."""


@triton.jit
def kernel(G, X, Y, T: tl.constexpr):
    i = tl.arange(0, T)
    g = tl.load(G + i)
    x = tl.load(X + i)
    w = tl.exp(tl.where(i[:, None] >= i[None, :], g[:, None] - g[None, :], float("-inf")))
    tl.store(Y + i, tl.sum(w * x[None, :], axis=1))


def launch(g, x):
    y = torch.empty_like(x)
    kernel[(1,)](g, x, y, T=32)
    return y


# case: exponential_is_chosen
# expect: silent
"""`tl.where` drops what is inf."""


@triton.jit
def kernel(G, X, Y, T: tl.constexpr):
    i = tl.arange(0, T)
    g = tl.load(G + i)
    x = tl.load(X + i)
    w = tl.where(i[:, None] >= i[None, :], tl.exp(g[:, None] - g[None, :]), 0.0)
    tl.store(Y + i, tl.sum(w * x[None, :], axis=1))


def launch(g, x):
    y = torch.empty_like(x)
    kernel[(1,)](g, x, y, T=32)
    return y


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
# expect: silent
"""NaN is put back."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    bad = tl.max((x != x).to(tl.int32), axis=0)
    tl.store(Y + tl.program_id(0), tl.where(bad > 0, float("nan"), tl.max(x, axis=0)))


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
# expect: silent
"""The elements are cast first."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(Y + row * n + i, tl.cumsum(x, 0), mask=i < n)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), device=x.device, dtype=torch.float32)
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: product_of_integers
# expect: silent
"""The elements are cast first."""


@triton.jit
def k(A, X, Y, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([], tl.int32)
    for s in range(0, K, BLOCK):
        i = s + tl.arange(0, BLOCK)
        a = tl.load(A + row * K + i, mask=i < K, other=0).to(tl.int32)
        x = tl.load(X + i, mask=i < K, other=0)
        total += tl.sum(a * x, 0)
    tl.store(Y + row, total)


# tritonopt: a: i8[m, k], x: i8[k]
def run(a: torch.Tensor, x: torch.Tensor):
    m, k_ = a.shape
    assert x.shape == (k_,) and a.is_contiguous()
    y = torch.empty((m,), dtype=torch.int32, device=a.device)
    k[(m,)](a, x, y, k_, BLOCK=32)
    return y


# case: wide_accumulator
# expect: silent
"""The elements are cast first."""


@triton.jit
def k(X, Y, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for r in range(0, M):
        acc += tl.load(X + r * N + c, mask=c < N, other=0.0)
    tl.store(Y + c, acc.to(tl.float16), mask=c < N)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((n,), device=x.device, dtype=torch.float16)
    k[(triton.cdiv(n, 128),)](x, y, m, n, BLOCK=128, ROWS=16)
    return y
