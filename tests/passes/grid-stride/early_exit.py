import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: helper_returns_early
# expect: not applied, early-exit
"""A call of what returns under a condition at run time compiles, but not in a loop."""


@triton.jit
def shifted(x, amount):
    if amount > 1:
        return x + amount
    else:
        return x - 1


@triton.jit
def twice(x, amount):
    return shifted(shifted(x, amount), amount)


@triton.jit
def kernel(x, out, n, amount, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offs, mask=offs < n)
    tl.store(out + offs, twice(values, amount), mask=offs < n)


def run(x: torch.Tensor, amount: int):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, amount, BLOCK=64)
    return out


# case: return_before_more_of_a_branch
# expect: not applied, early-exit
"""What the rest of the branch binds is used behind it."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if BLOCK > 32:
        last = pid + 1
        if last * BLOCK > n:
            return
        scale = 2.0
    else:
        scale = 1.0
    tl.store(out + offs, scale * tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run


# case: return_in_a_branch
# like: inline_assembly
# expect: not applied, early-exit
"""One of two branches leaves."""
#-    index = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], tl.int32, True, 1)
#-    offs = index * BLOCK + tl.arange(0, BLOCK) + 0 * pid
#+    offs = pid * BLOCK + tl.arange(0, BLOCK)
#+    if pid % 2 == 0:
#+        if n == 0:
#+            return
#+        offs += 0


# case: return_in_a_loop
# expect: not applied, early-exit
"""What a loop has come to ends the program."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    for step in tl.static_range(0, 4):
        if BLOCK < 4 * step:
            return
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + step, mask=offs < n)
# shared: run


# case: return_under_a_question
# like: return_in_a_loop
# expect: not applied, early-exit
"""The outer condition is known at run time only."""
#-    for step in tl.static_range(0, 4):
#-        if BLOCK < 4 * step:
#+    if n > 100:
#+        if pid == 0:
#+            tl.store(out + offs, 0.0, mask=offs < n)
#-        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + step, mask=offs < n)
#+    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


# case: returns_in_both_branches
# expect: not applied, early-exit
"""Nothing comes after both branches, but more stands there."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if pid == 0:
        tl.store(out + offs, 0.0, mask=offs < n)
        return
    else:
        tl.store(out + offs, 1.0, mask=offs < n)
        return
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run
