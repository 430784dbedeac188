"""Batch norm in training: statistics of each channel over images, rows and columns.

One program owns one channel and walks n, h and w in nested loops, once for the mean,
once for the variance and once to normalize.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def batch_norm_kernel(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    var_ptr,
    N,
    H,
    W,
    stride_n,
    stride_c,
    stride_h,
    eps,
    BLOCK_W: tl.constexpr,
):
    channel = tl.program_id(0)
    x_ptr += channel * stride_c
    y_ptr += channel * stride_c
    count = N * H * W

    total = 0.0
    for n in range(N):
        for h in range(H):
            for w_start in range(0, W, BLOCK_W):
                w = w_start + tl.arange(0, BLOCK_W)
                offsets = n * stride_n + h * stride_h + w
                x = tl.load(x_ptr + offsets, mask=w < W, other=0.0).to(tl.float32)
                total += tl.sum(x, axis=0)
    mean = total / count

    squares = 0.0
    for n in range(N):
        for h in range(H):
            for w_start in range(0, W, BLOCK_W):
                w = w_start + tl.arange(0, BLOCK_W)
                offsets = n * stride_n + h * stride_h + w
                x = tl.load(x_ptr + offsets, mask=w < W, other=0.0).to(tl.float32)
                d = tl.where(w < W, x - mean, 0.0)
                squares += tl.sum(d * d, axis=0)
    var = squares / count

    tl.store(mean_ptr + channel, mean)
    tl.store(var_ptr + channel, var)

    scale = tl.load(weight_ptr + channel).to(tl.float32) / tl.sqrt(var + eps)
    shift = tl.load(bias_ptr + channel).to(tl.float32) - mean * scale
    for n in range(N):
        for h in range(H):
            for w_start in range(0, W, BLOCK_W):
                w = w_start + tl.arange(0, BLOCK_W)
                offsets = n * stride_n + h * stride_h + w
                x = tl.load(x_ptr + offsets, mask=w < W, other=0.0).to(tl.float32)
                y = x * scale + shift
                tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=w < W)


# tritonopt: x: f32[2, 3, h, w], weight: f32[3], bias: f32[3]
def batch_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Normalize each channel of an NCHW tensor; also give its mean and its biased variance."""
    n, c, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    mean = torch.empty(c, dtype=torch.float32, device=x.device)
    var = torch.empty(c, dtype=torch.float32, device=x.device)
    block_w = min(1024, triton.next_power_of_2(max(w, 16)))
    batch_norm_kernel[(c,)](
        x,
        y,
        weight,
        bias,
        mean,
        var,
        n,
        h,
        w,
        x.stride(0),
        x.stride(1),
        x.stride(2),
        eps,
        BLOCK_W=block_w,
    )
    return y, mean, var


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for n, c, h, w in [(1, 1, 1, 2), (2, 3, 5, 7), (3, 2, 4, 33)]:
        x = torch.randn(n, c, h, w, device=device) * 2 - 5
        weight = torch.randn(c, device=device)
        bias = torch.randn(c, device=device)
        y, mean, var = batch_norm(x, weight, bias)
        expected = torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True)
        torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(mean, x.mean(dim=(0, 2, 3)), rtol=1e-4, atol=1e-4)
        biased = x.var(dim=(0, 2, 3), correction=0)
        torch.testing.assert_close(var, biased, rtol=1e-4, atol=1e-4)
    print(f"batch_norm agrees with torch on {device}")


if __name__ == "__main__":
    main()
