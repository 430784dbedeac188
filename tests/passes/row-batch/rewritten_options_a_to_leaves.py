import torch
import triton
import triton.language as tl


# case: a_launch_of_short_rows
# like: tile_of_at_most
# options: elements=64
"""The launch of short rows needs no question, nor does the one of long ones."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=min(triton.next_power_of_2(n), 256))
#+    block = min(1024, triton.next_power_of_2(n))
#+    if block <= 16:
#+        kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
#+    else:
#+        kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)


# case: atomics_of_rows
# options: elements=64
"""Each row adds to the place of its class; programs add at any time."""


@triton.jit
def kernel(X, K, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.load(K + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.atomic_add(Y + k * N + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], k: i32[m] in 0..3
def classes(x: torch.Tensor, k: torch.Tensor):
    m, n = x.shape
    x, k = x.contiguous(), k.contiguous()
    y = torch.zeros(4, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, k, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: comments_inside
# options: elements=64
"""Comments stay on their lines."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    """Each row without its sum."""

    # Of many.
    row = tl.program_id(0)  # the row
    cols = tl.arange(0, BLOCK)
    x = tl.load(
        X + row * stride + cols,  # where it is
        mask=cols < N,  # up to its end
        other=0.0,
    )
    y = (
        x  # what it is
        - tl.sum(x)  # without what it comes to
    )
    # and back
    tl.store(Y + row * stride + cols, y, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: dropout
# options: elements=64
"""Random numbers come from a seed for all and an offset of each lane."""


@triton.jit
def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    offsets = row * stride + cols
    keep = tl.rand(seed, offsets) > 0.5
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    x -= tl.max(x, axis=0)
    tl.store(Y + offsets, tl.where(keep, x * 2.0, 0.0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, 7, BLOCK=triton.next_power_of_2(n))
    return y


# case: gathered
# options: elements=64
"""Each row goes to where an index of its own says."""


@triton.jit
def kernel(X, I, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(I + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + index * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, x, mask=cols < N)


# tritonopt: x: f32[k, n], i: i64[m] in 0..k-1
def gather(x: torch.Tensor, i: torch.Tensor):
    n = x.shape[1]
    x, i = x.contiguous(), i.contiguous()
    y = torch.empty(i.shape[0], n, dtype=x.dtype, device=x.device)
    kernel[(i.shape[0],)](x, i, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: helper_of_tiles
# options: elements=64
"""A helper that computes lane by lane takes tiles of rows as it is."""


@triton.jit
def silu(x, slope):
    y = x.to(tl.float32)
    y *= slope
    return y / (1.0 + tl.exp(-y))


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    gate = tl.load(X + row * stride + cols, mask=cols < N)
    up = tl.load(X + row * stride + N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, silu(gate, 1.5) * up, mask=cols < N)


# tritonopt: x: f32[m, 2 * n]
def swiglu(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x.contiguous()
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: id_as_a_float
# like: keeps_its_axis
# options: elements=64
"""The program id as a float is no number of a row: which rows there are is asked of the id."""
# def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+    slope = tl.program_id(0).to(tl.float16)
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x * slope - tl.sum(x), mask=cols < N)


# case: id_bound_again
# options: elements=64
"""The name of the program id is bound again, so it stays; another ROWS is taken."""


@triton.jit
def kernel(X, Y, first, stride, N, ROWS, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    row = row + first
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    y = tl.sum(x, axis=0) * ROWS
    tl.store(Y + row, y)


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    if m > 1:
        kernel[(m - 1,)](x, y, 1, x.stride(0), n, 2, BLOCK=triton.next_power_of_2(n))
    return y


# case: in_place
# like: reads_the_row_above
# options: elements=64
"""A row is read, and written where it was read."""
#-    tl.store(X + (row + 1) * stride + cols, x - tl.sum(x), mask=cols < N)
#+    tl.store(X + row * stride + cols, x - tl.sum(x) / N, mask=cols < N)
#-def run(x: torch.Tensor):
#+# tritonopt: x: f32[m, n]
#+def center_(x: torch.Tensor):
#-    kernel[(m - 1,)](x, x.stride(0), n, BLOCK=64)
#+    assert x.is_contiguous()
#+    kernel[(m,)](x, x.stride(0), n, BLOCK=triton.next_power_of_2(n))


# case: launch_with_comments
# options: elements=64
"""What is said above a launch is said above the question; what is said behind it stays there."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # Each row by itself.
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[m, n]
def run_on_one_line(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))  # fmt: skip
    return y


# case: layer_norm
# options: elements=64
"""Pointers go to the row, weights are the same for all, two numbers of each row are stored."""


@triton.jit
def kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    w = tl.load(W + cols, mask=mask)
    b = tl.load(B + cols, mask=mask)
    tl.store(Y + cols, d * rstd * w + b, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n], b: f32[n]
def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor):
    m, n = x.shape
    x, w, b = x.contiguous(), w.contiguous(), b.contiguous()
    y = torch.empty_like(x)
    mean, rstd = torch.empty(2, m, device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, y, w, b, mean, rstd, x.stride(0), n, 1e-5, BLOCK=block)
    return y, mean, rstd


# case: leaves_by_a_float
# like: chosen_quotient
# options: elements=64
"""Of NaN neither an order nor its contrary is true: such a row stays."""
#     cols = tl.arange(0, BLOCK)
#+    weight = tl.load(W + row)
#+    if weight < 0.5:
#+        return
#+    if weight == 1.0:
#+        return
#+    if (weight < 0.7) == (weight > 0.6):
#+        return
#-    scale = row if row == 0 else N // row
#-    tl.store(Y + row * stride + cols, x * scale, mask=cols < N)
#+    tl.store(Y + row * stride + cols, x * weight, mask=cols < N)


# case: leaves_on_the_row
# options: elements=64
"""A row of padding is not rewritten."""


@triton.jit
def kernel(X, L, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if tl.load(L + row) < 0:
        return
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], l: i32[m]
def run(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, l, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: leaves_past_the_end
# like: leaves_by_a_number
# options: elements=64
"""More programs are started than there are rows."""
#-    if tl.load(W + row):
#+    cols = tl.arange(0, BLOCK)
#+    # Nothing to do for these.
#+    if row >= M:
#-    cols = tl.arange(0, BLOCK)

#-    kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m + 3,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))


# case: leaves_where_none_is
# like: leaves_before_its_tile
# verify: no, the test never holds
# options: elements=64
"""The number of rows is that of programs, so that none leaves."""
#-    if row * N >= M * N:
#+    cols = tl.arange(0, BLOCK)
#+    if row >= M:
#-    cols = tl.arange(0, BLOCK)
