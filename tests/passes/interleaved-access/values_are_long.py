# verify: no, it was run once, and others like it run
"""With a cast each, what is stored is too long for a line."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one = tl.load(X + 2 * k, mask=k < n)
    other = tl.load(X + 2 * k + 1, mask=k < n)
    tl.store(Out + 2 * k, tl.minimum(one, other), mask=k < n)
    tl.store(Out + 2 * k + 1, tl.maximum(one, other), mask=k < n)


# tritonopt: x: f32[n, 2]
def run(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    n = x.shape[0]
    out = torch.empty_like(x) if out is None else out
    kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
