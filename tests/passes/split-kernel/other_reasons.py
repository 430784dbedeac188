import torch
import triton
import triton.language as tl


# case: left_early
# expect: not applied, early-exit
"""Some programs end early."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    if row == 1:
        return
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


# case: evaluated_twice
# expect: not applied, not-expressible
"""What the launch passes is another thing the second time."""


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
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor, sizes):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), next(sizes), BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: nothing_left_in_a_branch
# expect: not applied, not-expressible
"""A branch would have nothing to do in one part."""


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

    if row % 2 == 0:
        tl.store(DX + row * stride, scale)
    else:
        tl.atomic_add(DW + cols, x * dy, mask=mask)


# tritonopt: x: f32[m, n], dy: f32[m, n], w: f32[n]
def launch(x: torch.Tensor, dy: torch.Tensor, w: torch.Tensor):
    x, dy = x.contiguous(), dy.contiguous()
    m, n = x.shape
    dx = torch.empty_like(x)
    dw = torch.zeros(n, dtype=torch.float32, device=x.device)
    backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw


# case: tuned
# expect: not applied, unknown-decorator
"""A tuner chooses by the names of parameters."""


@triton.autotune(configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)], key=["N"], reset_to_zero=["DW"])
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


# case: launch_is_kept
# expect: not applied, unseen-launches
"""What the launch returns is launched again."""


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
    kept = backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx, dw, kept


# case: launched_out_of_sight
# expect: not applied, unseen-launches
"""Somebody else may launch it."""


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


KERNELS = [backward]


# case: volatile
# expect: not applied, volatile-load
"""A load sees what others have stored meanwhile."""


@triton.jit
def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    # What comes in.
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0, volatile=True).to(tl.float32)

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
