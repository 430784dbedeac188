# options: elements=64
"""All arguments are passed, so that a dictionary can hold options of the launch only."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    options = {}
    if x.device.type == "xpu":
        options["grf_mode"] = "large"
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n), **options)
    return y
