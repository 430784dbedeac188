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
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_tile = tl.load(X + first_cols, mask=first_cols < N, other=0.0, eviction_policy="evict_last")
    shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    _shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        tile = tl.load(X + cols, mask=cols < N, other=0.0, eviction_policy="evict_last")
        _mean += tile
        deviation = tl.where(cols < N, tile - shift, 0.0)
        _shifted += deviation
        _var += deviation * deviation
    mean = tl.sum(_mean, axis=0) / N
    tl.store(Mean + row, mean)

    # Second sweep: this one may throw its lines away.
    shifted_sum = tl.sum(_shifted, axis=0)
    m2 = tl.sum(_var, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(Rstd + row, 1 / tl.sqrt(m2 / N + eps))


# tritonopt: x: f32[m, n]
def stats(x: torch.Tensor, eps: float = 1e-5):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty((m,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((m,), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, mean, rstd, x.stride(0), n, eps, BLOCK=64)
    return mean, rstd
