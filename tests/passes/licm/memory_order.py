import torch
import triton
import triton.language as tl


# case: flag_around_a_barrier
# like: other_flag_stores_it
# expect: not applied, memory-order
"""The barrier may be compiled, and orders what is read."""
#-def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, UPDATES: tl.constexpr, BLOCK: tl.constexpr):
#+def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, WAITS: tl.constexpr, BLOCK: tl.constexpr):
#-        if UPDATES:
#-            tl.store(B + cols, x, mask=mask)
#+        if WAITS:
#+            tl.debug_barrier()
#-    kernel[(2,)](x, b, out, m, n, b is not None, UPDATES=False, BLOCK=triton.next_power_of_2(n))
#+    kernel[(2,)](x, b, out, m, n, b is not None, WAITS=False, BLOCK=triton.next_power_of_2(n))


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


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out


# case: past_an_atomic
# like: past_a_barrier
# expect: not applied, memory-order
"""An atomic on anything orders memory."""
#-        tl.debug_barrier()
#+        tl.atomic_add(Out + row, 1.0)


# case: past_dependent_launch
# like: past_a_barrier
# expect: not applied, memory-order
"""The weights may be written by the kernel that this one waits for."""
#-        tl.debug_barrier()
#+        tl.extra.cuda.gdc_wait()


# case: past_inline_assembly
# like: past_a_barrier
# expect: not applied, memory-order
"""Assembly may do anything."""
#-        tl.debug_barrier()
#+        x = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=False, pack=1)
