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
    for start in range(0, N, BLOCK):
        # whole blocks but for the last
        cols = start + tl.arange(0, BLOCK)

        x = tl.load(X + cols, mask=cols < N, other=0.0)  # padding: 0
        acc += x
        # end of the first loop
    mean = tl.sum(acc, axis=0) / N  # μ

    # -- variance -------------------------------------------------------
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        # padding lanes would deviate by μ
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    tl.store(Out + row, tl.sum(acc2, axis=0) / N)  # σ²


# tritonopt: x: f32[m, n]
def var(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty(x.shape[0], device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
