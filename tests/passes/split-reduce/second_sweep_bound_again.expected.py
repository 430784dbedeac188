# options: turns=2
"""After the second loop a name of it stands for something else."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    X,
    Y,
    W,
    Rstd,
    stride,
    N,
    eps,
    BLOCK: tl.constexpr,
    partials=None,
    SPLITS: tl.constexpr = 1,
):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, tl.sum(squares, axis=0))
        return
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    # The row again, from the cache.
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask)
        tl.store(Y + cols, x * rstd * w, mask=mask)
    cols = row
    tl.store(Rstd + cols, rstd)


@triton.jit
def kernel_final(
    partials, X, Y, W, Rstd, stride, N, eps, BLOCK: tl.constexpr, SPLITS: tl.constexpr
):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    parts = row * SPLITS + tl.arange(0, SPLITS)
    squares = tl.load(partials + parts)
    split = tl.program_id(1)
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    # The row again, from the cache.
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask)
        tl.store(Y + cols, x * rstd * w, mask=mask)
    cols = row
    if split == 0:
        tl.store(Rstd + cols, rstd)


def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6):
    m, n = x.shape
    y = torch.empty_like(x)
    rstd = torch.empty(m, dtype=torch.float32, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 64) // 2)
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x,
        y,
        w,
        rstd,
        x.stride(0),
        n,
        eps,
        BLOCK=64,
        num_warps=2,
        partials=partials,
        SPLITS=splits,
    )
    if splits > 1:
        kernel_final[(m, splits)](
            partials,
            x,
            y,
            w,
            rstd,
            x.stride(0),
            n,
            eps,
            BLOCK=64,
            SPLITS=splits,
            num_warps=2,
        )
    return y, rstd
