import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros(m, n, device=x.device)
    extra = torch.zeros(m, n, device=x.device)
    kernel[(m,)](x, out, extra, n, flag, BLOCK=16)
    return out, extra


# case: has_an_else
# verify: no, without_else is verified, and is copied alike
"""There is more than one way."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            tl.store(Extra + row * n + cols, x, mask=cols < n)
        else:
            x = -x
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: atomic
# verify: no, without_else is verified, and is copied alike
"""An atomic belongs to the branch."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            tl.atomic_add(Extra + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: asserted
# verify: no, without_else is verified, and is copied alike
"""What is asserted holds only there."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            tl.device_assert(n < 100)
            tl.store(Extra + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: divided
# verify: no, without_else is verified, and is copied alike
"""There is nothing to divide by where the branch does not hold."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            tl.store(Extra + row * n + cols % flag, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: read_later
# verify: no, without_else is verified, and is copied alike
"""What the branch binds is read after it."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            x = x * 2.0
            tl.store(Extra + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: sum_of_computed
# verify: no, without_else is verified, and is copied alike
"""Where x is infinite, 0 times x would be added."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            acc += tl.load(X + row * n + cols, mask=cols < n, other=0.0) * x
        tl.store(Out + row * n + cols, x, mask=cols < n)
    tl.store(Out + row * n + tl.arange(0, BLOCK), acc, mask=tl.arange(0, BLOCK) < n)


# shared: run


# case: sum_from_data
# verify: no, without_else is verified, and is copied alike
"""What is loaded may be -0.0, to which 0.0 must not be added."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            x += tl.load(X + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: sum_of_other
# verify: no, without_else is verified, and is copied alike
"""Lanes that are masked off add a one."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            acc += tl.load(X + row * n + cols, mask=cols < n, other=1.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)
    tl.store(Out + row * n + tl.arange(0, BLOCK), acc, mask=tl.arange(0, BLOCK) < n)


# shared: run


# case: passed_or_not
# verify: no, without_else is verified, and is copied alike
"""Where flag is 1, the compiler knows that the branch does not hold, and W may be None."""


@triton.jit
def kernel(X, Out, W, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag == 0:
            tl.store(W + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: block_pointer
# verify: no, without_else is verified, and is copied alike
"""A block pointer takes no mask."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            block = tl.make_block_ptr(Extra, (n,), (1,), (start,), (BLOCK,), (0,))
            tl.store(block, x, boundary_check=(0,))
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: mask_of_numbers
# verify: no, without_else is verified, and is copied alike
"""A mask of integers is not joined to a condition."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            tl.store(Extra + row * n + cols, x, mask=(cols < n).to(tl.int32))
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: reduced
# verify: no, without_else is verified, and is copied alike
"""A reduction is too much to compute where nothing asks for it."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            tl.store(Extra + row * n, tl.sum(x, axis=0))
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: many_accesses
# verify: no, without_else is verified, and is copied alike
"""Three accesses may repeat a condition, four may not."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            tl.store(Extra + row * n + cols, x, mask=cols < n)
            tl.store(Extra + row * n, start)
            tl.store(Extra + row * n + 1, start)
            tl.store(Extra + row * n + 2, start)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: volatile
# verify: no, without_else is verified, and is copied alike
"""A volatile load is one that happens."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            now = tl.load(X + row * n, volatile=True)
            tl.store(Extra + row * n + cols, x + now, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: a_number_or_none
# verify: no, without_else is verified, and is copied alike
"""Of a number that was not passed the compiler knows that it is not true; but it is not 0."""


@triton.jit
def kernel(X, Out, Extra, n, window, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if window:
            tl.store(Extra + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, window=None):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros(m, n, device=x.device)
    extra = torch.zeros(m, n, device=x.device)
    kernel[(m,)](x, out, extra, n, window, BLOCK=16)
    return out, extra
