import torch
import triton
import triton.language as tl


# case: nothing_is_masked
"""Whole tiles, without a mask."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k)
    odd = tl.load(X + 2 * k + 1)
    tl.store(Y + 2 * k, odd)
    tl.store(Y + 2 * k + 1, even)


def run(x: torch.Tensor):
    n = x.numel() // 64 * 32
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(n // 32,)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: odd_before_even
# like: in_one_expression
"""The second element is loaded, and stored, first."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask)
#+    tl.store(Y + 2 * k + 1, even, mask=mask)
#+    tl.store(Y + 2 * k, odd, mask=mask)


# case: offset_divided_by_a_number
"""An assigned name is a tensor, which is divided toward zero: the offset is 0, not -1."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    w = 4 - 5
    cols = tl.arange(0, BLOCK)
    mask = cols < N // 2
    a = tl.load(X + row * N + w // 3 + 2 * cols, mask=mask, other=0.0)
    b = tl.load(X + row * N + w // 3 + 2 * cols + 1, mask=mask, other=0.0)
    tl.store(Y + row * BLOCK + cols, a * b)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, 64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=64)
    return y


# case: offsets_of_64_bits
# like: policies_differ
"""What was computed in 64 bits stays so, the bound of the mask too."""
#-    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#+    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
#-
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#+    even = tl.load(X + 2 * k, mask=mask)


# case: pointers_have_a_name
# like: in_one_expression
"""The address of the first element is a name."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    first = X + 2 * k
#+    target = Y + k * 2
#+    even = tl.load(first, mask=mask)
#+    odd = tl.load(first + 1, mask=mask)
#+    tl.store(target, odd, mask=mask)
#+    tl.store(target + 1, even, mask=mask)


# case: policies_stay
# like: in_one_expression
"""Hints to the cache that both have."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask, other=0.0, eviction_policy="evict_first")
#+    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0, eviction_policy="evict_first")
#+    tl.store(Y + k, even + odd, mask=mask, cache_modifier=".cs")


# case: rotary_rows
"""Several rows at once: the mask has a part for the rows."""


@triton.jit
def kernel(X, A, Y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, BLOCK)
    mask = (rows < m)[:, None] & (k < n)[None, :]
    angle = tl.load(A + rows[:, None] * n + k[None, :], mask=mask, other=0.0)
    at = rows[:, None] * (2 * n) + 2 * k[None, :]
    even = tl.load(X + at, mask=mask, other=0.0)
    odd = tl.load(X + at + 1, mask=mask, other=0.0)
    tl.store(Y + at, even * tl.cos(angle) - odd * tl.sin(angle), mask=mask)
    tl.store(Y + at + 1, even * tl.sin(angle) + odd * tl.cos(angle), mask=mask)


def run(x: torch.Tensor):
    m, n = x.shape[0], min(x.shape[1] // 2, 32)
    x = x[:, : 2 * n].contiguous()
    angles = torch.linspace(0.0, 1.0, m * n, device=x.device).view(m, n)
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4),)](x, angles, y, m, n, ROWS=4, BLOCK=32)
    return y


# case: second_name_is_read_before
# like: policies_differ
"""The name of the second load is another value until then."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#+    odd = k * 0.5
#+    even = tl.load(X + 2 * k, mask=mask)
#+    even = even + odd
#-    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
#+    y = torch.empty(n, dtype=torch.float32, device=x.device)


# case: start_outside_of_the_product
"""The start of the tile is doubled by itself."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = tl.arange(0, BLOCK)
        at = row * 2 * n + start * 2 + cols * 2
        even = tl.load(X + at, mask=start + cols < n, other=0.0)
        odd = tl.load(X + at + 1, mask=start + cols < n, other=0.0)
        tl.store(Y + row * n + start + cols, even - odd, mask=start + cols < n)


def run(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x[:, : 2 * n].contiguous()
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: value_changes_in_between
# like: policies_differ
"""What is stored first has another name by the time of the second."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#+    even = tl.load(X + 2 * k, mask=mask)
#-    tl.store(Y + k, even + odd, mask=mask)
#+    out = even + odd
#+    tl.store(Y + 2 * k, out, mask=mask)
#+    out = even - odd
#+    tl.store(Y + 2 * k + 1, out, mask=mask)


# case: values_are_long
# verify: no, it was run once, and others like it run
"""With a cast each, what is stored is too long for a line."""


@triton.jit
def kernel(X, Out, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one = tl.load(X + 2 * k, mask=k < n)
    other = tl.load(X + 2 * k + 1, mask=k < n)
    tl.store(Out + 2 * k, tl.minimum(one, other), mask=k < n)
    tl.store(Out + 2 * k + 1, tl.maximum(one, other), mask=k < n)


# tritonopt: x: f32[n, 2]
def run(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    n = x.shape[0]
    out = torch.empty_like(x) if out is None else out
    kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out


# case: values_of_two_types
# like: one_number_for_all
"""What is stored is cast to the type of the tensor, as each store did."""
#     even = tl.load(X + 2 * k, mask=mask)
#+    odd = tl.load(X + 2 * k + 1, mask=mask).to(tl.float32) * 0.5
#-    tl.store(Y + 2 * k + 1, 0.0, mask=mask)
#+    tl.store(Y + 2 * k + 1, odd, mask=mask)
