import torch
import triton
import triton.language as tl


# case: bound_across_a_return
# expect: not applied, name-is-bound-elsewhere
"""Triton asks for one type of what is bound before an `if` and again in it."""


@triton.jit
def kernel(x, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK
    if offs >= limit:
        return
    offs = offs + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, n // 2, BLOCK=64)
    return out


# case: bound_before_a_branch_that_leaves
# expect: not applied, name-is-bound-elsewhere
"""The branch that leaves gives a name another type."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    value = 0
    if pid == 0:
        value = tl.load(x + offs, mask=offs < n)
        tl.store(out + offs, value, mask=offs < n)
        return
    tl.store(out + offs, value, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: bound_in_an_unrolled_loop_before
# like: bound_in_an_unrolled_loop
# options: programs=2
# expect: not applied, name-is-bound-elsewhere
"""A name that an unrolled loop binds before the return is known after it, with its type."""
#     y = tl.load(x + row * n + cols, mask=cols < n)
#+    for power in tl.static_range(2):
#+        u = y + power
#+    tl.store(out + row * n + cols, u, mask=cols < n)
#-        for power in tl.static_range(2):
#-            u = y + power
#-        tl.store(out + row * n + cols, u, mask=cols < n)
#+        tl.store(count + row, 7)


# case: constexpr_in_a_loop
# like: warp_specialized
# expect: not applied, name-is-bound-elsewhere
"""A constexpr cannot be bound again by the next tile."""
#-    for i in tl.range(0, 2, warp_specialize=True):
#-        offs = pid * BLOCK + tl.arange(0, BLOCK) + 0 * i
#+    if pid >= 0:
#+        HALF: tl.constexpr = BLOCK // 2
#+        offs = pid * BLOCK + tl.arange(0, HALF)
