import torch
import triton
import triton.language as tl


# case: single_lanes_are_used
# like: logsumexp
# expect: not applied, accumulator-is-read
"""The sums of lanes are used as they are: with inf in a row only some of them are NaN."""
#-    s = 0.0
#+    sums = tl.zeros([BLOCK], dtype=tl.float32)
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-    tl.store(Y + row, m + tl.log(s))
#+        sums += tl.exp(x - m)
#+    tl.store(Y + row * BLOCK + tl.arange(0, BLOCK), sums)
#-    y = torch.empty(m, device=x.device)
#+    y = torch.empty((m, 16), device=x.device)


# case: integers
# expect: not applied, data-is-integer
"""The elements are integers."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -1000
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1000).to(tl.int32)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1000).to(tl.int32)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: stored_in_between
# like: logsumexp
# expect: not applied, data-may-change
"""The row is written between the sweeps."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    tl.store(X, m * 0.5)
#-    x = x.contiguous()
#+    x = x.clone()


# case: maximum_of_a_part
# like: logsumexp
# expect: not applied, different-elements
"""The maximum is of a part of the row."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, K, BLOCK: tl.constexpr):
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < K, other=-float("inf"))
#-    kernel[(m,)](x, y, n, BLOCK=16)
#+    kernel[(m,)](x, y, n, n // 2, BLOCK=16)


# case: other_range
# like: logsumexp
# expect: not applied, different-range
"""The sum leaves out the first tile."""
#     s = 0.0
#-    for start in range(0, N, BLOCK):
#+    for start in range(BLOCK, N, BLOCK):


# case: returns_in_between
# like: logsumexp
# expect: not applied, early-exit
"""A row whose maximum is small is left alone."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    if m < 0:
#+        return
#-    y = torch.empty(m, device=x.device)
#+    y = torch.zeros(m, device=x.device)


# case: negative_scale
# like: zeros_are_summed
# expect: not applied, factor-may-be-negative
"""The differences are multiplied by a negative number."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp((x - m) * -0.5), axis=0)


# case: sign_of_the_scale
# like: scaled
# expect: not applied, factor-may-be-negative
"""The maximum is taken before the elements are scaled, maybe by a negative number."""
#-        x = x * scale

#-        x *= scale
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp(x * scale - m * scale), axis=0)


# case: maximum_of_the_row_before
# like: rows_in_a_loop
# expect: not applied, maximum-is-changed
"""The sum is below the larger of this maximum and that of the row before."""
#-    for row in range(tl.program_id(0), M, tl.num_programs(0)):
#+    last = 0.0
#+    for row in range(0, M):
#-            s += tl.sum(tl.exp(x - m), axis=0)
#-        tl.store(Y + row, m + tl.log(s))
#+            s += tl.sum(tl.exp(x - tl.maximum(m, last)), axis=0)
#+        last = m
#+        tl.store(Y + row, s)
#-    kernel[(2,)](x, y, m, n, BLOCK=16)
#+    kernel[(1,)](x, y, m, n, BLOCK=16)


# case: rounded_maximum
# like: logsumexp
# expect: not applied, maximum-is-changed
"""The maximum is rounded before it is subtracted."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    top = m.to(tl.float16)
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp(x - top), axis=0)


# case: barrier_in_between
# like: logsumexp
# expect: not applied, memory-order
"""A barrier between the sweeps."""
#         m = tl.maximum(m, tl.max(x, axis=0))
#+    tl.debug_barrier()


# case: nan_is_kept
# like: logsumexp
# expect: not applied, nan-is-propagated
"""The maximum keeps NaN."""
#-        m = tl.maximum(m, tl.max(x, axis=0))
#+        m = tl.maximum(m, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)


# case: element_without_a_name
# like: least_of_the_maximum
# expect: not applied, not-expressible
"""What is exponentiated is computed in a step that would go."""
#         x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = x * 2.0
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-        t += tl.sum(tl.where(cols < N, tl.minimum(x, m), 0.0), axis=0)
#+        d = x * 2.0 - m
#+        t += tl.sum(tl.where(x > 1.0, 1.0, 0.0), axis=0)
#+        s += tl.sum(tl.exp(d), axis=0)


# case: one_sum_for_all_rows
# like: rows_of_a_tile
# expect: not applied, other-axes
"""A maximum for each row, and one sum over all of them."""
#-    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
#+    s = 0.0
#-        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
#-    tl.store(Y + rows, m + tl.log(s), mask=rows < M)
#+        s += tl.sum(tl.exp(x - m[:, None]))
#+    tl.store(Y + tl.program_id(0), s)


# case: other_axis
# like: rows_of_a_tile
# expect: not applied, other-axes
"""The maximum is that of a column, the sum that of a row."""
#-    m = tl.full([ROW_BLOCK], -float("inf"), dtype=tl.float32)
#+    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
#-        m = tl.maximum(m, tl.max(x, axis=1))
#+        m = tl.maximum(m, tl.max(x, axis=0))
#-        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
#-    tl.store(Y + rows, m + tl.log(s), mask=rows < M)
#+        s += tl.sum(tl.exp(x - m[None, :]), axis=1)
#+    tl.store(Y + rows, s, mask=rows < M)


# case: square_tile
# expect: not applied, other-axes
"""The maximum of a row is subtracted from a column: the tile is square."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    X += rows[:, None] * N
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[None, :]), axis=1)
    tl.store(Y + rows, s, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, BLOCK=16)
    return y


# case: pinned_rounding
# like: logsumexp
# expect: not applied, pinned-bits
"""The kernel matches the bits of another library."""
#-    tl.store(Y + row, m + tl.log(s))
#+    tl.store(Y + row, tl.math.div_rn(m, s))


# case: rounded_differently
# like: logsumexp
# expect: not applied, rounded-differently
"""The scale is applied in the type of the data, and in fp32 for the sum."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")) * 0.3
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32) * 0.3
#-# tritonopt: x: f32[m, n]
#+# tritonopt: x: f16[m, n]


# case: promised_order
# like: logsumexp
# expect: not applied, safety
"""The author promises that the order stays."""
#         cols = start + tl.arange(0, BLOCK)
#+        # Deterministic: tiles are summed from the first to the last.


# case: volatile_load
# like: logsumexp
# expect: not applied, volatile-load
"""The loads are volatile."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf"), volatile=True)
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf"), volatile=True)
