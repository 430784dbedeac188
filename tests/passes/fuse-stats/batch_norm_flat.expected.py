"""Batch norm statistics in two nested loops, images outside and a block of pixels inside, with
vector accumulators that live across both loops and an `N - 1` estimate beside the biased one."""

import torch
import triton
import triton.language as tl


@triton.jit
def bn_stats_kernel(
    x,
    mean_out,
    var_out,
    running_var_out,
    batch,
    spatial,
    stride_n,
    stride_c,
    BLOCK: tl.constexpr,
):
    channel = tl.program_id(0)
    base = x + channel * stride_c
    acc = tl.zeros([BLOCK], tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_pix = tl.arange(0, BLOCK)
    first_tile = tl.load(base + first_pix, mask=(first_pix < spatial) & (batch > 0), other=0.0)
    shift = tl.sum(first_tile.to(tl.float32), axis=0) / tl.maximum(tl.minimum(spatial, BLOCK), 1)
    acc2 = tl.zeros([BLOCK], tl.float32)
    shifted = tl.zeros([BLOCK], tl.float32)
    for b in range(0, batch):
        for s in range(0, spatial, BLOCK):
            pix = s + tl.arange(0, BLOCK)
            tile = tl.load(base + b * stride_n + pix, mask=pix < spatial, other=0.0)
            acc += tile
            deviation = tl.where(pix < spatial, tile - shift, 0.0)
            shifted += deviation
            acc2 += deviation * deviation
    count = batch * spatial
    mean = tl.sum(acc, axis=0) / count
    shifted_sum = tl.sum(shifted, axis=0)
    squared_deviations = tl.sum(acc2, axis=0) - shifted_sum * (shifted_sum / tl.maximum(count, 1))
    squared_deviations = tl.where(squared_deviations < 0.0, 0.0, squared_deviations)  # rounding may take it just below zero
    m2 = squared_deviations
    tl.store(mean_out + channel, mean)
    tl.store(var_out + channel, m2 / count)
    tl.store(running_var_out + channel, m2 / (count - 1))


# tritonopt: x: f32[3, 2, s]
def bn_stats(x: torch.Tensor):
    n, c, s = x.shape
    x = x.contiguous()
    mean, var, unbiased = (torch.empty(c, device=x.device) for _ in range(3))
    bn_stats_kernel[(c,)](x, mean, var, unbiased, n, s, x.stride(0), x.stride(1), BLOCK=32)
    return mean, var, unbiased
