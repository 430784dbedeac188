import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: bound_is_a_fraction
# expect: not applied, opaque-value
"""Half a pair is below the bound of all elements, none below that of pairs."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=k < tl.sqrt(7.0), other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=k < tl.sqrt(7.0), other=0.0)
    tl.store(Y + k, even + odd, mask=k < n)
# shared: run


# case: bound_is_half_of_a_number
# expect: not applied, opaque-value
"""Lane 2 is below 2.5, and so are both of its elements; element 5 is not below 5.0."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k * 1.0 < n * 0.5
    even = tl.load(X + 2 * k, mask=mask, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0)
    tl.store(Y + k, even + odd, mask=k < n // 2)


def run(x: torch.Tensor):
    n = x.numel() // 2 * 2
    y = torch.empty(n // 2, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x.contiguous(), y, n - 1, BLOCK=32)
    return y


# case: mask_is_loaded
# expect: not applied, opaque-value
"""Which lanes count stands in memory."""


@triton.jit
def kernel(X, M, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    keep = tl.load(M + k, mask=mask, other=0) > 0
    even = tl.load(X + 2 * k, mask=mask & keep, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask & keep, other=0.0)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor, m: torch.Tensor):
    n = m.numel()
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x, m, y, n, BLOCK=32)
    return y


# case: mask_of_one_lane_in_three
# like: policies_differ
# expect: not applied, opaque-value
"""The lanes are not compared, but divided."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    chosen = k % 3 == 0
#+    even = tl.load(X + 2 * k, mask=mask & chosen, other=0.0)
#+    odd = tl.load(X + 2 * k + 1, mask=mask & chosen, other=0.0)


# case: mask_of_the_even_element
# expect: not applied, opaque-value
"""With an odd number the last odd element is behind the end, and is read nevertheless."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = 2 * k < n
    even = tl.load(X + 2 * k, mask=mask, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0)
    tl.store(Y + k, even + odd, mask=mask)
# shared: run


# case: mask_without_one_lane
# like: policies_differ
# expect: not applied, opaque-value
"""`k != n`: of each pair, not of each element."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask & (k != 5), other=0.0)
#+    odd = tl.load(X + 2 * k + 1, mask=mask & (k != 5), other=0.0)


# case: mask_of_the_first_element
# like: mask_up_to_and_with
# expect: not applied, opaque-value
"""Both are masked by the even element, and their number is even."""
#-    mask = (k <= n - 1) & (k > 0)
#-    even = tl.load(X + 2 * k, mask=mask, other=0.0)
#-    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0)
#+    even = tl.load(X + 2 * k, mask=2 * k < 2 * n, other=0.0)
#+    odd = tl.load(X + 2 * k + 1, mask=2 * k < 2 * n, other=0.0)
