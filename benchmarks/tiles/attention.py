"""Attention with the keys in a loop, and with all keys of a window in one block.

Of the first two, the second divides by the sum in each iteration, not once after the loop. In the
third, the loop over tiles is the only loop around a matrix product.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, n, scale,
    D: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    lanes = tl.arange(0, D)
    base = head * n * D
    places = base + rows[:, None] * D + lanes[None, :]
    q = tl.load(q_ptr + places, mask=rows[:, None] < n, other=0.0)
    largest = tl.full([ROWS], -1e30, dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    acc = tl.zeros([ROWS, D], dtype=tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * ROWS)
    for start in range(0, end, COLS):
        cols = start + tl.arange(0, COLS)
        there = base + cols[:, None] * D + lanes[None, :]
        k = tl.load(k_ptr + there, mask=cols[:, None] < n, other=0.0)
        v = tl.load(v_ptr + there, mask=cols[:, None] < n, other=0.0)
        scores = tl.where(cols[None, :] < n, tl.dot(q, tl.trans(k)) * scale, -1e30)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= cols[None, :], scores, -1e30)
        new = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - new[:, None])
        shrink = tl.exp(largest - new)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = acc * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
        largest = new
    tl.store(out_ptr + places, (acc / total[:, None]).to(q.dtype), mask=rows[:, None] < n)


@triton.jit
def mean_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, n, scale,
    D: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    lanes = tl.arange(0, D)
    base = head * n * D
    places = base + rows[:, None] * D + lanes[None, :]
    q = tl.load(q_ptr + places, mask=rows[:, None] < n, other=0.0)
    largest = tl.zeros([ROWS], dtype=tl.float32) - float("inf")
    total = tl.zeros([ROWS], dtype=tl.float32)
    acc = tl.zeros([ROWS, D], dtype=tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * ROWS)
    for start in range(0, end, COLS):
        cols = start + tl.arange(0, COLS)
        there = base + cols[:, None] * D + lanes[None, :]
        k = tl.load(k_ptr + there, mask=cols[:, None] < n, other=0.0)
        v = tl.load(v_ptr + there, mask=cols[:, None] < n, other=0.0)
        scores = tl.where(cols[None, :] < n, tl.dot(q, tl.trans(k)) * scale, -1e30)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= cols[None, :], scores, -1e30)
        of_tile = tl.max(scores, axis=1)
        new = tl.maximum(largest, of_tile)
        weights = tl.exp(scores - of_tile[:, None])
        shrink = tl.exp(largest - new)
        share = tl.exp(of_tile - new)
        grown = total * shrink + tl.sum(weights, axis=1) * share
        weights = weights * (share / grown)[:, None]
        acc = acc * (total / grown * shrink)[:, None]
        acc += tl.dot(weights.to(v.dtype), v)
        total = grown
        largest = new
    tl.store(out_ptr + places, acc.to(q.dtype), mask=rows[:, None] < n)


@triton.jit
def window_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, D: tl.constexpr, WINDOW: tl.constexpr):
    window = tl.program_id(0).to(tl.int64)
    rows = tl.arange(0, WINDOW)
    places = window * WINDOW * D + rows[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + places)
    k = tl.load(k_ptr + places)
    v = tl.load(v_ptr + places)
    scores = tl.dot(q, tl.trans(k)) * scale
    weights = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    out = tl.dot(weights.to(v.dtype), v) / tl.sum(weights, axis=1)[:, None]
    tl.store(out_ptr + places, out.to(q.dtype))


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: int = 0) -> torch.Tensor:
    """Of tensors of shape (heads, n, d)."""
    heads, n, d = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(n, 128), heads)
    attention_kernel[grid](
        q, k, v, out, n, d**-0.5, D=d, ROWS=128, COLS=64, CAUSAL=causal, num_warps=8, num_stages=3
    )
    return out


def mean_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: int = 0
) -> torch.Tensor:
    """Of tensors of shape (heads, n, d)."""
    heads, n, d = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(n, 128), heads)
    mean_kernel[grid](
        q, k, v, out, n, d**-0.5, D=d, ROWS=128, COLS=64, CAUSAL=causal, num_warps=8, num_stages=3
    )
    return out


def window_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Each window of 128 of them by itself, of tensors of shape (windows, 128, d)."""
    windows, width, d = q.shape
    out = torch.empty_like(q)
    window_kernel[(windows,)](q, k, v, out, d**-0.5, D=d, WINDOW=width, num_warps=8, num_stages=3)
    return out
