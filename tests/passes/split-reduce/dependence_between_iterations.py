import torch
import triton
import triton.language as tl


# tritonopt: x: f32[2, c, n], w: f32[c]
def launch(x: torch.Tensor, w: torch.Tensor):
    m, c, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, w, c, n, BLOCK=16)
    return y


# case: second_sweep_gathered
# expect: not applied, dependence-between-iterations
"""Where a turn stores is loaded: two turns may store to one element."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + x.to(tl.int32) + cols, x - largest, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_nested_before
# expect: not applied, dependence-between-iterations
"""A channel begins one element before its own, which the channel before has last."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            pixel -= 1
            offsets = row * size + channel * pixels + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)
# shared: launch


# case: second_sweep_nested_beyond
# expect: not applied, dependence-between-iterations
"""A channel stores one element more than it has, which the next one has first."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * pixels + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels + 1)
# shared: launch


# case: second_sweep_nested_either
# expect: not applied, dependence-between-iterations
"""A mask that holds beyond the channel as well."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * pixels + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=(pixel < pixels) | (channel == 0))
# shared: launch


# case: second_sweep_nested_half
# expect: not applied, dependence-between-iterations
"""Two channels share a half of what they store."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * (pixels // 2) + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)
# shared: launch


# case: second_sweep_nested_unmasked
# expect: not applied, dependence-between-iterations
"""The last tile of a channel goes on into the next one."""


@triton.jit
def kernel(X, Y, W, channels, pixels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = channels * pixels
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, size, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * size + offsets, mask=offsets < size, other=0.0).to(tl.float32)
        acc += x * x
    scale = 1 / tl.sqrt(tl.sum(acc, axis=0) / size + 1e-5)
    for channel in range(channels):
        w = tl.load(W + channel)
        for start in range(0, pixels, BLOCK):
            pixel = start + tl.arange(0, BLOCK)
            offsets = row * size + channel * pixels + pixel
            x = tl.load(X + offsets, mask=pixel < pixels, other=0.0).to(tl.float32)
            tl.store(Y + offsets, x * scale * w, mask=offsets < (row + 1) * size)
# shared: launch


# case: second_sweep_overlapping
# expect: not applied, dependence-between-iterations
"""Each turn stores to half of what the turn before has stored."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + start // 2 + tl.arange(0, BLOCK), x - largest, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_stored_again
# expect: not applied, dependence-between-iterations
"""Behind the second loop somebody stores once more to what other parts may store to later."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
    last = tl.load(Y + row * stride + N - 1)
    tl.store(Y + row * stride, last)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_to_one_place
# expect: not applied, dependence-between-iterations
"""Of all turns the last one is to win."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + tl.arange(0, BLOCK), x - largest, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_twice
# expect: not applied, dependence-between-iterations
"""One turn stores where the next one has stored."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
        tl.store(Y + row * stride + cols + BLOCK, largest, mask=cols + BLOCK < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
