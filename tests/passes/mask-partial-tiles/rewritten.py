import torch
import triton
import triton.language as tl


# tritonopt: q: f32[n, 16], k: f32[n, 16], v: f32[n, 16]
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    n, d = q.shape
    out = torch.empty_like(q)
    kernel[(triton.cdiv(n, 32),)](q, k, v, out, d**-0.5, n, BM=32, BN=16, D=16)
    return out


# case: causal
# verify: always
"""Rows against columns; the first row is compared with the last column."""


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
        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m = new
    out = acc / total[:, None]
    tl.store(Out + rows[:, None] * D + dims[None, :], out, mask=rows[:, None] < N)
# shared: attend


# case: mask_has_a_name
# like: causal
"""What is computed for the mask alone goes along, with its comment."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        later = cols[None, :] > rows[:, None]
#+        # A row does not see what comes after it.
#+        seen = ~later & (cols[None, :] < N)
#+        s = tl.where(seen, s, float("-inf"))


# case: mask_is_read_again
# like: causal
"""The mask is read after the loop body's sum too, and stays where it is."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        seen = rows[:, None] >= cols[None, :]
#+        s = tl.where(seen, s, float("-inf"))
#         acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
#+        acc = acc + tl.sum(tl.where(seen, 0.0, 1.0), 1)[:, None] * 0.0


# case: masked_off_first
# like: causal
"""The tile is the last argument; any of two conditions masks off."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where((cols[None, :] > rows[:, None]) | (cols >= N)[None, :], float("-inf"), s)


# case: difference
# like: causal
"""A window: both ends of a difference, and a scalar with a name of its own."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        here = tl.program_id(0) * BM
#+        s = tl.where((rows[:, None] - cols[None, :] < 48) & (cols[None, :] <= rows[:, None]), s, float("-inf"))


# case: tail
# like: causal
"""The last tile alone; nothing shows that N is no float, which may be NaN."""
#-    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
#+    for start in range(0, tl.cdiv(N, BN) * BN, BN):
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where(cols[None, :] < N, s, float("-inf"))


# case: below_a_constexpr
# like: causal
"""A branch of the compiler's around it."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        if BM > 1:
#+            s = tl.where(rows[:, None] >= cols[None, :], s, -1.0e9)


# case: multiplied
# like: causal
"""Positions that are multiplied by what is positive, less a number."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where(rows[:, None] * 2 + 1 > 2 * cols[None, :] - 1, s, float("-inf"))


# case: two_masks
# like: causal
"""One after the other: each has its branch."""
#         s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where(cols[None, :] < N, s, float("-inf"))


# case: assumed_integers
# like: causal
"""The compiler unrolls the loop."""
#-    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
#+    for start in tl.static_range(0, 64, BN):
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where(cols[None, :] < N, s, float("-inf"))


# case: more_lines
# like: causal
"""Over several lines, with comments."""
#-        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
#+        s = tl.where(
#+            rows[:, None] >= cols[None, :],  # causal
#+            s,
#+            float("-inf"),
#+        )


# case: strictly_below
"""What is added to the last column is taken from it as well."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rows[:, None] >= cols[None, :] + 1, s, 0.0)
        acc += tl.dot(s.to(v.dtype), v)
    tl.store(Out + rows[:, None] * D + dims[None, :], acc, mask=rows[:, None] < N)
# shared: attend


# case: one_line
# like: strictly_below
"""Statements that share a line get lines of their own."""
#-    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
#+    for start in range(0, N, BN):
#-        s = tl.dot(q, k) * scale
#-        s = tl.where(rows[:, None] >= cols[None, :] + 1, s, 0.0)
#+        # scores
#+        s = tl.dot(q, k); s = tl.where(rows[:, None] >= cols[None, :], s, 0.0); s *= scale  # scaled


# case: loop_in_one_line
"""So do those of a loop in one line."""


@triton.jit
def kernel(Q, K, V, Out, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims, cols = tl.arange(0, D), tl.arange(0, BN)
    q = tl.load(Q + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N, other=0.0)
    k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < N, other=0.0)
    total = tl.zeros([BM, 1], tl.float32)
    for i in range(0, N): s = tl.dot(q, k); s = tl.where(rows[:, None] > cols[None, :] + i, s, 0.0); total += tl.sum(s, 1, keep_dims=True)
    tl.store(Out + rows[:, None] * D + dims[None, :], total, mask=rows[:, None] < N)
# shared: attend
