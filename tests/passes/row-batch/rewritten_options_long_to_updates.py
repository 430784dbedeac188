import torch
import triton
import triton.language as tl


# case: long_tile_at_one_launch
# options: elements=64,several_tiles=true
"""At one of two launches a tile is as much as a program should hold; it stays as it is."""


@triton.jit
def gathered_kernel(X, Places, Out, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        places = tl.load(Places + row * K + k, mask=k < K, other=0)
        x = tl.load(X + row * N + places, mask=k < K, other=0.0)
        tl.store(Out + row * K + k, x - mean, mask=k < K)


# tritonopt: x: f32[rows, n], places: i64[rows, k] in 0..n, block: 4|64
def gathered(x, places, block):
    rows, n = x.shape
    k = places.shape[1]
    out = torch.empty(rows, k, device=x.device)
    x = x.contiguous()
    places = places.contiguous()
    if n > 16:
        gathered_kernel[(rows,)](x, places, out, n, k, BLOCK=32, BLOCK_K=block)
    else:
        gathered_kernel[(rows,)](x, places, out, n, k, BLOCK=16, BLOCK_K=block)
    return out


# case: loops_and_leaves
# like: loops_and_leaves_in_one_kernel
# options: elements=64
"""Rows leave before and behind the two branches."""


# case: loops_by_comparison
# options: elements=64
"""The compiler knows how long the row is, and compares it with the tile in two places."""


@triton.jit
def kernel(X, Y, W, stride, N: tl.constexpr, BLOCK: tl.constexpr):
    weights = 0.0
    if N <= BLOCK:
        x = tl.load(X + tl.program_id(0) * stride + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < N, other=0.0)
        largest = tl.max(x, axis=0)
    else:
        largest = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N, other=-float("inf"))
            largest = tl.maximum(largest, tl.max(x, axis=0))
    weights += tl.load(W)
    if N <= BLOCK:
        tl.store(Y + tl.program_id(0), largest * weights)
    else:
        tl.store(Y + tl.program_id(0), (largest + 1.0) * weights)


# tritonopt: x: f32[m, n], w: f32[1]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, w, x.stride(0), N=n, BLOCK=16)
    return y


# case: loops_for_long_rows
# like: loops_for_long_rows_in_one_kernel
# options: elements=64
"""Only rows that one tile holds are handled several at once; what goes before and behind is for
both."""


# case: numbered_parameters
# options: elements=64
"""Parameters that are numbered keep their places, so what says that one tile is enough stays."""


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit(do_not_specialize=[4])
def kernel(X, Y, stride, ONE_TILE: tl.constexpr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0), axis=0)
        tl.store(Y + row, total)


# tritonopt: x: f32[m, n], kernel_rows: None
def run(x: torch.Tensor, kernel_rows=None):
    """A parameter has the name that the kernel for short rows would have had."""
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), N=n, BLOCK=16)
    return y


# case: options_in_a_dict
# like: keeps_its_axis
# options: elements=64
"""All arguments are passed, so that a dictionary can hold options of the launch only."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)
#-def run(x: torch.Tensor):
#+def centered(x: torch.Tensor):
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    options = {}
#+    if x.device.type == "xpu":
#+        options["grf_mode"] = "large"
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n), **options)


# case: own_length
# options: elements=64
"""How long a row is, it says itself, in a mask."""


@triton.jit
def kernel(X, L, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(L + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=(cols < N) & (cols < length), other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0) / tl.maximum(length, 1))


# tritonopt: x: f32[m, n], l: i32[m] in 0..n
def means(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, l, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: row_of_several_tiles_asked_for
# options: several_tiles=true
"""Squares are added up tile by tile, and a later loop goes through the row again: RMS norm.

Few rows are shown to be slower then; an option asks for it.
"""


@triton.jit
def kernel(x_ptr, y_ptr, w_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
        w = tl.load(w_ptr + cols, mask=cols < N, other=0.0)
        tl.store(y_ptr + row * N + cols, x * scale * w, mask=cols < N)


def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(n))
    kernel[(m,)](x, y, w, n, 1e-6, BLOCK=block)
    return y


# case: rows_of_heads
# options: elements=64
"""A row is one of a head, by division; the parameters say how many rows there are."""


@triton.jit
def kernel(X, S, Y, B, H, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    head = pid % H
    batch = pid // H
    scale = tl.load(S + head)
    cols = tl.arange(0, BLOCK)
    offsets = batch * H * N + head * N + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x * scale / tl.max(tl.abs(x)), mask=cols < N)


# tritonopt: x: f32[b, h, n], s: f32[h]
def scaled(x: torch.Tensor, s: torch.Tensor):
    b, h, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    kernel[(b * h,)](x, s, y, b, h, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: several_launches
# options: elements=64
"""Each launch divides its grid, whatever it is called, and says how many rows."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = lambda meta: (x.shape[0],)
    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[b, m, n]
def sums_of_batches(x: torch.Tensor):
    b, m, n = x.shape
    x = x.contiguous()
    y = torch.empty(b, m, dtype=torch.float32, device=x.device)
    kernel[(b * m,)](x, y, x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: softmax
# options: elements=64
"""A softmax: the largest and the sum of a row become vectors."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    # Each program does its own part.
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)  # of one row


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: tile_in_a_dict
# like: keeps_its_axis
# options: elements=64
"""How long a tile is stands in a dictionary, beside an option of the launch."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)
#-def run(x: torch.Tensor):
#+def centered(x: torch.Tensor):
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    meta = dict(BLOCK=triton.next_power_of_2(n), num_warps=4)
#+    grid = (m,)
#+    kernel[grid](x, y, x.stride(0), n, **meta)


# case: tile_that_is_a_choice
# like: tile_of_at_most
# options: elements=64
"""A tile that the launch chooses between two."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=min(triton.next_power_of_2(n), 256))
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64 if n > 20 else 16)


# case: two_axes_of_the_grid
# options: elements=64
"""The programs along another axis stay as they are."""


@triton.jit
def kernel(X, Y, stride_b, stride_h, N, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    head = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    offsets = batch * stride_b + head * stride_h + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x - tl.sum(x) / N, mask=cols < N)


# tritonopt: x: f32[b, h, n]
def center(x: torch.Tensor):
    b, h, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (b, h)
    kernel[grid](x, y, x.stride(0), x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scale_of_empty_rows
# like: keeps_its_axis
# options: elements=64
"""A number that an expression chooses for each row, and a sum that it takes from both sides."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    total = tl.sum(tl.where(x > 0, x, 0.0))
#+    # A row of zeros stays.
#+    total = 1.0 if total == 0 else total
#+    y = x / total if N > 3 else x
#+    tl.store(Y + row * stride + cols, y, mask=cols < N)


# case: updates_of_axes
# like: keeps_its_axis
# options: elements=64
"""What is updated gets the axes of what it meets."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    X += row * stride
#+    X += cols  # the tile of a row
#+    x = tl.load(X, mask=cols < N, other=0.0)
#+    weights = cols.to(tl.float32) + 1.0
#+    weights *= x
#+    scale = tl.sum(weights, axis=0)
#+    scale -= weights
#+    tl.store(Y + row * stride + cols, scale, mask=cols < N)
