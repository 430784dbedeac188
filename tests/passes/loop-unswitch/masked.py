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


# case: store
"""What guards a store is a part of its mask."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row % 2 == 0:  # every other row
            # twice
            target = Extra + row * n + cols
            tl.store(target, x * 2.0, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: number_as_condition
"""A number is no mask, and a store of one element has none yet."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag:
            tl.store(Extra + row * n, start)
        tl.store(Out + row * n + cols, x, mask=cols < n)
        tl.store(Extra + row * n + cols, x, mask=(cols < n) & (cols > 0))


# shared: run


# case: load_and_store
"""A load under the branch reads nothing where it does not hold; the long line is broken."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag == 1 and row > 0:
            above = tl.load(X + (row - 1) * n + cols, mask=cols < n)
            tl.store(
                Extra + row * n + cols, above + x, mask=cols < n, eviction_policy="evict_first"
            )
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: sum_of_loads
"""A sum that begins with 0 takes zeros where the branch does not hold."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    total = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        if flag > 0:
            acc += tl.load(X + row * n + cols, mask=cols < n).to(tl.float32)
        if row == 1:
            x = tl.load(X + row * n + cols, cols < n, 0.0)
            acc += x * x
        if flag != 0:
            total += tl.load(X + row * n)
    cols = tl.arange(0, BLOCK)
    tl.store(Out + row * n + cols, acc + total, mask=cols < n)


# shared: run


# case: choice
"""What is chosen by a mask is chosen by a smaller one."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if not (row == flag):
            first = cols == 0
            x = tl.where(first, x * 0.5, x)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: never_known_to_be_passed
"""The compiler takes the number 1 for a constant, and the branch holds for it: it is always compiled."""


@triton.jit
def kernel(X, Out, W, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if flag > 0:
            tl.store(W + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run


# case: unrolled
"""A mask needs no loop: what could not move out of this one is masked."""


@triton.jit
def kernel(X, Out, Extra, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in tl.static_range(0, 32, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row > flag:
            tl.store(Extra + row * n + cols, x, mask=cols < n)
        tl.store(Out + row * n + cols, x, mask=cols < n)


# shared: run
