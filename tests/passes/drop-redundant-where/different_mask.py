import torch
import triton
import triton.language as tl


# case: causal
# like: exponential_of_zero
# expect: not applied, different-mask
"""The triangle of a causal mask is no mask of the loads."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(cols <= row, x * w, 0.0)


# case: mask_rebound
# like: exponential_of_zero
# expect: not applied, different-mask
"""The name of the mask is bound again before the condition."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    mask = mask & (cols != 3)
#+    value = tl.where(mask, x * w, 0.0)


# case: narrower_condition
# like: exponential_of_zero
# expect: not applied, different-mask
"""The condition leaves out a lane that the mask of the loads has."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(cols < N - 1, x * w, 0.0)


# case: one_load_has_another_mask
# like: exponential_of_zero
# expect: not applied, different-mask
"""The second load's mask lets more lanes through, whose weight is not 0 and whose x may be: 0 * inf."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    x = tl.load(X + row * N + cols, mask=mask & (cols > 0), other=0.0)
#+    w = tl.load(W + cols, mask=mask, other=0.0)
#+    value = tl.where(mask & (cols > 0), x * w, 0.0)


# case: rounded_condition
# expect: not applied, different-mask
"""The same sum in another order is another number in floating point, so that the masks may differ."""


@triton.jit
def kernel(X, W, OUT, N, t, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    inside = (t + t) + 0.1 > cols
    x = tl.load(X + row * N + cols, mask=inside & mask, other=0.0)
    w = tl.load(W + cols, mask=inside & mask, other=0.0)
    value = tl.where(t + (t + 0.1) > cols, x * w, 0.0)
    tl.store(OUT + row * N + cols, value, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, 5.0, BLOCK=triton.next_power_of_2(n))
    return out


# case: rows_are_not_masked
# expect: not applied, different-mask
"""The weights are masked along the columns only: in a row past the end they are not 0, and 0 * inf
is NaN."""


@triton.jit
def kernel(X, W, OUT, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
    value = tl.where(mask, x * w[None, :], 0.0)
    tl.store(OUT + cols, tl.sum(value, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(n, device=x.device)
    kernel[(1,)](x, w, out, m, n, ROWS=triton.next_power_of_2(m), BLOCK=triton.next_power_of_2(n))
    return out
