import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: cast_from_a_wider_type
# expect: not applied, reduction-is-cast
"""A tile of fp64 cannot be added to an accumulator of fp32."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x.to(tl.float64), axis=0).to(tl.float32)
    tl.store(Y + row, acc)
# shared: run


# case: cast_to_an_integer
# expect: not applied, reduction-is-cast
"""The sum of each tile is cut off to an integer."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0).to(tl.int32)
    tl.store(Y + row, acc)
# shared: run


# case: narrow_cast
# expect: not applied, reduction-is-cast
"""The sum of each tile is rounded to bf16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=0).to(tl.bfloat16)
    tl.store(Y + row, acc)
# shared: run


# case: summed_in_another_type
# expect: not applied, reduction-is-cast
"""The tile is made fp32 by the sum only, and may be fp64."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        acc += tl.sum(x, axis=0, dtype=tl.float32)
    tl.store(Y + row, acc)
# shared: run
