import torch
import triton
import triton.language as tl


# case: forward
# expect: silent
"""What a norm stores of a row is no sum over rows."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=0) / N
    tl.store(DW + row, mean)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(DX + row * stride + cols, x - mean, mask=cols < N)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: only_rows
# expect: silent
"""There is nothing but rows."""


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



# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: only_sums
# expect: silent
"""There is nothing but sums."""


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
    tl.atomic_add(DW, scale)

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
