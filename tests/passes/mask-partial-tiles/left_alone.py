import torch
import triton
import triton.language as tl


# case: loaded_mask
# expect: not applied, extremes-are-not-known
"""What is loaded has no least and no greatest."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        kept = tl.load(Q + rows[:, None] * D + cols[None, :] % D) > 0.0
        s = tl.where(kept & (rows[:, None] >= cols[None, :]), s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: loaded_positions
# expect: not applied, extremes-are-not-known
"""Positions that are loaded."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        place = tl.load(K + cols)
        s = tl.where(rows[:, None] >= place[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: narrow_scalar
# expect: not applied, type-is-unknown
"""Lanes widen what is loaded, which may be int16; a number would not."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        first = tl.load(K + 3)
        s = tl.where(rows[:, None] >= first + tl.arange(0, BN)[None, :] + start, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: bound_in_the_mask
# expect: silent
"""The mask is bound inside, and read later."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(seen := (rows[:, None] >= cols[None, :]), s, float("-inf"))
        s = tl.where(seen, s, float("-inf")) * 1.0
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: squares
# expect: not applied, extremes-are-not-known
"""A product of lanes grows as it likes."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: factor_of_any_sign
# expect: not applied, extremes-are-not-known
"""A factor may be negative, and then the first lane is the greatest."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= cols[None, :] * N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: remainder
# expect: not applied, extremes-are-not-known
"""A remainder is not greatest in the last lane."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= (cols % 7)[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: either
# expect: not applied, extremes-are-not-known
"""One of two conditions is enough to stay: all of one, or all of the other, is too strict."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where((rows[:, None] >= cols[None, :]) | (cols[None, :] < 8), s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: equal
# expect: not applied, extremes-are-not-known
"""Equality holds nowhere in most tiles."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] != cols[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: cast_positions
# expect: not applied, extremes-are-not-known
"""Beyond 32 bits the lanes are computed in 64, and scalars would not be."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= start + tl.arange(0, BN).to(tl.int64)[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: tile_for_a_number
# expect: not applied, type-changes
"""The other argument is a tile of another type."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        other = tl.full([BM, BN], 0.0, tl.float64)
        s = tl.where(rows[:, None] >= cols[None, :], s, other)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: integers
# expect: not applied, type-changes
"""Integers become floats where the mask is applied."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        c = s.to(tl.int32)
        c = tl.where(rows[:, None] >= cols[None, :], c, 0.5)
        s = c * 1.0
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: type_is_open
# expect: not applied, type-is-unknown
"""What is loaded may be integers."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        w = tl.load(Q + rows[:, None] * D + cols[None, :] % D)
        w = tl.where(rows[:, None] >= cols[None, :], w, 0.5)
        s = s + w
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: more_lanes
# expect: not applied, shape-changes
"""The mask gives the tile its rows."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        b = (cols * 1.0)[None, :]
        b = tl.where(rows[:, None] >= cols[None, :], b, 0.0)
        s = s + b
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: warp_specialized
# expect: not applied, loop-options
# verify: no, not rewritten
"""Warps of such a loop take different parts of its body."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in tl.range(0, N, BN, warp_specialize=True):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: branch_is_there
# expect: silent
"""The author has done it."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        if tl.program_id(0) * BM < start + BN:
            s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: another_name
# expect: silent
"""The masked tile is another name: it would have no value in the other branch."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        t = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
        s = t
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: same_in_each_iteration
# expect: silent
"""The mask does not change in the loop."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] < N, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: row_of_numbers
# expect: silent
"""One axis: there is little to save."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        m = tl.where(rows >= start, m, 0.0)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: scalar
# expect: silent
"""A choice between scalars."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        scale = tl.where(start > 16, scale, 1.0)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: added
# expect: silent
"""Adding 0 makes a zero of -0.0."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s += tl.where(rows[:, None] >= cols[None, :], 0, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# case: positions_are_parameters
# expect: not applied, called-from-a-kernel
"""A helper: its numbers may be tiles."""


@triton.jit
def helper(s, X, first, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        x = tl.load(X + start + lanes[:, None] * BLOCK + lanes[None, :])
        s = tl.dot(x, x)
        s = tl.where(first + lanes[:, None] >= start + lanes[None, :], s, 0.0)
    return s


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    at = lanes[:, None] * BLOCK + lanes[None, :]
    tl.store(Y + at, helper(tl.load(X + at), X, tl.program_id(0), n, BLOCK))


# case: no_products
# expect: silent
"""A loop without matrix products waits for memory."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        at = lanes[:, None] * N + start + lanes[None, :]
        x = tl.load(X + at) * 1.0
        x = tl.where(lanes[:, None] >= start + lanes[None, :], x, 0.0)
        tl.store(Y + at, x)


# case: number_meets_a_narrow_scalar
# expect: not applied, type-is-unknown
"""An int8 widens to the lanes that it meets; beside a number it stays one, and wraps around."""


@triton.jit
def kernel(Q, K, Out, Limit, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    limit = tl.load(Limit)
    for start in tl.static_range(0, 256, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k)
        s = tl.where(cols[None, :] + limit < 200, s, 0.0)
        acc += tl.sum(s, 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: number_is_compared_with_a_narrow_scalar
# expect: not applied, type-is-unknown
"""A number beyond an int8 wraps around where it is compared with one."""


@triton.jit
def kernel(Q, K, Out, Limit, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    limit = tl.load(Limit)
    for start in tl.static_range(0, 256, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k)
        s = tl.where(cols[None, :] < limit, s, 0.0)
        acc += tl.sum(s, 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: one_meets_a_narrow_scalar
# expect: not applied, type-is-unknown
"""An argument that is 1 is a number to the compiler too."""


@triton.jit
def kernel(Q, K, Out, Limit, first, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    limit = tl.load(Limit)
    tail = first + tl.arange(0, BM)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k)
        s = tl.where(tail[:, None] + limit >= cols[None, :], s, 0.0)
        acc += tl.sum(s, 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: fractions_of_numbers
# expect: not applied, type-is-unknown
"""The compiler multiplies numbers in fp64, and lanes in fp32."""


@triton.jit
def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    for start in tl.static_range(0, 256, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k)
        s = tl.where(rows[:, None] >= cols[None, :] * 0.1, s, 0.0)
        acc += tl.sum(s, 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: without_a_sign
# expect: not applied, type-is-unknown
"""Below 0 an unsigned number is a large one, in the first lanes and not in the last."""


@triton.jit
def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    low = (tl.program_id(0) * BM).to(tl.uint32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k)
        s = tl.where(cols[None, :] - low < 8, s, 0.0)
        acc += tl.sum(s, 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: cast_to_any_type
# expect: not applied, type-is-unknown
"""Scores become what another tensor has, maybe integers, and floats where the mask is applied."""


@triton.jit
def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k).to(Out.dtype.element_ty)
        s = tl.where(rows[:, None] >= cols[None, :], s, 0.5)
        acc += tl.sum(s.to(tl.float32), 1)
    tl.store(Out + rows, acc, mask=rows < N)


# case: product_of_integers
# expect: not applied, type-is-unknown
"""The product says that it is one of integers."""


@triton.jit
def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM], tl.float32)
    for start in range(0, N, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        s = tl.dot(q, k, out_dtype=tl.int32)
        s = tl.where(rows[:, None] >= cols[None, :], s, 0.5)
        acc += tl.sum(s.to(tl.float32), 1)
    tl.store(Out + rows, acc, mask=rows < N)
