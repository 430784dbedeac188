# verify: no, it was run once, and others like it run
"""With a cast each, what is stored is too long for a line."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, BLOCK: tl.constexpr):
    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < 2 * n
    one_other = tl.load(X + pairs, mask=pairs_mask)
    one, other = tl.split(tl.reshape(one_other, (BLOCK, 2)))
    tl.store(
        Out + pairs,
        tl.interleave(
            tl.minimum(one, other).to(Out.dtype.element_ty),
            tl.maximum(one, other).to(Out.dtype.element_ty),
        ),
        mask=pairs_mask,
    )


# tritonopt: x: f32[n, 2]
def run(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    n = x.shape[0]
    out = torch.empty_like(x) if out is None else out
    kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
