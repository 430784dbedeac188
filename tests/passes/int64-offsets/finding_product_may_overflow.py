import torch
import triton
import triton.language as tl


# case: slot_in_32_bits
# expect: finding, product-may-overflow
"""The kernel casts another row, and this one to 32 bits."""


@triton.jit
def store_kv(K, Slots, Cache, stride_k, stride_cache, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    slot = tl.load(Slots + t)
    k = tl.load(K + t.to(tl.int64) * stride_k + d)
    tl.store(Cache + slot.to(tl.int32) * stride_cache + d, k)


# case: row_of_logits
# expect: finding, product-may-overflow
"""A program for each row, and no launch."""


@triton.jit
def ce_kernel(X, Loss, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    m = -float("inf")
    s = 0.0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(X + i, mask=i < V, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), 0)
        m = new
    tl.store(Loss + row, m + tl.log(s))


# case: rows_of_a_tile
# expect: finding, product-may-overflow
"""Rows of a tile, of which the strides say nothing."""


@triton.jit
def moe_kernel(A, B, C, Experts, stride_am, stride_be, stride_bn, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    e = tl.load(Experts + pid)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    m = pid * BM + tl.arange(0, BM)
    k = tl.arange(0, BK)
    acc = tl.zeros([BM, BN], tl.float32)
    b = B + e * stride_be + n[None, :] * stride_bn + k[:, None]
    a = A + m[:, None] * stride_am + k[None, :]
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a), tl.load(b))
        a += BK
        b += BK
    tl.store(C + m[:, None] * N + n[None, :], acc)


# case: cast_too_late
# expect: finding, product-may-overflow
"""The product is cast, and not its factors."""


@triton.jit
def late_kernel(X, Y, stride, D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    off = (row * stride).to(tl.int64)
    x = tl.load(X + off + d).to(tl.float32)
    tl.store(Y + off + d, x * 2.0)


# case: launched_elsewhere
# like: length_of_the_caller
# expect: finding, product-may-overflow
"""No launch is seen."""
#-def launch(x, n):
#-    y = torch.empty_like(x)
#-    kernel[(x.numel() // n,)](x, y, n, n, BLOCK=1024)
#-    return y
#+def twice(x):
#+    return x * 2
