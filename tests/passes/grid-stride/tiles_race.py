import torch
import triton
import triton.language as tl


# case: races_at_tile_ends
# expect: not applied, tiles-race
"""No launch shows sizes, but the offsets show that tiles overlap."""


@triton.jit
def shift_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)


def shift(x: torch.Tensor, n: int):
    shift_kernel[(triton.cdiv(n, 64),)](x, n, BLOCK=64)


# case: races_first_row_for_all
# expect: not applied, tiles-race
"""All rows read the first one, which its own program writes."""


@triton.jit
def subtract_first_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    first = tl.load(X + cols, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x - first, mask=cols < N)


def subtract_first(x: torch.Tensor):
    m, n = x.shape
    subtract_first_kernel[(m,)](x, n, n, BLOCK=triton.next_power_of_2(n))


# case: races_one_tensor_alias
# like: races_one_tensor_view
# expect: not applied, tiles-race
"""One tensor under two names, read at another offset than written."""
#-    shift_kernel[(triton.cdiv(n, 1024),)](x.view(-1), x.detach(), n, shift, BLOCK=1024)
#+    out = x
#+    shift_kernel[(triton.cdiv(n, 1024),)](x, out, n, shift, BLOCK=1024)


# case: races_one_tensor_of_a_dict
# like: races_one_tensor_view
# expect: not applied, tiles-race
"""One tensor under two keys."""
#-    shift_kernel[(triton.cdiv(n, 1024),)](x.view(-1), x.detach(), n, shift, BLOCK=1024)
#+    held = {"in": x, "out": x}
#+    shift_kernel[(triton.cdiv(n, 1024),)](held["in"], held["out"], n, shift, BLOCK=1024)


# case: races_one_tensor_sometimes
# like: races_one_tensor_view
# expect: not applied, tiles-race
"""Only some callers ask for the tensor itself."""
#-    shift_kernel[(triton.cdiv(n, 1024),)](x.view(-1), x.detach(), n, shift, BLOCK=1024)
#+    out = x if in_place else torch.empty_like(x)
#+    shift_kernel[(triton.cdiv(n, 1024),)](x, out, n, shift, BLOCK=1024)


# case: races_one_tensor_view
# expect: not applied, tiles-race
"""Two views of one tensor."""


@triton.jit
def shift_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + offsets + shift, mask=offsets + shift < n, other=0.0)
    tl.store(dst + offsets, x * 2.0, mask=offsets < n)


def run(x, shift, in_place):
    n = x.numel()
    shift_kernel[(triton.cdiv(n, 1024),)](x.view(-1), x.detach(), n, shift, BLOCK=1024)
    return x


# case: races_parts_of_one_tensor
# expect: not applied, tiles-race
"""Both parameters are given parts of one tensor, one element apart."""


@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x, mask=offsets < n)


def shift_left(x: torch.Tensor):
    n = x.numel() - 1
    rest = x.view(-1)[1:]
    copy_kernel[(triton.cdiv(n, 64),)](rest, x, n, BLOCK=64)


# case: races_row_above_of_one_tensor
# expect: not applied, tiles-race
"""One tensor is passed for both, and each row reads the one above it."""


@triton.jit
def add_above_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    above = tl.load(X + (row - 1) * stride + cols, mask=(row > 0) & (cols < N), other=0.0)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, above + x, mask=cols < N)


def add_above(x: torch.Tensor):
    m, n = x.shape
    add_above_kernel[(m,)](x, x, n, n, BLOCK=triton.next_power_of_2(n))


# case: races_shift_in_place
# like: races_at_tile_ends
# expect: not applied, tiles-race
"""The first lane of a tile is read by the last lane of the tile before."""
#-def shift(x: torch.Tensor, n: int):
#+def shift(x: torch.Tensor):
#+    n = x.numel()


# case: races_with_a_stride_of_its_own
# like: strides_of_one_tensor
# expect: not applied, tiles-race
"""The strides that are passed are not known to be those of one tensor."""
#-# tritonopt: x: f32[m, n]
#-def run(x):
#+
#+def run(x, step):
#-    halve_kernel[(m,)](x, x.stride(0), out, out.stride(0), n, BLOCK=block)
#+    halve_kernel[(m,)](x, x.stride(0), out, step, n, BLOCK=block)


# case: races_with_an_atomic_on_a_part
# expect: not applied, tiles-race
"""The last row is read by one tile, and every tile adds to it."""


@triton.jit
def add_rows_kernel(X, OUT, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.atomic_add(OUT + cols, x, mask=cols < N)


def add_into_last_row(x: torch.Tensor):
    m, n = x.shape
    add_rows_kernel[(m,)](x, x[m - 1], x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return x


# case: races_with_one_tensor_of_unknown_size
# expect: not applied, tiles-race
"""One tensor of unknown size is passed for both, and each row reads the one that the next writes."""


@triton.jit
def add_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    below = tl.load(Y + (row + 1) * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + (row + 1) * N + cols, x + below, mask=cols < N)


def running_sums(m: int, n: int):
    x = torch.ones(m + 1, n)
    add_kernel[(m,)](x, x, n, BLOCK=32)
    return x
