"""As many programs as fit go through all rows."""

import torch
import triton
import triton.language as tl

@triton.jit
def norm(X, Y, stride, n_rows, N, eps, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(X + tl.cast(row, tl.int64) * stride + c, mask=c < N, other=0.0).to(tl.float32)
        r = tl.rsqrt(tl.sum(x * x, 0) / N + eps)
        tl.store(Y + tl.cast(row, tl.int64) * stride + c, x * r, mask=c < N)


def rms(x, eps=1e-6):
    d = x.shape[-1]
    x2 = x.reshape(-1, d)
    y = torch.empty_like(x2)
    norm[(132,)](x2, y, x2.stride(0), x2.shape[0], d, eps, BLOCK=triton.next_power_of_2(d))
    return y.reshape(x.shape)
