import torch
import triton
import triton.language as tl


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


# case: given_output
# expect: not applied, output-may-hold-something
"""The output is the caller's, and may be what the first kernel reads."""
# shared: partial
# shared: final


def launch(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    assert y.dtype == torch.float32
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: largest_among_zeros
# expect: not applied, output-may-hold-something
"""Where nothing is stored, the output holds 0."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.zeros(2, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: like_the_output
# expect: not applied, output-may-hold-something
"""Another tensor is made of the output before the launches."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    z = torch.empty_like(y)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y, z


# case: made_in_one_branch
# expect: not applied, output-may-hold-something
"""The output was made before, and is another one in a branch before the launches."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    if m > 1:
        y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: output_has_another_name
# expect: not applied, output-may-hold-something
"""Another name for the output is known before the launches."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    kept = [y]
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return kept[0]


# case: output_of_another_turn
# expect: not applied, output-may-hold-something
"""The output is made once, and the launches run in each turn of a loop."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    for _ in range(2):
        p = torch.empty((m, n), dtype=torch.float32, device=x.device)
        partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: output_of_ones
# expect: not applied, output-may-hold-something
"""Where nothing is stored, the output holds 1."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: output_used_before
# expect: not applied, output-may-hold-something
"""The first kernel is passed the output as well."""


@triton.jit
def partial(X, Bias, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    x += tl.load(Bias + cols, mask=mask, other=0.0)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.zeros(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, y, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: wants_a_gradient
# expect: not applied, output-may-hold-something
"""The output is a tensor of a graph."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, requires_grad=True, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y
