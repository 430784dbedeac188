import torch
import triton
import triton.language as tl


# case: has_an_else
# like: asserted
# verify: no, without_else is verified, and is copied alike
"""There is more than one way."""
#-            tl.device_assert(n < 100)

#             tl.store(Extra + row * n + cols, x, mask=cols < n)
#+        else:
#+            x = -x


# case: atomic
# like: asserted
# expect: not applied, compiler-knows
"""Nothing waits for an atomic whose result is not used, nor for a store."""
#-            tl.device_assert(n < 100)
#-            tl.store(Extra + row * n + cols, x, mask=cols < n)
#+            tl.atomic_add(Extra + row * n + cols, x, mask=cols < n)


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


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros(m, n, device=x.device)
    extra = torch.zeros(m, n, device=x.device)
    kernel[(m,)](x, out, extra, n, flag, BLOCK=16)
    return out, extra


# case: block_pointer
# like: asserted
# verify: no, without_else is verified, and is copied alike
"""A block pointer is made for the store."""
#-        if flag > 0:
#-            tl.device_assert(n < 100)
#-            tl.store(Extra + row * n + cols, x, mask=cols < n)
#+        if row > flag:
#+            block = tl.make_block_ptr(Extra, (n,), (1,), (start,), (BLOCK,), (0,))
#+            tl.store(block, x, boundary_check=(0,))


# case: volatile
# like: asserted
# verify: no, without_else is verified, and is copied alike
"""A volatile load is one that happens."""
#-        if flag > 0:
#-            tl.device_assert(n < 100)
#-            tl.store(Extra + row * n + cols, x, mask=cols < n)
#+        if row > flag:
#+            now = tl.load(X + row * n, volatile=True)
#+            tl.store(Extra + row * n + cols, x + now, mask=cols < n)


# case: number_as_condition
# like: asserted
# expect: not applied, compiler-knows
"""A store alone: the compiler masks it."""
#-        if flag > 0:
#-            tl.device_assert(n < 100)
#-            tl.store(Extra + row * n + cols, x, mask=cols < n)
#+        if flag:
#+            tl.store(Extra + row * n, start)
#         tl.store(Out + row * n + cols, x, mask=cols < n)
#+        tl.store(Extra + row * n + cols, x, mask=(cols < n) & (cols > 0))
