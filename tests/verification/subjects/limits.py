"""What the plainest call does not come to: numbers for tensors, limits that are left out, a sum
that hands over to that of all, a function called like another one's parameter."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * y, mask=mask)


@triton.jit
def scaled_by_number_kernel(x_ptr, y, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * y, mask=mask)


def scaled(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 16),)
    if isinstance(y, torch.Tensor):
        scaled_kernel[grid](x, y, out, n, BLOCK=16)
    else:
        scaled_by_number_kernel[grid](x, y, out, n, BLOCK=16)
    return out


@triton.jit
def between_kernel(x_ptr, low, high, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.minimum(tl.maximum(x, low), high), mask=mask)


@triton.jit
def above_kernel(x_ptr, low, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.maximum(tl.load(x_ptr + offsets, mask=mask), low), mask=mask)


@triton.jit
def below_kernel(x_ptr, high, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.minimum(tl.load(x_ptr + offsets, mask=mask), high), mask=mask)


def clipped(x, low=None, high=None):
    if low is None and high is None:
        raise ValueError("one limit at least")
    out = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 16),)
    if high is None:
        above_kernel[grid](x, low, out, n, BLOCK=16)
    elif low is None:
        below_kernel[grid](x, high, out, n, BLOCK=16)
    else:
        between_kernel[grid](x, low, high, out, n, BLOCK=16)
    return out


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(sums, axis=0))


@triton.jit
def rows_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + row, tl.sum(sums, axis=0))


def total(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(3, dtype=torch.float32, device=x.device)
    total_kernel[(3,)](x, out, x.numel(), BLOCK=16)
    return out


def rows(x: torch.Tensor):
    if x.is_sparse:
        return total(x.values())
    m, n = x.shape
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    rows_kernel[(m,)](x.contiguous(), out, n, BLOCK=16)
    return out


@triton.jit
def threshold_kernel(x_ptr, out_ptr, threshold, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(x > threshold, x, 0.0), mask=mask)


@triton.jit
def threshold_backward_kernel(g_ptr, x_ptr, out_ptr, threshold, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    g = tl.load(g_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.where(x > threshold, g, 0.0), mask=mask)


def threshold(x: torch.Tensor, limit: float):
    out = torch.empty_like(x)
    n = x.numel()
    threshold_kernel[(triton.cdiv(n, 16),)](x.contiguous(), out, limit, n, BLOCK=16)
    return out


def threshold_backward(g: torch.Tensor, x: torch.Tensor, threshold: float):
    out = torch.empty_like(x)
    n = x.numel()
    g, x = g.contiguous(), x.contiguous()
    threshold_backward_kernel[(triton.cdiv(n, 16),)](g, x, out, threshold, n, BLOCK=16)
    return out
