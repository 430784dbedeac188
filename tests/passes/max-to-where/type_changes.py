import torch
import triton
import triton.language as tl


# case: annotated_half
# like: boolean_constant
# expect: not applied, type-changes
"""The parameter is annotated as a pointer to fp16."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X: "*fp16", Y, N, BLOCK: tl.constexpr):
#-    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#-    y = tl.maximum(x, True)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    y = tl.minimum(x, 2.0)
#+    y += 0.1
# def run(x: torch.Tensor):
#+    x = x.half()


# case: bfloat_by_the_launch
# like: boolean_constant
# expect: not applied, type-changes
"""The launch passes bf16: the maximum is fp32, and so are the products that follow."""
#-    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#-    y = tl.maximum(x, True)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    y = tl.maximum(x, 0.0)
#+    y = y * y + 1.0
# def run(x: torch.Tensor):
#+    x = x.to(torch.bfloat16)


# case: boolean_constant
# expect: not applied, type-changes
"""True is 1 to a comparison, and a tensor of one bit to `tl.maximum`."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(x, True)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y


# case: compared_with_an_inexact_number
# like: boolean_constant
# expect: not applied, type-changes
"""The result is compared with 3.1, which is another number in fp16 than in fp32."""
#-    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#-    y = tl.maximum(x, True)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    high = tl.maximum(x, 0.0)
#+    y = high >= 3.1
#-    y = torch.empty_like(x)
#+    x = x.half()
#+    y = torch.empty_like(x, dtype=torch.bool)


# case: constexpr_operand
# expect: not applied, type-changes
"""The compiler computes the maximum of a constexpr."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, LEAST: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols)
    tl.store(Y + cols, x * tl.maximum(LEAST, 0.0))


# case: double_and_a_tenth
# like: boolean_constant
# expect: not applied, type-changes
"""On fp64 the maximum is taken with 0.1 rounded to fp32, the comparison with 0.1 itself."""
#-    y = tl.maximum(x, True)
#+    wide = x.to(tl.float64)
#+    y = tl.maximum(wide, 0.1)


# case: half_by_a_cast
# like: boolean_constant
# expect: not applied, type-changes
"""On fp16 the maximum with a Python float is fp32, and what follows is computed in fp32."""
#-    y = tl.maximum(x, True)
#+    half = x.to(tl.float16)
#+    y = tl.maximum(half, 0.0) * 0.1


# case: half_by_an_assertion
# like: boolean_constant
# expect: not applied, type-changes
"""The launcher says that the data is fp16; 0.1 is another number there, so it matters even when the result is only stored."""
#-    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
#-    y = tl.maximum(x, True)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    y = tl.maximum(x, 0.1)
# def run(x: torch.Tensor):
#+    if x.dtype != torch.half:
#+        raise TypeError("half precision only")


# case: index
# like: boolean_constant
# expect: not applied, type-changes
"""An index: integers have no NaN, and nothing is gained."""
#-    y = tl.maximum(x, True)
#+    before = cols - 1
#+    index = tl.maximum(before, 0)
#+    y = tl.load(X + index, mask=mask)


# case: large_integer
# like: boolean_constant
# expect: not applied, type-changes
"""16777217 is not in fp32: which neighbor it becomes is up to each of the two forms."""
#-    y = tl.maximum(x, True)
#+    y = tl.maximum(x, 16777217)


# case: launched_in_a_case
# expect: not applied, type-changes
"""The launch stands in a `case`, where the tensor has become fp16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.maximum(x, 0.1)
    tl.store(Y + cols, y, mask=cols < N)


def run(x: torch.Tensor, mode: str):
    x = x.float()
    y = torch.empty_like(x)
    match mode:
        case "half":
            x = x.half()
            kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y


# case: tiny_constant
# like: boolean_constant
# expect: not applied, type-changes
"""1e-42 is no normal number of fp32: Triton makes an fp64 of it, and the maximum is fp64."""
#-    y = tl.maximum(x, True)
#+    y = tl.maximum(x, 1e-42)
