import torch
import triton
import triton.language as tl


# case: after_another_kernel
# options: programs=8
# verify: no, the interpreter does not know tl.extra.cuda.gdc_wait
"""The weights are what the kernel before this one writes: they are loaded after the wait."""


@triton.jit
def scale(x, w, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.extra.cuda.gdc_wait()
    weight = tl.load(w + cols, mask=cols < n, other=0.0)
    value = tl.load(x + row * n + cols, mask=cols < n, other=0.0)
    tl.store(out + row * n + cols, value * weight, mask=cols < n)


def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    out = torch.empty_like(x)
    scale[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n), launch_pdl=True)
    return out


# case: atomic_method
# options: programs=2
"""The atomic is a method of its address."""


@triton.jit
def kernel(x, total, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    place = total + cols
    place.atomic_add(v, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    kernel[(m,)](x, total, n, BLOCK=triton.next_power_of_2(n))
    return total


# case: atomic_on_what_is_read
# options: programs=2
"""The sums may be what the rows are read from, so the atomic stays in the loop."""


@triton.jit
def accumulate_kernel(X, Total, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.atomic_add(Total + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], total: f32[n]
def accumulate(x: torch.Tensor, total: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous() and total.is_contiguous()
    accumulate_kernel[(m,)](x, total, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return total


# case: autograd_function
# options: programs=2
"""Launches in the methods of a class."""


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, x * x, mask=offs < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        size = x.numel()
        square_kernel[(triton.cdiv(size, 128),)](x, y, size, BLOCK=128)
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy


def square(x: torch.Tensor):
    return Square.apply(x.contiguous())


# case: autotuned
# options: programs=4
"""The tuner chooses the block, so only the kernel knows how many tiles there are."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}, num_warps=1)],
    key=["n"],
)
@triton.jit
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, x * factor, mask=offs < n)


def scale(x: torch.Tensor, factor: float = 0.5):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n, factor)
    return out


# case: bound_in_an_unrolled_loop
# options: programs=2
"""A name that an unrolled loop binds is known after it, so both branches would bind it."""


@triton.jit
def kernel(x, out, count, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    y = tl.load(x + row * n + cols, mask=cols < n)
    if row == 1:
        for power in tl.static_range(2):
            u = y + power
        tl.store(out + row * n + cols, u, mask=cols < n)
        return
    u = row + 2
    tl.store(count + row, u)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    count = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, out, count, n, BLOCK=triton.next_power_of_2(n))
    return out, count


# case: calls_that_know_no_grid
# options: programs=3
"""Functions of Triton's own that no pass follows, but that cannot tell programs apart."""


@triton.jit
def kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    BLOCK: tl.constexpr = triton.next_power_of_2(N)
    kind = tl.dtype("fp32")
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n).to(kind)
    tl.store(out_ptr + offs, x + 1, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 16),)](x, out, n, N=13)
    return out


# case: count
# options: programs=2
"""An integer that every tile adds to, and one whose old value is used."""


@triton.jit
def compact_kernel(x_ptr, flags_ptr, count_ptr, ticket_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    positive = (tl.load(x_ptr + offs, mask=offs < n, other=0.0) > 0).to(tl.int32)
    tl.atomic_add(count_ptr, tl.sum(positive, axis=0))
    ticket = tl.atomic_add(ticket_ptr, 1)
    tl.store(flags_ptr + pid, (ticket >= 0).to(tl.int32))


# tritonopt: x: f32[n]
def count_positive(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    flags = torch.zeros(tiles, device=x.device, dtype=torch.int32)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    ticket = torch.zeros(1, device=x.device, dtype=torch.int32)
    compact_kernel[(tiles,)](x, flags, count, ticket, n, BLOCK=16)
    return flags, count, ticket


# case: count_in_an_index
# options: programs=2
"""A tile is numbered along two axes, by the number of programs of the first."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    tile = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    offs = tile * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32), 2)](x, out, n, BLOCK=16)
    return out


# case: count_of_finished_tiles
# options: programs=2
"""The last of all tiles to finish writes a result, and knows it by a counter."""


@triton.jit
def kernel(x, total, counter, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.atomic_add(total, tl.sum(value, axis=0))
    finished = tl.atomic_add(counter, 1)
    if finished == tl.num_programs(0) - 1:
        tl.store(out, tl.load(total) / n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    total = torch.zeros(1, device=x.device, dtype=torch.float32)
    counter = torch.zeros(1, device=x.device, dtype=torch.int32)
    out = torch.empty(1, device=x.device, dtype=torch.float32)
    kernel[(triton.cdiv(n, 16),)](x, total, counter, out, n, BLOCK=16)
    return out


# case: count_tells_the_last_tile
# like: loop_over_all_programs
# options: programs=2
"""The number of programs says which tile is the last."""
#-    total = 0.0
#-    for i in range(tl.num_programs(0)):
#-        total += tl.load(x + i)
#+    num_programs = tl.num_programs(0)
#-    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + total, mask=offs < n)
#+    value = tl.load(x + offs, mask=offs < n)
#+    if pid == num_programs - 1:
#+        value = -value
#+    tl.store(out + offs, value, mask=offs < n)


# case: count_tells_the_last_tile_passed
# options: programs=2
"""Two launches start another number of tiles each; the number is converted."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offs = (tl.num_programs(0).to(tl.int64) - 1 - pid) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    kernel[(1,)](x, out, n, BLOCK=32)
    return out


# case: division_behind_a_guard
# options: programs=2
"""A program that has left does not divide, in a call or otherwise."""


@triton.jit
def kernel(x, out, n, parts, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if parts == 0:
        return
    share = tl.cdiv(n, parts)
    rest = n % parts
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v * share + rest, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, m - 1, BLOCK=triton.next_power_of_2(n))
    return out


# case: grid_around_the_launcher
# options: programs=2
"""The grid is a function of another scope, which has no name for the limit."""


@triton.jit
def add_one(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + 1, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    grid = lambda META: (m,)

    def launch():
        min_rows = 2
        add_one[grid](x, out, n, BLOCK=triton.next_power_of_2(n))
        return min_rows

    launch()
    return out


# case: grid_bound_by_an_argument
# options: programs=2
"""The name in the grid is bound again by what is passed after it."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + n)


def run(x: torch.Tensor):
    x = torch.arange(160, device=x.device) + x.sum()
    out = torch.zeros_like(x)
    n = 5
    kernel[(n,)](x, out, n := n + 5, BLOCK=16)
    return out, n


# case: grid_changed_by_an_argument
# options: programs=2
"""What is passed is made by a function that changes what the grid was computed from."""

count = 4
made = []


@triton.jit
def kernel(x, out, one, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + one)


def alloc(x):
    global count
    count = 1
    made.append(torch.zeros_like(x))
    return made[-1]


def run(x: torch.Tensor):
    global count
    count = 4
    x = torch.arange(64, device=x.device) + x.sum()
    kernel[(count,)](x, alloc(x), 1, BLOCK=16)
    return made[-1]


# case: grid_of_unknown_numbers
# options: programs=2
"""A number of numpy's starts programs, but is no argument of a kernel."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + 1, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    rows = np.prod(x.shape[:-1])
    kernel[(
        rows
        + 0,
    )](x, out, n, BLOCK=triton.next_power_of_2(n))
    (kernel[((m + 0) * np.int64(1),)])(x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: grid_over_lines
# options: programs=2
"""The number of programs is an expression that goes over lines, in somebody else's brackets."""


@triton.jit
def kernel(X, Y, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    tiles = (N + BLOCK - 1) // BLOCK
    cols = tile % tiles * BLOCK + tl.arange(0, BLOCK)
    at = tile // tiles * N + cols
    tl.store(Y + at, tl.load(X + at, mask=cols < N) * 2.0, mask=cols < N)


# tritonopt: x: f32[m, n]
def doubled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = lambda meta: (
        m
        * triton.cdiv(
            n,
            meta["BLOCK"],
        ),
    )
    kernel[grid](x, y, m, n, BLOCK=16)
    return y


# tritonopt: x: f32[m, n], half: 8 | 16
def doubled_in_tiles(x: torch.Tensor, half: int):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = lambda meta: (
        m  # a row after another
        * ((n + meta["BLOCK"] - 1) // meta["BLOCK"]),
    )
    kernel[grid](x, y, m, n, BLOCK=half + half)
    return y


# case: guard_under_a_switch
# options: programs=2
"""The mask is moved where there is one, and what it says is asked once."""


@triton.jit
def kernel(x, mask, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if mask is not None:
        mask += row
        keep = tl.load(mask)
        # Padding.
        if keep == 0:
            return
    x += row * N
    cols = tl.arange(0, BLOCK)
    if N == 1:
        tl.store(out + row, 1.0)
        return
    v = tl.load(x + cols, mask=cols < N, other=0.0)
    if tl.sum(v, axis=0) > 0:
        return  # positive
    x = x + 1
    tl.store(out + row, tl.sum(v, axis=0) + tl.load(x))


# tritonopt: x: f32[m, n], mask: i32[m] in 0..1
def run(x: torch.Tensor, mask: torch.Tensor):
    x, mask = x.contiguous(), mask.contiguous()
    m, n = x.shape
    out = torch.zeros((2, m), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, mask, out[0], n, BLOCK=block)
    kernel[(m,)](x, None, out[1], n, BLOCK=block)
    return out
