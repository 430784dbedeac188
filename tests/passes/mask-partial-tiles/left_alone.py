import torch
import triton
import triton.language as tl


# case: loaded_mask
# like: squares
# expect: not applied, extremes-are-not-known
"""What is loaded has no least and no greatest."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        kept = tl.load(Q + rows[:, None] * D + cols[None, :] % D) > 0.0
#+        s = tl.where(kept & (rows[:, None] >= cols[None, :]), s, float("-inf"))


# case: loaded_positions
# like: squares
# expect: not applied, extremes-are-not-known
"""Positions that are loaded."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        place = tl.load(K + cols)
#+        s = tl.where(rows[:, None] >= place[None, :], s, float("-inf"))


# case: narrow_scalar
# like: squares
# expect: not applied, type-is-unknown
"""Lanes widen what is loaded, which may be int16; a number would not."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        first = tl.load(K + 3)
#+        s = tl.where(rows[:, None] >= first + tl.arange(0, BN)[None, :] + start, s, float("-inf"))


# case: bound_in_the_mask
# like: squares
# expect: silent
"""The mask is bound inside, and read later."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(seen := (rows[:, None] >= cols[None, :]), s, float("-inf"))
#+        s = tl.where(seen, s, float("-inf")) * 1.0


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
# like: squares
# expect: not applied, extremes-are-not-known
"""A factor may be negative, and then the first lane is the greatest."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] >= cols[None, :] * N, s, float("-inf"))


# case: remainder
# like: squares
# expect: not applied, extremes-are-not-known
"""A remainder is not greatest in the last lane."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] >= (cols % 7)[None, :], s, float("-inf"))


# case: either
# like: squares
# expect: not applied, extremes-are-not-known
"""One of two conditions is enough to stay: all of one, or all of the other, is too strict."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where((rows[:, None] >= cols[None, :]) | (cols[None, :] < 8), s, float("-inf"))


# case: equal
# like: squares
# expect: not applied, extremes-are-not-known
"""Equality holds nowhere in most tiles."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] != cols[None, :], s, float("-inf"))


# case: cast_positions
# like: squares
# expect: not applied, extremes-are-not-known
"""Beyond 32 bits the lanes are computed in 64, and scalars would not be."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] >= start + tl.arange(0, BN).to(tl.int64)[None, :], s, float("-inf"))


# case: tile_for_a_number
# like: squares
# expect: not applied, type-changes
"""The other argument is a tile of another type."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        other = tl.full([BM, BN], 0.0, tl.float64)
#+        s = tl.where(rows[:, None] >= cols[None, :], s, other)


# case: integers
# like: squares
# expect: not applied, type-changes
"""Integers become floats where the mask is applied."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        c = s.to(tl.int32)
#+        c = tl.where(rows[:, None] >= cols[None, :], c, 0.5)
#+        s = c * 1.0


# case: type_is_open
# like: squares
# expect: not applied, type-is-unknown
"""What is loaded may be integers."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        w = tl.load(Q + rows[:, None] * D + cols[None, :] % D)
#+        w = tl.where(rows[:, None] >= cols[None, :], w, 0.5)
#+        s = s + w


# case: more_lanes
# like: squares
# expect: not applied, shape-changes
"""The mask gives the tile its rows."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        b = (cols * 1.0)[None, :]
#+        b = tl.where(rows[:, None] >= cols[None, :], b, 0.0)
#+        s = s + b


# case: warp_specialized
# like: squares
# expect: not applied, loop-options
# verify: no, not rewritten
"""Warps of such a loop take different parts of its body."""
#-    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
#+    for start in tl.range(0, N, BN, warp_specialize=True):
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))


# case: branch_is_there
# like: squares
# expect: silent
"""The author has done it."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        if tl.program_id(0) * BM < start + BN:
#+            s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))


# case: another_name
# like: squares
# expect: silent
"""The masked tile is another name: it would have no value in the other branch."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        t = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = t


# case: same_in_each_iteration
# like: squares
# expect: silent
"""The mask does not change in the loop."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s = tl.where(rows[:, None] < N, s, float("-inf"))


# case: row_of_numbers
# like: squares
# expect: silent
"""One axis: there is little to save."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        m = tl.where(rows >= start, m, 0.0)


# case: scalar
# like: squares
# expect: silent
"""A choice between scalars."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        scale = tl.where(start > 16, scale, 1.0)


# case: added
# like: squares
# expect: silent
"""Adding 0 makes a zero of -0.0."""
#-        s = tl.where(rows[:, None] * cols[None, :] >= 4, s, float("-inf"))
#+        s += tl.where(rows[:, None] >= cols[None, :], 0, float("-inf"))


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
# like: without_a_sign
# expect: not applied, type-is-unknown
"""An int8 widens to the lanes that it meets; beside a number it stays one, and wraps around."""
#-def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#+def kernel(Q, K, Out, Limit, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#-    low = (tl.program_id(0) * BM).to(tl.uint32)
#-    for start in range(0, N, BN):
#+    limit = tl.load(Limit)
#+    for start in tl.static_range(0, 256, BN):
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#+        s = tl.where(cols[None, :] + limit < 200, s, 0.0)


# case: number_is_compared_with_a_narrow_scalar
# like: without_a_sign
# expect: not applied, type-is-unknown
"""A number beyond an int8 wraps around where it is compared with one."""
#-def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#+def kernel(Q, K, Out, Limit, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#-    low = (tl.program_id(0) * BM).to(tl.uint32)
#-    for start in range(0, N, BN):
#+    limit = tl.load(Limit)
#+    for start in tl.static_range(0, 256, BN):
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#+        s = tl.where(cols[None, :] < limit, s, 0.0)


# case: one_meets_a_narrow_scalar
# like: without_a_sign
# expect: not applied, type-is-unknown
"""An argument that is 1 is a number to the compiler too."""
#-def kernel(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#+def kernel(Q, K, Out, Limit, first, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
#-    low = (tl.program_id(0) * BM).to(tl.uint32)
#+    limit = tl.load(Limit)
#+    tail = first + tl.arange(0, BM)
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#+        s = tl.where(tail[:, None] + limit >= cols[None, :], s, 0.0)


# case: fractions_of_numbers
# like: without_a_sign
# expect: not applied, type-is-unknown
"""The compiler multiplies numbers in fp64, and lanes in fp32."""
#-    low = (tl.program_id(0) * BM).to(tl.uint32)
#-    for start in range(0, N, BN):
#+    for start in tl.static_range(0, 256, BN):
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#+        s = tl.where(rows[:, None] >= cols[None, :] * 0.1, s, 0.0)


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
# like: without_a_sign
# expect: not applied, type-is-unknown
"""Scores become what another tensor has, maybe integers, and floats where the mask is applied."""
#-    low = (tl.program_id(0) * BM).to(tl.uint32)

#-        s = tl.dot(q, k)
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#-        acc += tl.sum(s, 1)
#+        s = tl.dot(q, k).to(Out.dtype.element_ty)
#+        s = tl.where(rows[:, None] >= cols[None, :], s, 0.5)
#+        acc += tl.sum(s.to(tl.float32), 1)


# case: product_of_integers
# like: without_a_sign
# expect: not applied, type-is-unknown
"""The product says that it is one of integers."""
#-    low = (tl.program_id(0) * BM).to(tl.uint32)

#-        s = tl.dot(q, k)
#-        s = tl.where(cols[None, :] - low < 8, s, 0.0)
#-        acc += tl.sum(s, 1)
#+        s = tl.dot(q, k, out_dtype=tl.int32)
#+        s = tl.where(rows[:, None] >= cols[None, :], s, 0.5)
#+        acc += tl.sum(s.to(tl.float32), 1)
