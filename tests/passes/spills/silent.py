import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


# case: enough_warps
# like: no_limit
# expect: silent
"""The same row, with so many warps that it fits."""
#     m, n = x.shape
#+    if n > 32768:
#+        raise ValueError("rows are too long")
#-    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n), num_warps=16)


# case: last_stride_is_one
# expect: silent
"""In matrices whose rows lie side by side it fits; with any strides it would not."""


@triton.jit
def scaled_matmul(
    A, B, C, S, M, N, K, sam, sak, sbn, sbk, scm, scn, ss, BM: tl.constexpr, BK: tl.constexpr
):
    offs_m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    offs_n = (tl.program_id(1) * BM + tl.arange(0, BM)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = A + offs_m[:, None] * sam + offs_k[None, :] * sak
    b_ptrs = B + offs_n[:, None] * sbn + offs_k[None, :] * sbk
    acc = tl.zeros((BM, BM), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        mask = offs_k < K - k * BK
        a = tl.load(a_ptrs, mask=mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=mask[None, :], other=0.0)
        s = tl.load(S + offs_m * ss + k)
        acc += tl.dot(a, tl.trans(b)) * s[:, None]
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    tl.store(C + offs_m[:, None] * scm + offs_n[None, :] * scn, acc)


def product(a, b, s):
    m, k = a.shape
    n, _ = b.shape
    c = torch.empty(m, n, dtype=torch.float32)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    scaled_matmul[grid](
        a, b, c, s, m, n, k,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        s.stride(0), BM=64, BK=128,
    )
    return c


# case: no_limit
# expect: silent
"""Some row is too long for one tile, and no launch says how long rows get."""
# shared: softmax_rows


def softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: no_limit_of_a_part
# like: no_limit
# expect: silent
"""As there, and a tile holds a part of a row that grows with it."""
#-    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n // 8))


# case: other_checks
# like: no_limit
# expect: silent
"""A check that is not understood may keep long rows away."""
#     m, n = x.shape
#+    if not is_short(n) or n > 65536:
#+        raise ValueError("rows are too long")
#     return y
#+
#+
#+def is_short(n):
#+    return n <= 4096


# case: settings_for_any_row
# expect: silent
"""A function says how long tiles are, and how many warps, for rows of any length."""
# shared: softmax_rows


def settings(n):
    block = triton.next_power_of_2(n)
    return block, 16 if block >= 8192 else 4


def softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    block, num_warps = settings(n)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=block, num_warps=num_warps)
    return y


# case: stack_of_a_function
# expect: silent
"""The sine of large numbers keeps an array on the stack, however short the tile is."""


@triton.jit
def waves(Y, X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N).to(tl.float32)
    tl.store(Y + offsets, tl.sin(x), mask=offsets < N)


def sines(x):
    n = x.numel()
    y = torch.empty_like(x)
    waves[(triton.cdiv(n, 2048),)](y, x, n, BLOCK=2048)
    return y


# case: tile_has_a_limit
# expect: silent
"""No row gets a longer tile than 8192: there is a loop for the rest."""


@triton.jit
def row_max(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        best = tl.maximum(best, x)
    tl.store(Y + row, tl.max(best, axis=0))


def maxima(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32)
    row_max[(m,)](y, x, x.stride(0), n, BLOCK=min(8192, triton.next_power_of_2(n)))
    return y


# case: tuned
# like: no_limit
# expect: silent
"""A tuner measures: what spills is not what it takes."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=16)],
#+    key=["N"],
#+)
#     m, n = x.shape
#+    if n > 32768:
#+        raise ValueError("rows are too long")


# case: warps_are_computed
# expect: silent
"""The number of warps comes from a function: it may well be enough."""
# shared: softmax_rows


def warps_for(n):
    return 32 if n > 4096 else 4


def softmax(x):
    m, n = x.shape
    assert n <= 32768
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=block, num_warps=warps_for(n))
    return y
