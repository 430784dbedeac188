"""The grid has just as many programs as there are whole blocks; the other side is written first."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, Y, numel, factor, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(index >= numel, 0, index)
    # True if every lane is below numel, so that no lane is masked off.
    safe = tl.max_contiguous(tl.multiple_of(safe, BLOCK), BLOCK)
    tl.store(Y + index, tl.load(X + safe) * factor, mask=index < numel)


# tritonopt: x: f32[n]
def scaled(x: torch.Tensor):
    x = x[:20].repeat(32)
    numel = x.numel()
    assert not numel % 32

    def grid(meta):
        return (triton.cdiv(numel, meta["BLOCK"]),)

    y = torch.empty_like(x)
    scale_kernel[grid](x, y, numel, 0.5, BLOCK=32)
    return y
