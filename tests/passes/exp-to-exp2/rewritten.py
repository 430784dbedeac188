import torch
import triton
import triton.language as tl


# tritonopt: q: f32[n, 16], k: f32[n, 16], v: f32[n, 16]
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    n, d = q.shape
    out = torch.empty_like(q)
    kernel[(triton.cdiv(n, 16),)](q, k, v, out, d**-0.5, n, BM=16, BN=16, D=16)
    return out


# case: attention
# verify: always
"""Exponentials below a running maximum, in a loop with matrix products."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)
# shared: attend


# case: added_by_the_product
# like: attention
"""The product adds to what was scaled; the shape of the scores is not known."""
#-        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
#+        k = tl.load(K + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
#-        s = tl.dot(q, k) * scale
#+        s = tl.dot(q, tl.trans(k))
#+        s *= scale
#-        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
#+        acc *= alpha[:, None]
#+        acc = tl.dot(p.to(v.dtype), v, acc=acc)


# case: blocks
# verify: always
"""Tiles come from block pointers, which know their shape."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    q_at = tl.make_block_ptr(Q, (N, D), (D, 1), (first, 0), (BM, D), (1, 0))
    k_at = tl.make_block_ptr(K, (D, N), (1, D), (0, 0), (D, BN), (0, 1))
    v_at = tl.make_block_ptr(V, (N, D), (D, 1), (0, 0), (BN, D), (1, 0))
    out_at = tl.make_block_ptr(Out, (N, D), (D, 1), (first, 0), (BM, D), (1, 0))
    q = tl.load(q_at, boundary_check=(0,), padding_option="zero")
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        k = tl.load(k_at, boundary_check=(1,), padding_option="zero")
        v = tl.load(v_at, boundary_check=(0,), padding_option="zero")
        s = tl.zeros([BM, BN], dtype=tl.float32)
        s += tl.dot(q, k)
        s *= scale
        s = tl.where(start + tl.arange(0, BN)[None, :] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        s -= new[:, None]
        p = tl.exp(s)
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
        k_at = tl.advance(k_at, (0, BN))
        v_at = tl.advance(v_at, (BN, 0))
    tl.store(out_at, acc / total[:, None], boundary_check=(0,))
# shared: attend


# case: own_names
# like: attention
"""The function goes by two names, the exponent by one."""
# import triton.language as tl
#+from triton.language import exp
#-        new = tl.maximum(m, tl.max(s, 1))
#-        p = tl.exp(s - new[:, None])
#-        alpha = tl.exp(m - new)
#+        new = tl.maximum(tl.max(s, axis=1), m)
#+        shifted = s - new[:, None]
#+        p = tl.math.exp(shifted)
#+        alpha = exp(m - new)


# case: axis_kept
"""Maxima and sums keep the axis; the sum starts at 1."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM, 1], float("-inf"), tl.float32)
    total = tl.full([BM, 1], 1.0, tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1, keep_dims=True))
        p = tl.exp(s - new)
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1, keep_dims=True)
        acc = acc * alpha + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)
# shared: attend


# case: scaled_in_the_exponent
# like: attention
"""The scale is applied twice to the same scores."""
#-        s = tl.dot(q, k) * scale
#+        s = tl.dot(q, k)
#-        new = tl.maximum(m, tl.max(s, 1))
#-        p = tl.exp(s - new[:, None])
#+        new = tl.maximum(m, tl.max(s * scale, 1))
#+        p = tl.exp(s * scale - new[:, None])


# case: normalized_early
# verify: always
"""Three exponentials: of the tile, and of two maxima below a common one; one over two lines."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        qk = tl.zeros([BM, BN], dtype=tl.float32)
        qk += tl.dot(q, k)
        qk *= scale
        qk = tl.where(rows[:, None] >= cols[None, :], qk, float("-inf"))
        m_ij = tl.max(qk, 1)
        p = tl.exp(qk - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        m_new = tl.maximum(m_i, m_ij)
        alpha = tl.exp(m_i - m_new)
        beta = tl.exp(
            m_ij - m_new
        )
        l_new = alpha * l_i + beta * l_ij
        p = p * (beta / l_new)[:, None]
        acc = acc * (l_i / l_new * alpha)[:, None]
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        l_i = l_new
        m_i = m_new
    tl.store(Out + rows[:, None] * D + dims[None, :], acc, mask=rows[:, None] < N)
# shared: attend


# case: from_a_low_number
# like: attention
"""The maximum starts at a number around which floats are far apart; scores are masked by it."""
#-    m = tl.full([BM], float("-inf"), tl.float32)
#+    m = tl.full([BM], -1e30, tl.float32)
#-        s = tl.where(cols[None, :] < N, s, float("-inf"))
#+        s = tl.where(cols[None, :] < N, s, -1e30)
#-        p = tl.exp(s - new[:, None])
#+        p = tl.where(cols[None, :] < N, tl.exp(s - new[:, None]), 0.0)


# case: nothing_seen
"""Where nothing was seen, 0 is subtracted, and 1 divides; the logarithm of the sum is stored."""


@triton.jit
def kernel(Q, K, V, Out, Lse, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] > cols[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        safe = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - safe[:, None])
        alpha = tl.exp(m - safe)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    acc *= tl.load(V)
    out = acc * (1.0 / tl.where(total == 0.0, 1.0, total))[:, None]
    tl.store(Lse + rows, m + tl.log(total), mask=rows < N)
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# tritonopt: q: f32[n, 16], k: f32[n, 16], v: f32[n, 16]
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    n, d = q.shape
    out, lse = torch.empty_like(q), q.new_empty(n)
    kernel[(triton.cdiv(n, 16),)](q, k, v, out, lse, d**-0.5, n, BM=16, BN=16, D=16)
    return out, lse


# case: goes_on_in_another_loop
"""The second loop goes on with the maximum, the sum and the products."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    for begin in range(0, N, BN):
        cols = begin + tl.arange(0, BN)
        k = tl.load(V + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)
# shared: attend
