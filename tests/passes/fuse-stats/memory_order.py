import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: atomic_counter
# expect: not applied, memory-order
"""An atomic on a counter of its own orders the sweeps against other programs."""


@triton.jit
def kernel(X, Counter, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.atomic_add(Counter, 1)
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    counter = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, counter, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: barrier_inside
# expect: not applied, memory-order
"""A barrier stands inside the first loop."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
        tl.debug_barrier()
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: debug_barrier
# expect: not applied, memory-order
"""A barrier stands between the loops. Somebody ordered memory there."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.debug_barrier()
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: dependent_launch
# expect: not applied, memory-order
"""The second loop waits for the kernel before it, by programmatic dependent launch: until then
the data is not final."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.extra.cuda.gdc_wait()
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64, launch_pdl=True)
    return var, mean


# case: inline_assembly
# expect: not applied, memory-order
"""Inline assembly that is not pure stands between the loops; it may do anything."""


@triton.jit
def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    tl.inline_asm_elementwise(
        "membar.gl; mov.b32 $0, $1;", "=r,r", [row], dtype=tl.int32, is_pure=False, pack=1
    )
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
# shared: var_mean


# case: lock_between
# expect: not applied, memory-order
"""The program takes a lock between the loops and releases it at the end, as in the backward pass
of the tutorial."""


@triton.jit
def kernel(X, Lock, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
    tl.atomic_xchg(Lock, 0)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, lock, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
