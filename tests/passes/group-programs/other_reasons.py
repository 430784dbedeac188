import torch
import triton
import triton.language as tl


# case: adds_to_the_result
# like: two_axes
# expect: not applied, data-may-change
"""A product is added to what other programs may store."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    old = tl.load(C + rows[:, None] * N + cols[None, :], mask=c_mask, other=0.0)
#+    tl.store(C + cols[:, None] * M + rows[None, :], acc + old, mask=c_mask)


# case: heads_of_attention
# expect: not applied, tiles-are-not-shared
"""Programs of one head share its keys; another order mixes heads, which share nothing."""


@triton.jit
def attend(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0)
    head = tl.program_id(1)
    rows = start * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + head * N * D + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    keys = K + head * N * D + tl.arange(0, BN)[:, None] * D + dims[None, :]
    for first in range(0, N, BN):
        k = tl.load(keys, mask=(first + tl.arange(0, BN))[:, None] < N, other=0.0)
        acc += tl.dot(tl.dot(q, tl.trans(k)), k)
        keys += BN * D
    tl.store(Out + head * N * D + rows[:, None] * D + dims[None, :], acc, mask=rows[:, None] < N)


def attention(q: torch.Tensor, k: torch.Tensor):
    heads, n, _ = q.shape
    out = torch.empty_like(q)
    attend[(triton.cdiv(n, 16), heads)](q, k, out, n, BM=16, BN=16, D=16)
    return out


# case: ends_within_a_row
# like: one_axis
# expect: not applied, grid-ends-within-a-row
"""A grid of other tiles may end within a row of programs."""
#-    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
#+    grid = (triton.cdiv(m * n, 256),)


# case: adds_atomically
# like: two_axes
# expect: not applied, memory-order
"""Sums of floats depend on which program comes first."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    tl.atomic_add(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
