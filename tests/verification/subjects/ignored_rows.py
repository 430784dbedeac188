"""The mean over rows of a logarithm of exponentials; some rows are ignored, some are all -inf."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(
    x, bias, labels, out, stride, n, ignored, BIASED: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n, other=-float("inf"))
    if BIASED:
        v += tl.load(bias + cols, mask=cols < n, other=0.0)
    largest = tl.max(v, axis=0)
    largest = tl.where(largest == -float("inf"), 0.0, largest)
    found = largest + tl.log(tl.sum(tl.exp(v - largest), axis=0) + 1.0)
    tl.store(out + row, tl.where(tl.load(labels + row) == ignored, 0.0, found))


# tritonopt: x: f32[m, n], labels: i64[m] in 0..7, bias: f32[n] | None, ignored: 3|-100
def mean_of_rows(x, labels, bias=None, ignored=-100):
    m, n = x.shape
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    counted = max(int((labels != ignored).sum()), 1)
    block = triton.next_power_of_2(n)
    rows_kernel[(m,)](x, bias, labels, out, x.stride(0), n, ignored, bias is not None, BLOCK=block)
    return out / counted
