import torch
import triton
import triton.language as tl


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out


# case: flag_around_a_barrier
# expect: not applied, memory-order
"""The barrier may be compiled, and orders what is read."""


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, WAITS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            x += tl.load(B + cols, mask=mask, other=0.0)
        if WAITS:
            tl.debug_barrier()
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, b is not None, WAITS=False, BLOCK=triton.next_power_of_2(n))
    return out


# case: past_a_barrier
# expect: not applied, memory-order
"""What stands behind a barrier stays behind it."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.debug_barrier()
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)
# shared: run


# case: past_an_atomic
# expect: not applied, memory-order
"""An atomic on anything orders memory."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.atomic_add(Out + row, 1.0)
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)
# shared: run


# case: past_dependent_launch
# expect: not applied, memory-order
"""The weights may be written by the kernel that this one waits for."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.extra.cuda.gdc_wait()
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)
# shared: run


# case: past_inline_assembly
# expect: not applied, memory-order
"""Assembly may do anything."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        x = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=False, pack=1)
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)
# shared: run
