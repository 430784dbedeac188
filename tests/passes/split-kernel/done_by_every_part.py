import torch
import triton
import triton.language as tl


# case: barrier
# expect: not applied, done-by-every-part
"""The threads of a program wait for each other."""


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

    tl.debug_barrier()
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: below_a_lock
# expect: not applied, done-by-every-part
"""Programs add under a lock."""


@triton.jit
def backward(X, DY, W, DX, DW, Lock, stride, N, BLOCK: tl.constexpr):
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
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    dw = tl.load(DW + cols, mask=mask, other=0.0)
    tl.store(DW + cols, dw + x * dy, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, lock, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: helper_that_writes
# expect: not applied, done-by-every-part
"""A helper adds up."""


@triton.jit
def add(P, value, mask):
    tl.atomic_add(P, value, mask=mask)


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
    add(DW + cols, x * dy, mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: place_by_a_counter
# expect: not applied, done-by-every-part
"""Where a program stores its row is what the atomic gives."""


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
    place = tl.atomic_add(DW, 1.0)
    tl.store(DW + 1, place)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: printed
# expect: not applied, done-by-every-part
"""The kernel prints."""


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

    tl.device_print("row", row)
    tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw
