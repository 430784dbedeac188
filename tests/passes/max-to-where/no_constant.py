import torch
import triton
import triton.language as tl


# case: constant_parameter
# like: boolean_constant
# expect: not applied, no-constant
"""The bound is a constexpr parameter: it may be NaN or -0.0."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, LOW: tl.constexpr, BLOCK: tl.constexpr):
#-    y = tl.maximum(x, True)
#+    y = tl.maximum(x, LOW)
#-    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
#+    kernel[(triton.cdiv(n, 32),)](x, y, n, -1.0, BLOCK=32)


# case: helper_with_another_constant
# expect: not applied, no-constant
"""The call of the helper has the operation of its maximum, but not its operands."""


@triton.jit
def clamped(x, least):
    return tl.maximum(x, least + 1.0)


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = clamped(x, 0.0)
    tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: tile_of_zeros
# like: boolean_constant
# expect: not applied, no-constant
"""The zeros are a tile of a type of its own, which the result would take on."""
#-    y = tl.maximum(x, True)
#+    zero = tl.zeros([BLOCK], dtype=tl.float64)
#+    y = tl.maximum(x, zero)


# case: two_operands
# like: boolean_constant
# expect: not applied, no-constant
"""Both operands may be NaN: `tl.maximum` gives the other one, `tl.where(x > w, x, w)` a NaN in w."""
#-    y = tl.maximum(x, True)
#+    w = x * 0.5 - 1.0
#+    y = tl.maximum(x, w)
