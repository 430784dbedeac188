"""Group norm: statistics over a group of neighboring channels, weights per channel.

In a contiguous NCHW tensor a group is one run of memory, so its statistics need a single
loop. The last sweep goes channel by channel, because each has a weight of its own.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    groups,
    channels_per_group,
    pixels,
    eps,
    BLOCK: tl.constexpr,
):
    image = tl.program_id(0)
    group = tl.program_id(1)
    size = channels_per_group * pixels
    base = (image * groups + group) * size
    lanes = tl.arange(0, BLOCK)

    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + lanes
        mask = offsets < size
        sums += tl.load(x_ptr + base + offsets, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(sums) / size

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + lanes
        mask = offsets < size
        x = tl.load(x_ptr + base + offsets, mask=mask, other=0.0).to(tl.float32)
        deviation = x - mean
        squares += tl.where(mask, deviation * deviation, 0.0)
    rstd = tl.rsqrt(tl.sum(squares) / size + eps)

    for index in range(channels_per_group):
        channel = group * channels_per_group + index
        weight = tl.load(weight_ptr + channel).to(tl.float32)
        bias = tl.load(bias_ptr + channel).to(tl.float32)
        for start in range(0, pixels, BLOCK):
            pixel = start + lanes
            offsets = base + index * pixels + pixel
            x = tl.load(x_ptr + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            y = (x - mean) * rstd * weight + bias
            tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=pixel < pixels)


# tritonopt: x: f32[2, 4, 3, w], weight: f32[4], bias: f32[4]
def group_norm(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    groups: int = 2,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Normalize each of `groups` equal groups of channels in every image."""
    n, c, h, w = x.shape
    if c % groups:
        raise ValueError(f"{c} channels do not split into {groups} groups")
    x = x.contiguous()
    y = torch.empty_like(x)
    per_group = c // groups
    block = min(1024, triton.next_power_of_2(max(per_group * h * w, 16)))
    group_norm_kernel[(n, groups)](x, y, weight, bias, groups, per_group, h * w, eps, BLOCK=block)
    return y


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for n, c, h, w, groups in [(1, 2, 1, 1, 1), (2, 6, 5, 7, 3), (3, 8, 17, 19, 2)]:
        x = torch.randn(n, c, h, w, device=device) + 4
        weight = torch.randn(c, device=device)
        bias = torch.randn(c, device=device)
        y = group_norm(x, weight, bias, groups)
        expected = torch.nn.functional.group_norm(x, groups, weight, bias)
        torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)
    print(f"group_norm agrees with torch on {device}")


if __name__ == "__main__":
    main()
