import torch
import triton
import triton.language as tl


# case: another_row_loads_it
# expect: not applied, dependence-between-iterations
"""No two iterations of a row share an element, but the next row loads what this one's last stored."""


@triton.jit
def kernel(X, m):
    for r in range(m):
        for i in range(50):
            x = tl.load(X + r * 101 + 2 * i - 3)
            tl.store(X + r * 101 + 2 * i, x + 1.0)


def run(x: torch.Tensor):
    kernel[(1,)](x[3:], x.numel() // 101 - 1)
    return x


# case: histogram_by_hand
# expect: not applied, dependence-between-iterations
"""A count that is loaded and stored again."""


@triton.jit
def kernel(X, Counts, n):
    for i in range(n):
        x = tl.load(X + i)
        tl.store(Counts + x, tl.load(Counts + x) + 1)


# case: maybe_one_buffer
# expect: not applied, dependence-between-iterations
"""What is read and what is stored may be one buffer, at other places."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n - 1):
        tl.store(Y + i, tl.load(X + i + 1))


# case: parts_of_one_tensor
# expect: not applied, dependence-between-iterations
"""A launch passes two parts of one tensor, one element apart."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n - 1):
        tl.store(Y + i, tl.load(X + i) + 1)


def run(x: torch.Tensor):
    kernel[(1,)](x, x[1:], x.numel())
    return x


# case: recurrence_in_memory
# expect: not applied, dependence-between-iterations
"""An iteration loads what the one before has stored."""


@triton.jit
def kernel(X, n):
    for i in range(1, n):
        tl.store(X + i, tl.load(X + i) + tl.load(X + i - 1))


# case: rows_that_overlap
# expect: not applied, dependence-between-iterations
"""The next row may come to elements of this one, in other lanes."""


@triton.jit
def kernel(X, Y, m, n, stride):
    for r in range(m):
        for i in range(n):
            tl.store(Y + r * stride + i, tl.load(X + r * n + i))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(1,)](x, y, m, n, n)
    return y


# case: same_element_each_time
# expect: not applied, dependence-between-iterations
"""Every iteration stores to one element; the last one wins."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y, tl.load(X + i))


# case: same_value_that_is_read
# expect: not applied, dependence-between-iterations
"""All iterations store one value, which a later one may read."""


@triton.jit
def kernel(X, Index, Y, n):
    for i in range(n):
        j = tl.load(Index + i)
        x = tl.load(X + i)
        tl.store(X + j, 0)
        tl.store(Y + i, x)


# case: scattered
# expect: not applied, dependence-between-iterations
"""The index of a store is loaded, and two may be the same."""


@triton.jit
def kernel(X, Index, Y, n):
    for i in range(n):
        tl.store(Y + tl.load(Index + i), tl.load(X + i))


# case: shifted
# expect: not applied, dependence-between-iterations
"""An iteration loads what a later one stores."""


@triton.jit
def kernel(X, n):
    for i in range(n - 1):
        tl.store(X + i, tl.load(X + i + 1))


# case: stores_that_meet
# expect: not applied, dependence-between-iterations
"""Two stores of an iteration: the later iteration's first comes after the earlier one's second."""


@triton.jit
def kernel(Y, n):
    for i in range(n):
        tl.store(Y + i, i)
        tl.store(Y + i + 1, -i)


# case: stride_of_nothing
# expect: not applied, dependence-between-iterations
"""The stride is a parameter that may be 0."""


@triton.jit
def kernel(X, Y, n, stride):
    for i in range(n):
        tl.store(Y + i * stride, tl.load(X + i))


# case: wrapped_store
# expect: not applied, dependence-between-iterations
"""The index wraps around."""


@triton.jit
def kernel(X, Y, n, k: tl.constexpr):
    for i in range(n):
        tl.store(Y + i % k, tl.load(X + i))
