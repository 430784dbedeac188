import torch
import triton
import triton.language as tl


# case: arguments_change_the_count
# like: launcher_lists_its_names
# expect: not applied, not-expressible
"""What the launch passes binds the name that its grid reads again."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#-    return y, sorted(locals())
#+    k = m * 1
#+    kernel[lambda meta: (k * 1 + 0,)](x, y, (k := x.stride(0)), n, BLOCK=triton.next_power_of_2(n))
#+    return y


# case: comment_in_the_way
# expect: not applied, not-expressible
"""The mask would stand behind a comment."""


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + row * stride + cols  # all of it
    )
    tl.store(Y + row, tl.sum(x))


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    kernel[(x.shape[0],)](x, y, x.stride(0), BLOCK=16)
    return y


# case: launcher_lists_its_names
# expect: not applied, not-expressible
"""The launcher sees every name that it binds."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, sorted(locals())


# case: without_the_name_triton
# expect: not applied, not-expressible
"""The file imports from Triton what it needs, and has no `triton`."""

import torch
from triton import jit, next_power_of_2
from triton import language as tl


@jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=next_power_of_2(n))
    return y
