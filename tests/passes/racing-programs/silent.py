import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)


# case: a_place_that_is_loaded
# expect: silent
"""Where each row goes is loaded, and may be another place for each."""


@triton.jit
def kernel(X, Slots, Cache, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    place = Cache + tl.load(Slots + row) * N + cols
    tl.store(place, tl.load(place, mask=cols < N, other=0.0) + x, mask=cols < N)


def launch(x: torch.Tensor, slots: torch.Tensor, cache: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, slots, cache, n, BLOCK=triton.next_power_of_2(n))


# case: as_many_splits_as_asked_for
# expect: silent
"""How many programs share a column is for the caller to say, who may well say one."""


@triton.jit
def kernel(X, Sums, stride, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(1) * stride + cols, mask=cols < N, other=0.0)
    sums = tl.load(Sums + cols, mask=cols < N, other=0.0)
    tl.store(Sums + cols, sums + x, mask=cols < N)


def launch(x: torch.Tensor, rows):
    m, n = x.shape
    sums = torch.zeros(n, device=x.device)
    kernel[(triton.cdiv(n, 128), rows)](x, sums, n, n, BLOCK=128)
    return sums


# case: clamped_by_all
# expect: silent
"""All programs store the same, and doing it again changes nothing."""


@triton.jit
def kernel(X, Scale, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    scale = tl.maximum(tl.load(Scale + cols, mask=cols < N, other=0.0), 0.0)
    tl.store(Scale + cols, scale, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x * scale, mask=cols < N)


def launch(x: torch.Tensor, scale: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, scale, n, n, BLOCK=triton.next_power_of_2(n))


# case: first_program_adds
# expect: silent
"""One program alone changes the counter: the others see that they are not the first."""


@triton.jit
def kernel(X, Steps, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x * 2, mask=cols < N)
    if row == 0:
        tl.store(Steps, tl.load(Steps) + 1)


def launch(x: torch.Tensor, steps: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, steps, n, n, BLOCK=triton.next_power_of_2(n))


# case: halves_in_place
# expect: silent
"""Both halves of a row are read and written by its own program."""


@triton.jit
def rotate_kernel(X, stride, HALF: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    a = tl.load(X + row * stride + cols, mask=cols < HALF)
    b = tl.load(X + row * stride + HALF + cols, mask=cols < HALF)
    tl.store(X + row * stride + cols, -b, mask=cols < HALF)
    tl.store(X + row * stride + HALF + cols, a, mask=cols < HALF)


def rotate(x: torch.Tensor):
    m, n = x.shape
    assert n % 2 == 0
    rotate_kernel[(m,)](x, n, n // 2, BLOCK=triton.next_power_of_2(n // 2))


# case: halves_of_one_tensor
# expect: silent
"""Two slices of one tensor that share no element, and two that cannot be followed."""


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x, mask=offsets < N)


def halves(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 64),)](x[:n], x[n:], n, BLOCK=64)


def every_other(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 64),)](x[::2], x[1::2], n, BLOCK=64)


def one_row(x: torch.Tensor):
    n = x.shape[1]
    copy_kernel[(triton.cdiv(n, 64),)](x[1:], x[:1], n, BLOCK=64)


# case: launched_elsewhere
# expect: silent
"""No launch is seen."""
# shared: shift_kernel


def prepare():
    return shift_kernel


# case: one_program
# expect: silent
"""Where there is one program only, it reads its own."""
# shared: shift_kernel


def shift(x: torch.Tensor):
    n = x.numel()
    shift_kernel[(1,)](x, n, BLOCK=triton.next_power_of_2(n))


# case: row_above_of_another_tensor
# like: row_above_of_one_tensor
# expect: silent
"""Each row reads the one above it, of a tensor that nobody writes."""
# def add_above(x: torch.Tensor):
#+    y = torch.empty_like(x)
#-    add_above_kernel[(m,)](x, x, n, n, BLOCK=triton.next_power_of_2(n))
#+    add_above_kernel[(m,)](x, y, n, n, BLOCK=triton.next_power_of_2(n))
#+    return y


# case: rows_in_place
# expect: silent
"""Each program reads and writes its own row, in several tiles."""


@triton.jit
def scale_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N)
        tl.store(X + row * stride + cols, x / total, mask=cols < N)


def scale(x: torch.Tensor):
    m, n = x.shape
    scale_kernel[(m,)](x, n, n, BLOCK=16)


# case: shift_of_unknown_length
# expect: silent
"""How many elements are shifted is up to the caller, who may ask for one tile."""
# shared: shift_kernel


def shift(x: torch.Tensor, n: int):
    shift_kernel[(triton.cdiv(n, 64),)](x, n, BLOCK=64)


# case: under_a_lock
# expect: silent
"""A lock may order the programs."""


@triton.jit
def shift_kernel(X, Lock, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


def shift(x: torch.Tensor):
    n = x.numel()
    lock = torch.zeros(1, device=x.device, dtype=torch.int32)
    shift_kernel[(triton.cdiv(n, 64),)](x, lock, n, BLOCK=64)


# case: unmasked_neighbors
# expect: silent
"""What is read beyond the row is thrown away, as the mask of the store shows."""


@triton.jit
def scale_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols)
    tl.store(X + row * stride + cols, x * 2, mask=cols < N)


def scale(x: torch.Tensor):
    m, n = x.shape
    scale_kernel[(m,)](x, n, n, BLOCK=triton.next_power_of_2(n))
