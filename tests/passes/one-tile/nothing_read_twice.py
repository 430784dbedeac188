import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: another_program_writes
# expect: not applied, nothing-read-twice
"""After the atomic other programs may have written to the row."""


@triton.jit
def kernel(X, Y, Lock, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    tl.atomic_add(X, 1.0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


def run(x: torch.Tensor, lock: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, lock, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: barrier_in_between
# expect: not applied, nothing-read-twice
"""The row is changed by other programs, which a barrier waits for."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    tl.store(X, rstd)
    tl.debug_barrier()
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: masked_lanes_are_computed
# expect: not applied, nothing-read-twice
"""What the second loop fills in is computed, and goes into a maximum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x * x
    mean = tl.sum(total, axis=0) / N
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=mean).to(tl.float32)
        largest = tl.maximum(largest, x)
    tl.store(Y + tl.program_id(0), tl.max(largest, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: may_be_one_buffer
# expect: not applied, nothing-read-twice
"""What is stored between may be the row, as far as the launch shows it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x, mask=cols < N)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))


# case: other_elements
# expect: not applied, nothing-read-twice
"""The second loop reads every other element."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + 2 * cols, mask=2 * cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: other_mask
# expect: not applied, nothing-read-twice
"""The second loop reads the row but for its last element."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N - 1, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: stored_in_place
# expect: not applied, nothing-read-twice
"""The first loop stores to the row that the second one reads."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(X + cols, x + 1.0, mask=cols < N)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: volatile_load
# expect: not applied, nothing-read-twice
"""The row is read each time on purpose."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run
