import torch
import triton
import triton.language as tl


# case: given_output
# expect: not applied, parts-share-memory
"""The outputs are the caller's, and may be what is read."""


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


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n], dx: f32[m, n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor, dx: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: in_place
# expect: not applied, parts-share-memory
"""The gradient of the row goes to where it came from."""


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
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dy, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dy, dw


# case: one_buffer_for_both
# expect: not applied, parts-share-memory
"""The sums lie behind the rows, in one buffer."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, M, N, BLOCK: tl.constexpr):
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
    tl.atomic_add(DX + M * stride + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.zeros((m + 1, n), dtype=x.dtype)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: reads_the_row_again
# expect: not applied, parts-share-memory
"""The second part reads what the first has stored."""


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
    dx = tl.load(DX + row * stride + cols, mask=mask, other=0.0)
    tl.atomic_add(DW + cols, dx * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: reads_the_sums
# expect: not applied, parts-share-memory
"""The row is scaled by what has been summed up so far."""


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
    tl.store(DX + row * stride + cols, w * dy - scale + tl.load(DW), mask=mask)

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
