"""The mean is stored between the sweeps. Its buffer comes fresh from `torch.empty` in the only
launcher, so the store cannot touch the data of the second sweep."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        _mean += tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_last")
    mean = tl.sum(_mean, axis=0) / N
    tl.store(Mean + row, mean)

    # Second sweep: this one may throw its lines away.
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_first")
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    tl.store(Rstd + row, 1 / tl.sqrt(tl.sum(_var, axis=0) / N + eps))


# tritonopt: x: f32[m, n]
def stats(x: torch.Tensor, eps: float = 1e-5):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty((m,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((m,), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, mean, rstd, x.stride(0), n, eps, BLOCK=64)
    return mean, rstd
