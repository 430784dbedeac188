import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out


# case: buffer_of_a_match
# expect: not applied, data-may-change
"""`case w` binds the name to what the launcher allocated."""


@triton.jit
def kernel(W, Out, n):
    for i in range(n):
        tl.store(Out + i, tl.load(W) + i)


def run(w, n):
    out = torch.zeros(n)
    match out:
        case w:
            kernel[(1,)](w, out, n)
    return out


# case: buffer_of_the_caller
# expect: not applied, data-may-change
"""The caller passes the output, and may pass the weights for it."""
# shared: kernel


def run(x, w, out, flag=1):
    m, n = x.shape
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)


# case: decorator_passes_others
# expect: not applied, data-may-change
"""What stands above the kernel passes the output for the input too."""


class InPlace:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return lambda x, y, n: self.fn[grid](y, y, n)


@InPlace
@triton.jit
def kernel(x, y, n):
    for i in range(0, n):
        first = tl.load(x)
        tl.store(y + i, first + i)


def run(x: torch.Tensor):
    y = torch.ones_like(x)
    kernel[(1,)](x, y, x.numel())
    return y


# case: gathered_rows
# expect: not applied, data-may-change
"""The rows that a descriptor gathers come from memory, and the loop stores into them."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, m, stride):
    table = tl.make_tensor_descriptor(Out, [m, 16], [stride, 1], [1, 16])
    rows = tl.arange(0, 8)
    for i in range(n):
        found = table.gather(rows, 0)
        tl.store(Out + i * stride, tl.sum(tl.sum(found, axis=1), axis=0))


# case: integers_and_an_output
# expect: not applied, data-may-change
"""What is loaded is an index, so an integer; but a store converts what it stores, so nothing says
that the output is no tensor of integers, and then it may be that tensor."""


@triton.jit
def gather_kernel(X, Index, Out, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        row = tl.load(Index + tl.program_id(0))
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n).to(tl.float32)
        tl.store(Out + tl.program_id(0) * n + cols, x, mask=cols < n)


def gather(x: torch.Tensor, index: torch.Tensor, out: torch.Tensor):
    gather_kernel[(index.numel(),)](x, index, out, x.shape[1], BLOCK=64)


# case: kernel_escapes
# expect: not applied, data-may-change
"""Who else launches the kernel is not known."""
# shared: kernel
# shared: run


KERNELS = {"scale": kernel}


# case: other_flag_stores_it
# expect: not applied, data-may-change
"""Another flag lets the loop store what this one reads."""


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, UPDATES: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            x += tl.load(B + cols, mask=mask, other=0.0)
        if UPDATES:
            tl.store(B + cols, x, mask=mask)
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, b is not None, UPDATES=False, BLOCK=triton.next_power_of_2(n))
    return out


# case: parts_of_one_tensor
# expect: not applied, data-may-change
"""What is loaded and what is stored are parts of one tensor that the launcher made."""


@triton.jit
def scale_kernel(X, W, Y, rows, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        w = tl.load(W + cols, mask=cols < n)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Y + row * n + cols, x * w, mask=cols < n)


def scale(x: torch.Tensor):
    rows, n = x.shape
    y = torch.empty(rows * n + 1)
    later = y[1:]
    scale_kernel[(4,)](x, y[:-1], later, rows, n, BLOCK=64)
    return y


# case: stored_in_the_loop
# like: volatile
# expect: not applied, data-may-change
"""The loop stores what it reads again."""
#-        x *= tl.load(W + row, volatile=True)
#+        x += tl.load(Out + row)


# case: stored_through_a_choice
# expect: not applied, data-may-change
"""Which buffer the loop stores to depends on an argument."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = Out if flag > 0 else W
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n) * tl.load(W + row)
        tl.store(place + row * n + cols, x, mask=cols < n)
# shared: run
