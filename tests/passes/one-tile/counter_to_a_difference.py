# expect: missed not-expressible
# assume: end - begin <= BLOCK
"""Both ends may have 64 bits where the difference is small, and so has the counter then."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, begin, end, stride, BLOCK: tl.constexpr):
    X += tl.program_id(0) * stride
    Y += tl.program_id(0) * stride
    total = 0.0
    for start in range(0, end - begin, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < end - begin, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0)
    for start in range(0, end - begin, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < end - begin, other=0.0).to(tl.float32)
        hashed = (start + tl.arange(0, BLOCK)) * 65536 * 65536
        tl.store(Y + cols, x * total + hashed, mask=cols < end - begin)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    far = 2**40
    kernel[(m,)](x, y, far, far + n, n, BLOCK=triton.next_power_of_2(n))
    return y
