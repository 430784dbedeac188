import torch
import triton
import triton.language as tl


# case: one_lane_is_read
# like: attention
# expect: not applied, tiny-results-count
"""One probability is picked, and its logarithm taken."""
#     total = tl.zeros([BM], tl.float32)
#+    seen = tl.zeros([BM], tl.float32)
#         total = total * alpha + tl.sum(p, 1)
#+        seen += tl.sum(tl.where(cols[None, :] == rows[:, None], p, 0.0), 1)
#-    out = acc / total[:, None]
#+    out = acc / total[:, None] + tl.log(seen)[:, None]


# case: masked_after_the_exponential
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The lane of the maximum may be cleared."""
#         p = tl.exp(s - new[:, None])
#+        p = tl.where(rows[:, None] >= cols[None, :], p, 0.0)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: weighted
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The weight of the lane of the maximum may be 0."""
#         p = tl.exp(s - new[:, None])
#+        p = p * tl.load(K + cols)[None, :]
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The maximum may be one of an earlier tile."""


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
        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)


# tritonopt: q: f32[n, 16], k: f32[n, 16], v: f32[n, 16]
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    n, d = q.shape
    out = torch.empty_like(q)
    kernel[(triton.cdiv(n, 16),)](q, k, v, out, d**-0.5, n, BM=16, BN=16, D=16)
    return out


# case: not_rescaled
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The sum lacks alpha: it may be of tiny results only."""
#-        total = total * alpha + tl.sum(p, 1)
#+        total = total + tl.sum(p, 1)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: maximum_from_a_number
# like: sum_of_the_tile_alone
# expect: not applied, maximum-is-not-subtracted
"""No element need come up to 0."""
#-    m = tl.full([BM], float("-inf"), tl.float32)
#+    m = tl.full([BM], 0.0, tl.float32)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: product_along_the_rows
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""A column need not have a 1."""
#-        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        acc = acc * alpha[:, None] + tl.dot(tl.trans(p).to(v.dtype), v)


# case: product_by_keywords
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The same, with the second factor named first."""
#-        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        acc = acc * alpha[:, None] + tl.dot(other=p.to(v.dtype), input=v)


# case: added_lane_by_lane
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Lanes are added over iterations, and no maximum is among them."""
#     total = tl.zeros([BM], tl.float32)
#+    lanes = tl.zeros([BM, BN], tl.float32)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        lanes += p
#-    out = acc / total[:, None]
#+    out = tl.log(lanes)


# case: least
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""A minimum is no sum."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + start + rows, tl.min(p, axis=1))


# case: place_of_the_least
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Several lanes become the least."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + start + rows, tl.argmin(p, axis=1))


# case: into_an_inner_loop
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""A loop takes them in as its first value."""
#     total = tl.zeros([BM], tl.float32)
#+    at = rows[:, None] * D + dims[None, :]
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        for _ in range(2):
#+            p = p * 0.5
#+        tl.store(Out + at, tl.log(p))


# case: cast_to_truth
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Whether it is 0 is asked by a cast."""
#-        total = total * alpha + tl.sum(p, 1)
#+        total = total * alpha + tl.sum(p.to(tl.int1), 1)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: rounded_up
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""1 becomes 0."""
#-        total = total * alpha + tl.sum(p, 1)
#+        total = total * alpha + tl.sum(tl.ceil(p), 1)
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: product_scaled_up
# like: attention
# expect: not applied, tiny-results-count
"""A large factor brings tiny products back."""
#-    out = acc / total[:, None]
#+    out = acc * tl.exp(m)[:, None]


# case: divided_by_a_product
# like: attention
# expect: not applied, tiny-results-count
"""Values may be 0 where the maximum is."""
#-    out = acc / total[:, None]
#+    out = 1.0 / acc


# case: in_assembly
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""What assembly does with it is not known."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        p = tl.inline_asm_elementwise("lg2.approx.f32 $0, $1;", "=f,f", [p], tl.float32, True, 1)
#+        tl.store(Out + rows, tl.sum(p, 1))


# case: stored
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Somebody else may take the logarithm."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + rows[:, None] * BN + cols[None, :], p)


# case: alpha_elsewhere
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""The factor itself is stored."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + start + rows, alpha)


# case: compared
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Whether a result is above 0 is asked of tiny ones too."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + start + rows, tl.sum(tl.where(p > 0, 1, 0), 1))


# case: divided_by
# like: sum_of_the_tile_alone
# expect: not applied, tiny-results-count
"""Dividing by a tiny number is not dividing by 0."""
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))
#+        tl.store(Out + start + rows, tl.sum(1.0 / p, 1))


# case: comment_inside
# like: sum_of_the_tile_alone
# expect: not applied, comment-inside
"""A comment on the exponent would go with it."""
#-        p = tl.exp(s - new[:, None])
#+        p = tl.exp(
#+            s - new[:, None]  # at most 0
#+        )
#-        tl.store(Out + start + rows, tl.log(tl.sum(p, 1)))


# case: from_a_number_not_so_low
# like: nothing_seen_is_0
# expect: not applied, maximum-is-not-subtracted
"""Exponentials below it need not be 0."""
#-    m = tl.full([16], float("-inf"), tl.float32)
#+    m = tl.full([16], -2.0e9, tl.float32)
#-        new = tl.where(new == float("-inf"), 0.0, new)


# case: from_a_sink
# like: nothing_seen_is_0
# expect: not applied, maximum-is-not-subtracted
"""The score of the sink has a 1 in the sum, and none in the product."""
#-    m = tl.full([16], float("-inf"), tl.float32)
#-    total = tl.zeros([16], tl.float32)
#+    m = tl.load(Q + tl.arange(0, 16)).to(tl.float32)
#+    total = tl.full([16], 1.0, tl.float32)
#-        new = tl.where(new == float("-inf"), 0.0, new)


# case: nothing_seen_is_0
# expect: not applied, maximum-is-not-subtracted
"""Once nothing was seen in a tile, the maximum stays at 0 or above."""


@triton.jit
def kernel(Q, K, V, Out, N):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    q = tl.load(Q + at)
    m = tl.full([16], float("-inf"), tl.float32)
    total = tl.zeros([16], tl.float32)
    acc = tl.zeros([16, 16], tl.float32)
    for start in range(0, N, 16):
        s = tl.dot(q, tl.load(K + start * 16 + at))
        new = tl.maximum(m, tl.max(s, 1))
        new = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
        m = new
    tl.store(Out + at, acc / total[:, None])


# case: another_number_is_replaced
# like: nothing_seen_is_0
# expect: not applied, maximum-is-not-subtracted
"""What is subtracted instead of 0 is no maximum."""
#-        new = tl.where(new == float("-inf"), 0.0, new)
#-        p = tl.exp(s - new[:, None])
#-        alpha = tl.exp(m - new)
#+        top = tl.where(new == 0.0, 90.0, new)
#+        p = tl.exp(s - top[:, None])
#+        alpha = tl.exp(m - top)


# case: masked_scores_are_not_so_low
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""Cleared lanes may have the maximum."""
#         s = tl.dot(q, tl.load(K + start * 16 + at))
#+        s = tl.where(at < N, s, -10000.0)
#-        new = tl.where(new == float("-inf"), 0.0, new)
#-        p = tl.exp(s - new[:, None])
#+        p = tl.where(at < N, tl.exp(s - new[:, None]), 0.0)


# case: cleared_by_another_mask
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""The lane of the maximum may be cleared, of scores with another mask."""
#-        s = tl.dot(q, tl.load(K + start * 16 + at))
#+        s = tl.where(at < N, tl.dot(q, tl.load(K + start * 16 + at)), -1e30)
#-        new = tl.where(new == float("-inf"), 0.0, new)
#-        p = tl.exp(s - new[:, None])
#+        p = tl.where(at > start, tl.exp(s - new[:, None]), 0.0)


# case: mean_without_the_sum_before
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""The element of the maximum is divided by the sum again and again."""
#-        new = tl.where(new == float("-inf"), 0.0, new)

#-        total = total * alpha + tl.sum(p, 1)
#-        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
#+        end = total * alpha + tl.sum(p, 1)
#+        p = p / end[:, None]
#+        acc = acc * (alpha / end)[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
#+        total = end
#-    tl.store(Out + at, acc / total[:, None])
#+    tl.store(Out + at, acc)


# case: scaled_by_a_large_number
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""A large number brings tiny products back."""
#-        new = tl.where(new == float("-inf"), 0.0, new)

#-    tl.store(Out + at, acc / total[:, None])
#+    tl.store(Out + at, acc * 1e30 / total[:, None])


# case: values_made_of_scores
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""What is weighed grows as its weight falls."""
#-        new = tl.where(new == float("-inf"), 0.0, new)

#-        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
#+        v = tl.exp2(-tl.minimum(tl.trans(s), 0.0))
#+        acc = acc * alpha[:, None] + tl.dot(p, v)


# case: sum_starts_anew
# like: nothing_seen_is_0
# expect: not applied, tiny-results-count
"""The second loop goes on with the maximum alone, which its sum need not attain."""
#-        new = tl.where(new == float("-inf"), 0.0, new)
#+        p = tl.exp(s - new[:, None])
#+        alpha = tl.exp(m - new)
#+        total = total * alpha + tl.sum(p, 1)
#+        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
#+        m = new
#+    total = tl.zeros([16], tl.float32)
#+    for start in range(0, N, 16):
#+        s = tl.dot(q, tl.load(K + start * 16 + at))
#+        new = tl.maximum(m, tl.max(s, 1))
