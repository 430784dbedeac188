import torch
import triton
import triton.language as tl


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
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: lengths_in_a_dict
# options: raise_block=1024
# expect: not applied, arguments-are-not-seen
"""How long a tile is stands in a dictionary, where another number would not follow the row."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x - mean, mask=cols < N)


def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 1024
    y = torch.empty_like(x)
    meta = {"BLOCK": 64}
    kernel[(m,)](x, y, n, **meta)
    return y


# case: called_from_a_kernel
# expect: not applied, called-from-a-kernel
# options: longer_rows=branch
"""Another kernel calls this one, which a heuristic does not allow."""
# shared: kernel


@triton.jit
def both(X, Y, Z, N, BLOCK: tl.constexpr):
    kernel(X, Y, N, BLOCK)
    kernel(X, Z, N, BLOCK)
# shared: run


# case: breaks_off
# expect: not applied, early-exit
"""The first loop ends where a tile is large."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if tl.max(x, axis=0) > 9.0:
            break
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: returns_in_between
# expect: not applied, early-exit
"""The kernel may return between the loops."""


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
    if rstd > 1.0:
        return
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: length_is_bound_again
# expect: not applied, length-is-computed
# options: longer_rows=branch
"""The kernel makes the row shorter than the launch says."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    N = N - 1
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: length_is_loaded
# expect: not applied, length-is-computed
# options: longer_rows=branch
"""The length of the row is loaded."""


@triton.jit
def kernel(X, Y, Lengths, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    length = tl.load(Lengths + tl.program_id(0)).to(tl.int32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, lengths, n, BLOCK=32)
    return y


# case: a_tenth_less_a_tenth
# expect: not applied, length-matters
# options: raise_block=1024
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
        top += tl.sum(x - 0.1, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
        tl.store(Y + row * N + cols, x / top, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    assert 0 < n and n <= 1024
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: filled_with_a_tenth
# expect: not applied, length-matters
# options: raise_block=1024
"""A tenth is not the same number in bf16 as in fp32, in which the maximum starts with it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = 0.1
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1)
        top = tl.maximum(top, tl.max(x, axis=0))
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1)
        tl.store(Y + row * N + cols, x / top, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    assert 0 < n and n <= 1024
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: counter_is_bound_again
# expect: not applied, loop-is-not-plain
"""A loop moves its own counter."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        start += 1
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: loop_with_else
# expect: not applied, loop-is-not-plain
"""A loop has an else."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    else:
        squares += 1.0
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: row_may_be_empty
# expect: not applied, may-run-zero-times
"""The tile has 16 lanes at least, so a row of no elements may be launched."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    m = tl.full([], -1.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    tl.store(Y + tl.program_id(0), m + tl.sum(total, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=max(16, triton.next_power_of_2(n)))
    return y


# case: both_branches_bind
# expect: not applied, name-is-bound-elsewhere
"""Both branches of a run-time condition bind x, of two types."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    if N > 7:
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0)
            tl.store(Y + cols, x, mask=cols < N)
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += x
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x - tl.sum(total, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: counter_is_read_behind
# expect: not applied, name-is-bound-elsewhere
"""The counter is read behind the loop."""


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
    rstd = rstd + start
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: any_number_of_arguments
# expect: not applied, parameter-cannot-be-added
# options: longer_rows=branch
"""The kernel takes any number of arguments."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, *more):
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
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: compiled_ahead
# expect: not applied, parameter-cannot-be-added
# options: longer_rows=branch
"""The kernel is compiled ahead, with the parameters that it has now."""
# shared: kernel
# shared: run


def compiled(x: torch.Tensor, y: torch.Tensor):
    return kernel.warmup(x, y, 100, BLOCK=32, grid=(1,))


# case: rows_are_bounded_above_the_limit
# expect: not applied, row-may-be-longer
# options: raise_block=64
"""Some rows may be longer than the tile is made."""
# shared: kernel


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    assert n <= 128
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: rows_of_any_length
# expect: not applied, row-may-be-longer
"""The tile has one length for all rows: some may be longer, so that the loops stay."""
# shared: kernel
# shared: run


# case: integer_may_become_a_float
# expect: not applied, type-changes
"""A sum that starts as an integer, of data of a type that is not known: no fraction may go."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0))
    mean = total / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, x - mean, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: number_in_a_function
# expect: not applied, type-changes
"""A function takes the carried number, which is a tensor in the loop only."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        m = tl.exp(m) + tl.max(x, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x - m, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: number_of_unknown_type
# expect: not applied, type-changes
"""What the carried number becomes may be of fp16 without the loop."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = 1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        m = m * 0.5 + tl.max(x, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, x - m, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: kept_for_other_lengths
# expect: not applied, unknown-decorator
# options: longer_rows=branch
"""The decorator launches again what it compiled for another length."""
from flag_gems.utils import libentry


@libentry()
@triton.jit(do_not_specialize=["N"])
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
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: unknown_decorator
# expect: not applied, unknown-decorator
# options: longer_rows=branch
"""What stands above the kernel may keep what a heuristic said."""
from somewhere import cached


@cached
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
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)
# shared: run


# case: in_a_table
# expect: not applied, unseen-launches
# options: longer_rows=branch
"""The kernel stands in a table, and may be used in any way."""
# shared: kernel
# shared: run


TABLE = {"rms": kernel}
