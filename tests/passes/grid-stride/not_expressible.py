import torch
import triton
import triton.language as tl


# case: guard_on_a_number
# expect: not applied, not-expressible
"""Triton has no `not` of a number, and the flag may be of any type."""


@triton.jit
def kernel(x, skip, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    flag = tl.load(skip + pid)
    if flag:
        return
    cols = tl.arange(0, BLOCK)
    tl.store(out + pid * n + cols, tl.load(x + pid * n + cols, mask=cols < n), mask=cols < n)


def run(x: torch.Tensor, skip: torch.Tensor):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, skip, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: guard_with_an_effect
# expect: not applied, not-expressible
"""The condition counts, and nothing comes after the return."""


@triton.jit
def kernel(x, counter, limit):
    pid = tl.program_id(0)
    tl.store(x + pid, 1.0)
    if tl.atomic_add(counter, 1) > limit:
        return


def run(x: torch.Tensor, counter: torch.Tensor):
    kernel[(x.numel(),)](x, counter, 5)


# case: nothing_but_a_guard
# expect: not applied, not-expressible
"""A tile that does nothing needs no loop."""


@triton.jit
def kernel(x, limit):
    pid = tl.program_id(0)
    if pid >= limit:
        return


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x, 3)


# case: returns_for_a_number
# like: return_in_a_loop
# expect: not applied, not-expressible
"""A number is no answer to yes or no."""
#-    for step in tl.static_range(0, 4):
#-        if BLOCK < 4 * step:
#+    if BLOCK > 32:
#+        if pid & 6:
#+            tl.store(out + offs, 0.0, mask=offs < n)
#-        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + step, mask=offs < n)
#+    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


# case: second_axis_after_an_effect
# like: grid_with_effects
# expect: not applied, not-expressible
# options: axis=1
"""What stands before the axis in the grid would be evaluated after it."""
#-    pid = tl.program_id(0)
#+    pid = tl.program_id(1)
#-    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
#+    kernel[(next(sizes), next(sizes))](x, out, n, BLOCK=64)


# case: statements_that_share_lines
# expect: not applied, not-expressible
"""Part of a line would move."""


@triton.jit
def kernel(x, step):
    place = step * tl.program_id(0); step = step + 1
    tl.store(x + place, step)


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x, 1)
