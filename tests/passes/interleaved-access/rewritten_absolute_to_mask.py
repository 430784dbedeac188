import torch
import triton
import triton.language as tl


# case: absolute_value
# like: in_one_expression
"""Only loads come in pairs; their offsets are still needed for the store."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    real = tl.load(X + 2 * k, mask=mask, other=0.0).to(tl.float32)
#+    imag = tl.load(X + 2 * k + 1, mask=mask, other=0.0).to(tl.float32)
#+    tl.store(Y + k, tl.sqrt(real * real + imag * imag), mask=mask)
#-    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
#+    y = torch.empty(n, dtype=torch.float32, device=x.device)


# case: added_to_buckets
"""Both of a pair are added to memory that programs share."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    even = tl.load(X + 2 * cols, mask=mask, other=0.0)
    odd = tl.load(X + 2 * cols + 1, mask=mask, other=0.0)
    tl.atomic_add(Y + cols, even, mask=mask)
    tl.atomic_max(Y + N + cols, odd, mask=mask)


def launch(x: torch.Tensor):
    n = x.shape[0] // 2
    y = torch.zeros(2 * n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y


# case: cast_by_the_kernel
# verify: no, it was run once, and others like it run
"""What is stored is cast to the type of the buffer already, and to one type."""


@triton.jit
def kernel(X, Y, C, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    real = tl.load(X + 2 * k, mask=k < n, other=0.0)
    imag = tl.load(X + 2 * k + 1, mask=k < n, other=0.0)
    c = tl.load(C + k, mask=k < n, other=0.0)
    tl.store(Y + 2 * k, (real * c).to(Y.dtype.element_ty), mask=k < n)
    tl.store(Y + 2 * k + 1, (imag * c).to(Y.dtype.element_ty), mask=k < n)


# tritonopt: x: f32[n, 2], c: f32[n]
def run(x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    y = torch.empty(n, 2, dtype=torch.float16, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x, y, c, n, BLOCK=64)
    return y


# case: comments_stay
# like: in_one_expression
"""Comments behind statements that go stand above what comes."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    # Both halves of a number.
#+    real = tl.load(X + 2 * k, mask=mask)  # the real part
#+    imag = tl.load(X + 2 * k + 1, mask=mask)  # the imaginary part
#+    tl.store(Y + 2 * k, imag, mask=mask)  # swapped
#+    tl.store(Y + 2 * k + 1, real, mask=mask)


# case: conjugate
# like: in_one_expression
"""Complex numbers, loaded and stored in halves."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    base = k * 2
#+    real = tl.load(X + base, mask=mask)
#+    imag = tl.load(X + base + 1, mask=mask)
#+    tl.store(Y + base, real, mask=mask)
#+    tl.store(Y + base + 1, -imag, mask=mask)


# case: four_elements
"""Quaternions: every fourth element, four times."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    a = tl.load(X + 4 * k, mask=mask, other=0.0)
    b = tl.load(X + 4 * k + 1, mask=mask, other=0.0)
    c = tl.load(X + 4 * k + 2, mask=mask, other=0.0)
    d = tl.load(X + 4 * k + 3, mask=mask, other=0.0)
    tl.store(Y + 4 * k, a, mask=mask)
    tl.store(Y + 4 * k + 1, -b, mask=mask)
    tl.store(Y + 4 * k + 2, -c, mask=mask)
    tl.store(Y + 4 * k + 3, -d, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 4
    y = torch.empty(4 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: in_a_loop
"""A program goes over its row, tile by tile."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        k = start + tl.arange(0, BLOCK)
        mask = k < n
        even = tl.load(X + row * 2 * n + 2 * k, mask=mask, other=0.0)
        odd = tl.load(X + row * 2 * n + 2 * k + 1, mask=mask, other=0.0)
        tl.store(Y + row * 2 * n + 2 * k, odd, mask=mask)
        tl.store(Y + row * 2 * n + 2 * k + 1, even, mask=mask)


def run(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x[:, : 2 * n].contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: in_one_expression
"""Both loads stand in one statement, and have no names."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
    tl.store(Y + k, total, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: in_place
"""Rotated in place: both are loaded before one is stored."""


@triton.jit
def kernel(X, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(X + 2 * k, -odd, mask=mask)
    tl.store(X + 2 * k + 1, even, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    kernel[(triton.cdiv(n, 32),)](x, n, BLOCK=32)
    return x


# case: in_two_branches
"""Each branch stores its pairs: offsets are computed above both."""


@triton.jit
def kernel(X, Y, n, SWAP: tl.constexpr, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    if SWAP:
        tl.store(Y + 2 * k, odd, mask=mask)
        tl.store(Y + 2 * k + 1, even, mask=mask)
    else:
        tl.store(Y + 2 * k, even, mask=mask)
        tl.store(Y + 2 * k + 1, odd, mask=mask)


def run(x: torch.Tensor, swap: bool):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, SWAP=swap, BLOCK=32)
    return y


# case: mask_up_to_and_with
"""`k <= last` and `k > first`: whole pairs on both sides."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (k <= n - 1) & (k > 0)
    even = tl.load(X + 2 * k, mask=mask, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0)
    tl.store(Y + k, even - odd, mask=k < n)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
