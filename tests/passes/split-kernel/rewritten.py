import torch
import triton
import triton.language as tl


# case: atomic_sums
# verify: always
"""A row's gradient, and what it adds to that of the weights."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: branch_of_the_compiler
"""Only some launches want the sums."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr, SUMS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    if SUMS:
        tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n], sums: bool
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor, sums: bool):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n), SUMS=sums)
    return dx, dw


# case: grid_by_a_function
"""The grid asks for a parameter by its name, which both parts keep."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    grid = lambda meta: (triton.cdiv(m, meta["ROWS"]),)
    backward[grid](x, dy, w, dx, dw, x.stride(0), n, ROWS=1, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: least_as_well
"""The least of all elements, by an atomic, and a row that is stored."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    tl.atomic_min(DW, tl.min(tl.where(mask, x.to(tl.int32), 2147483647), axis=0))


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.full((1,), 2147483647, dtype=torch.int32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: moved_pointers
"""Pointers move, each in the part that needs it."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    # What comes in.
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: partial_results
"""Partial results that another kernel takes together."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)

    # The gradient of the row.
    scale = tl.sum(w * dy, axis=0) / N
    tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)

    # The gradient of the weights.
    tl.store(DW + row * N + cols, x * dy, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    dw = torch.empty(n, dtype=torch.float32, device=x.device)
    final[(triton.cdiv(n, 16),)](p, dw, m, n, ROWS=8, COLS=16)
    return dx, dw


# case: rows_of_a_program
"""Each program stores rows in a loop, and behind it what it has added up."""


@triton.jit
def backward(
    X,
    DY,
    W,  # one for each column
    DX,
    DW,
    stride,
    M,
    N,
    BLOCK: tl.constexpr,
):
    """Each program goes through some of the rows."""
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        scale = tl.sum(w * dy, axis=0) / N
        tl.store(DX + row * stride + cols, w * dy - scale, mask=mask)
        dw += x * dy
    tl.store(DW + tl.program_id(0) * N + cols, dw, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    programs = min(m, 3)
    dx = torch.empty_like(x)
    dw = torch.empty((programs, n), dtype=torch.float32, device=x.device)
    backward[(programs,)](
        x,
        dy,
        w,
        dx,
        dw,
        x.stride(0),
        m,
        n,
        BLOCK=triton.next_power_of_2(n),
        num_warps=4,
    )
    return dx, dw.sum(dim=0)
