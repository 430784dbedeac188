import torch
import triton
import triton.language as tl


# case: another_branch
# expect: silent
"""The two kernels never run one behind the other."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor, whole: bool):
    m, n = x.shape
    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)
    y = torch.zeros(n, dtype=torch.float32, device=x.device)
    if whole:
        partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    elif n > 4:
        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y, p
