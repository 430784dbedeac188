import torch
import triton
import triton.language as tl


# case: along_the_first_axis
# expect: silent
"""The step is along the first axis of the tile; the last one has the rows."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    rows = tl.arange(0, 4)
    at = 2 * k[:, None] + rows[None, :] * (2 * BLOCK)
    even = tl.load(X + at)
    odd = tl.load(X + at + 1)
    tl.store(Y + k[:, None] + rows[None, :] * BLOCK, even + odd)


def run(x: torch.Tensor):
    y = torch.empty(4 * 32, dtype=x.dtype, device=x.device)
    kernel[(1,)](x[:256].contiguous(), y, 32, BLOCK=32)
    return y


# case: base_changes_in_between
# expect: silent
"""The name of the pointer is another one for the second load."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    X += 1
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: distance_is_two
# like: base_changes_in_between
# expect: silent
"""2k and 2k + 2: no two of them are neighbors."""
#-    X += 1
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#-    tl.store(Y + k, even + odd, mask=mask)
#+    next_even = tl.load(X + 2 * k + 2, mask=mask)
#+    tl.store(Y + k, even + next_even, mask=mask)


# case: every_third_element
# expect: silent
"""Three elements to a lane are no power of two."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    x = tl.load(X + 3 * k, mask=mask)
    y = tl.load(X + 3 * k + 1, mask=mask)
    z = tl.load(X + 3 * k + 2, mask=mask)
    tl.store(Y + k, x + y + z, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 3
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: halves_of_a_row
# like: in_one_expression
# expect: silent
"""The other layout of rotary embeddings: both halves are contiguous."""
#-    total = tl.load(X + 2 * k, mask=mask, other=1.0) * tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#-    tl.store(Y + k, total, mask=mask)
#+    first = tl.load(X + k, mask=mask)
#+    second = tl.load(X + n + k, mask=mask)
#+    tl.store(Y + k, -second, mask=mask)
#+    tl.store(Y + n + k, first, mask=mask)


# case: neighbors_by_a_rounding
# like: offset_divided_by_a_number
# expect: silent
"""As in Python the quotient were -1, and both loads neighbors; it is 0 where a name is divided."""
#-    mask = cols < N // 2
#-    a = tl.load(X + row * N + w // 3 + 2 * cols, mask=mask, other=0.0)
#-    b = tl.load(X + row * N + w // 3 + 2 * cols + 1, mask=mask, other=0.0)
#+    a = tl.load(X + row * N + w // 3 + 2 * cols)
#+    b = tl.load(X + row * N + 2 * cols)


# case: step_is_a_parameter
# expect: silent
"""A step that is not known to be 2."""


@triton.jit
def kernel(X, Y, n, s, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + s * k, mask=mask)
    odd = tl.load(X + s * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, 2, BLOCK=32)
    return y


# case: two_buffers
# expect: silent
"""Even elements of one tensor, odd ones of another."""


@triton.jit
def kernel(X, Z, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(Z + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor, z: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x, z, y, n, BLOCK=32)
    return y


# case: two_of_four
# expect: silent
"""Of four elements two are not read."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    a = tl.load(X + 4 * k, mask=mask)
    b = tl.load(X + 4 * k + 1, mask=mask)
    tl.store(Y + k, a + b, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 4
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: under_two_conditions
# like: base_changes_in_between
# expect: silent
"""The second load runs under a condition."""
#-    X += 1
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    odd = even
#+    if n > 5:
#+        odd = tl.load(X + 2 * k + 1, mask=mask)
