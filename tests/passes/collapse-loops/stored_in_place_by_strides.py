# expect: missed dependence-between-iterations
"""In place, with strides that may be 0: an element may be doubled twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_c, stride_h, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    for n in range(N):
        for h in range(H):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
                tl.store(X + c * stride_c + n * stride_n + h * stride_h + w, 2.0 * x, mask=w < W)


# tritonopt: x: f32[n, c, h, w]
def run(x: torch.Tensor):
    n, c, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(c,)](x, y, n, h, w, x.stride(0), x.stride(1), x.stride(2), BLOCK=16)
    return x
