"""Windows line ends, comments in odd places, a non-ASCII one among them. What is not touched
stays byte for byte, and new lines end as the others do."""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(
    X,  # Eingabe, zeilenweise (größte Dimension außen)
    Out,
    N,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    X += row * N  # the row of this program

    # -- mean -----------------------------------------------------------
    acc = tl.zeros([BLOCK], dtype=tl.float32)  # fp32, whatever X is
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0)
    shift = tl.sum(first_x.to(tl.float32), axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        # whole blocks but for the last
        cols = start + tl.arange(0, BLOCK)

        x = tl.load(X + cols, mask=cols < N, other=0.0)  # padding: 0
        acc += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        acc2 += deviation * deviation
        # end of the first sweep
    mean = tl.sum(acc, axis=0) / N  # μ

    # -- variance -------------------------------------------------------
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(acc2, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tl.store(Out + row, m2 / N)  # σ²


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
