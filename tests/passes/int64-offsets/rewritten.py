import torch
import triton
import triton.language as tl


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: a_statistic_of_each_row
"""The row is compared, and is an offset itself."""


@triton.jit
def kernel(X, Y, S, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = (row < M) & (cols < N)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=mask)
    tl.store(S + row, tl.max(x, axis=0), mask=row < M)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    s = torch.empty((m,), dtype=x.dtype, device=x.device)
    kernel[(m,)](x, y, s, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y, s


# case: asked_for_its_type
# like: beside_numbers_without_a_sign
"""A wide row would change the type of the tile of zeros."""
#-    length = tl.load(X).to(tl.uint32)
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, tl.where(row - 5 < length, x, 0.0), mask=cols < N)
#+    x = tl.load(X + row * stride + cols, mask=cols < N, other=0)
#+    zeros = tl.zeros([BLOCK], row.dtype)
#+    tl.store(Y + row * stride + cols, x + zeros, mask=cols < N)


# case: batch_of_a_head
"""The axis of the grid is divided, and what comes of it is bound to a name."""


@triton.jit
def kernel(X, Y, stride_b, stride_h, N, H: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    batch = pid // H
    head = pid % H
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + batch * stride_b + head * stride_h + cols, mask=cols < N, other=0.0)
    tl.store(Y + batch * stride_b + head * stride_h + cols, x * 2, mask=cols < N)


def launch(x):
    b, h, n = x.shape
    y = torch.empty_like(x)
    kernel[(b * h,)](x, y, x.stride(0), x.stride(1), n, H=h, BLOCK=triton.next_power_of_2(n))
    return y


# case: batches_of_rows
"""Of two products one does not fit."""


@triton.jit
def kernel(X, Y, stride_b, stride_m, N, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    row = tl.program_id(1)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        offsets = batch * stride_b + row * stride_m + cols
        x = tl.load(X + offsets, mask=cols < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=cols < N)


def launch(x):
    b, m, n = x.shape
    y = torch.empty_like(x)
    kernel[(b, m)](x, y, x.stride(0), x.stride(1), n, BLOCK=1024)
    return y


# case: bound_of_a_loop
"""Each program goes through a part: the loop begins at a wide number, and counts in 64 bits."""


@triton.jit
def double(X, Y, N, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * SIZE
    for start in range(first, first + SIZE, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < N
        tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    double[(triton.cdiv(n, 8192),)](x, y, n, SIZE=8192, BLOCK=1024)
    return y


# case: bound_of_a_mask
"""The offset is wide, but the number of elements that ends it is not, and wraps around."""


@triton.jit
def double(X, Y, M, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < M * N
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    double[(triton.cdiv(m * n, 1024),)](x, y, m, n, BLOCK=1024)
    return y


# case: counted_by_a_loop
"""All that the loop counts is such an offset."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    for index in range(first, first + BLOCK):
        if index < N:
            tl.store(Y + index, tl.load(X + index) * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y


# case: flat
"""A tensor of any shape, element by element."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(Y + offsets, x * 2, mask=mask)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y


# case: flat_in_rows_and_columns
"""What is divided is beyond 32 bits itself."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    index = pid * BLOCK + tl.arange(0, BLOCK)
    row = index // N
    col = index % N
    x = tl.load(X + row * N + col, mask=row < M, other=0.0)
    tl.store(Y + row * N + col, x * 2, mask=row < M)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m * n, 1024),)](x, y, m, n, BLOCK=1024)
    return y


# case: from_the_last_row
"""What is cast is put into parentheses."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + (M - 1 - row) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + (M - 1 - row) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: heads_of_batches
"""Batch and head are one axis of the grid, and the batch is far away."""

@triton.jit
def scale_q(Q, O, sb, sh, ss, S, BS: tl.constexpr, D: tl.constexpr, H: tl.constexpr):
    s = tl.program_id(0) * BS + tl.arange(0, BS)
    bh = tl.program_id(1)
    base = (bh // H) * sb + (bh % H) * sh
    d = tl.arange(0, D)
    p = base + s[:, None] * ss + d[None, :]
    q = tl.load(Q + p, mask=s[:, None] < S, other=0.0)
    tl.store(O + p, q * 0.125, mask=s[:, None] < S)


def scaled(q):
    b, h, s, d = q.shape
    o = torch.empty_like(q)
    scale_q[(triton.cdiv(s, 64), b * h)](q, o, q.stride(0), q.stride(1), q.stride(2), s, BS=64, D=d, H=h)
    return o


# case: neighbors_in_one_tile
# with: interleaved-access
"""Each pair is loaded as one tile, whose mask counts elements: their number does not fit either."""


@triton.jit
def product(A, B, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    real = tl.load(A + 2 * i, mask=mask)
    imag = tl.load(A + 2 * i + 1, mask=mask)
    tl.store(B + 2 * i, real * real - imag * imag, mask=mask)
    tl.store(B + 2 * i + 1, 2.0 * real * imag, mask=mask)


def square(a):
    n = a.numel() // 2
    b = torch.empty_like(a)
    product[(triton.cdiv(n, 32),)](a, b, n, BLOCK=32)
    return b


# case: pointers_that_move
# like: rows
"""The pointers are moved to the row first."""
#     row = tl.program_id(0)
#+    X += row * stride
#+    Y += row * stride
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        tl.store(Y + cols, x * 2, mask=cols < N)


# case: rows
"""Every program has a row."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y


# case: rows_in_a_loop
"""A program has several rows, one after the other."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    first = tl.program_id(0) * ROWS
    for k in range(ROWS):
        row = first + k
        mask = (cols < N) & (row < M)
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    rows = triton.cdiv(m, 4)
    kernel[(rows,)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return y


# case: rows_in_turns
"""As many programs as fit go through all rows."""

@triton.jit
def norm(X, Y, stride, n_rows, N, eps, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(X + row * stride + c, mask=c < N, other=0.0).to(tl.float32)
        r = tl.rsqrt(tl.sum(x * x, 0) / N + eps)
        tl.store(Y + row * stride + c, x * r, mask=c < N)


def rms(x, eps=1e-6):
    d = x.shape[-1]
    x2 = x.reshape(-1, d)
    y = torch.empty_like(x2)
    norm[(132,)](x2, y, x2.stride(0), x2.shape[0], d, eps, BLOCK=triton.next_power_of_2(d))
    return y.reshape(x.shape)


# case: rows_on_the_second_axis
"""An axis of 65535 programs is enough where rows are long."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 1024), m)](x, y, n, BLOCK=1024)
    return y


# case: rows_shared_by_programs
"""Programs that share a row: how many, the launcher asks the device. The rows are apart by a stride."""


@triton.jit
def kernel(
    X, Y, stride, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
):
    row = tl.program_id(0)
    s = 0.0
    split = tl.program_id(1) if SPLITS > 1 else 0
    for start in range(split * BLOCK, N, SPLITS * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        s += tl.sum(x, axis=0)
    if SPLITS > 1:
        part = row * SPLITS + split
        tl.store(partials + part, s)
        return
    tl.store(Y + row, s)


@triton.jit
def kernel_final(partials, Y, SPLITS: tl.constexpr):
    # Second stage: combine the partial results of kernel.
    row = tl.program_id(0)
    parts = row * SPLITS + tl.arange(0, SPLITS)
    s = tl.load(partials + parts)
    s = tl.sum(s, axis=0)
    tl.store(Y + row, s)


def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    # Programs per row, a power of two: 1 where rows are many or short.
    splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 16) // 8)
    splits = max(1, triton.next_power_of_2(splits + 1) // 2)
    partials = None
    if splits > 1:
        partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
    kernel[(m, splits)](
        x, y, x.stride(0), n, BLOCK=1024, partials=partials, SPLITS=splits
    )
    if splits > 1:
        kernel_final[(m,)](partials, y, SPLITS=splits)
    return y


# case: rows_that_wrap_around
"""The rows are divided first, and get another axis where they are multiplied."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    rows = (pid * ROWS + tl.arange(0, ROWS)) % M
    cols = tl.arange(0, BLOCK)
    mask = cols[None, :] < N
    x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + tl.expand_dims(rows, 1) * stride + cols[None, :], x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4),)](
        x, y, x.stride(0), m, n, ROWS=4, BLOCK=triton.next_power_of_2(n)
    )
    return y


# case: side_of_a_comparison
"""Each length takes one of two sides, and the offset is too large on both."""


@triton.jit
def kernel(X, Y, stride, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr = X + row * stride
    if WHOLE:
        cols = tl.arange(0, BLOCK)
        s = tl.sum(tl.load(x_ptr + cols, mask=cols < N, other=0.0), axis=0)
    else:
        s = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            s += tl.sum(tl.load(x_ptr + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y + row, s)


def launch(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty(m, device=x.device, dtype=torch.float32)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024, WHOLE=n <= 1024)
    return y


# case: the_largest_tile
# verify: no, it has no masks, so few shapes are right
"""Matrices of 8192 rows and columns are no tile that Triton allows; smaller ones are."""


@triton.jit
def kernel(X, Y, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    offsets = rows[:, None] * N + cols[None, :]
    x = tl.load(X + offsets)
    tl.store(Y + offsets, x * 2)


def launch(x):
    b, m, n = x.shape
    assert m == n
    y = torch.empty_like(x)
    kernel[(b,)](x, y, n, ROWS=triton.next_power_of_2(m), BLOCK=triton.next_power_of_2(n))
    return y


# case: the_row_is_divided_too
# like: beside_numbers_without_a_sign
"""A division of 64 bits is slow, so the cast stands at the product."""
#-    length = tl.load(X).to(tl.uint32)

#-    tl.store(Y + row * stride + cols, tl.where(row - 5 < length, x, 0.0), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x * 2, mask=(cols < N) & (row % 2 == 0))
#-    y = torch.empty_like(x)
#+    y = torch.zeros_like(x)


# case: tile_of_a_loop
"""In the loop one tile of offsets is too large; a wide row would make that of the mask wide too."""


@triton.jit
def kernel(X, W, Y, stride, n_w, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + (row + cols), mask=mask & (row + cols < n_w), other=0.0)
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
        tl.store(Y + row * stride + cols, x * w, mask=mask)


def launch(x, w):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, x.stride(0), w.shape[0], n, BLOCK=1024)
    return y


# case: tiles_of_a_grid_stride_loop
# with: grid-stride
# safety: contract
"""Each program goes through tiles up to the last of the launch, as far as a program went before."""


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    offs = start + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    double[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: tiles_of_rows
"""A tile of rows is cast where it is multiplied."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offsets = rows[:, None] * stride + cols[None, :]
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + offsets, mask=mask, other=0.0)
    tl.store(Y + offsets, x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 64))](x, y, x.stride(0), m, n, ROWS=16, BLOCK=64)
    return y


# case: tuned_blocks
"""Some of the configurations are enough to show it."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})], key=["N"]
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y


# case: tuned_rows_and_columns
"""Both sides of a tile are up to the tuner, and rows are what is left of the elements."""

TILES = [triton.Config({"ROWS": 4, "COLS": 16}), triton.Config({"ROWS": 1, "COLS": 32})]


def tiles():
    return TILES


@triton.autotune(configs=tiles(), key=["M", "N"])
@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    for start in range(0, N, COLS):
        cols = start + tl.arange(0, COLS)
        mask = (row < M) & (cols[None, :] < N)
        x = tl.load(X + row * N + cols[None, :], mask=mask)
        tl.store(Y + row * N + cols[None, :], x * 2, mask=mask)


# tritonopt: x: f32[m, n]
def launch(x):
    x = x.contiguous()
    m = x.shape[0]
    n = x.numel() // m
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(m, meta["ROWS"]),)
    kernel[grid](x, y, m, n)
    return y


# case: without_a_name
"""The program id has no name."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    X += tl.program_id(0) * stride
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


# shared: launch


# case: a_helper_asserts_its_type
"""A function reads the row's dtype, so the row stays as it is."""


@triton.jit
def check(row):
    tl.static_assert(row.dtype == tl.int32)


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    check(row)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


# shared: launch


# case: a_hash_of_the_row
# like: beside_numbers_without_a_sign
"""What chooses data wraps around on purpose, and does so as before."""
#-    length = tl.load(X).to(tl.uint32)
#+    kept = row * 1103515245 > 0
#-    tl.store(Y + row * stride + cols, tl.where(row - 5 < length, x, 0.0), mask=cols < N)
#+    tl.store(Y + row * stride + cols, tl.where(kept, x, 0.0), mask=cols < N)
# def launch(x):
#+    x = x.contiguous()


# case: beside_numbers_without_a_sign
"""`row - 5` is large where it meets an unsigned number, and would be -5 in 64 bits."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    length = tl.load(X).to(tl.uint32)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, tl.where(row - 5 < length, x, 0.0), mask=cols < N)


# shared: launch


# case: dead_in_a_helper
# like: a_helper_asserts_its_type
"""A function binds a name in an `if` too, which has one type, so the row stays as it is."""
#-def check(row):
#-    tl.static_assert(row.dtype == tl.int32)
#+def check(row, N):
#+    place = 0
#+    if N > 3:
#+        place = row
#+        tl.device_assert(place >= 0)
#-    check(row)
#+    check(row, N)


# case: row_or_a_number
"""Where the compiler takes the 0, it is a number of Python, which has no methods."""


@triton.jit
def kernel(X, Y, stride, N, SHARED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + (0 if SHARED else row) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, SHARED=False, BLOCK=triton.next_power_of_2(n))
    return y


# case: rows_between_loaded_bounds
# verify: no
"""A launcher that says int32 of the bounds; nothing says how large the tensor is."""


@triton.jit
def kernel(X, starts, Y, stride, stride_y, D: tl.constexpr):
    part = tl.program_id(0)
    first = tl.load(starts + part)
    last = tl.load(starts + part + 1)
    cols = tl.arange(0, D)
    total = tl.zeros([D], dtype=tl.float32)
    for row in range(first, last):
        total += tl.load(X + row * stride + cols).to(tl.float32)
    tl.store(Y + part * stride_y + cols, total)


def launch(x, starts):
    assert starts.dtype == torch.int32
    y = torch.empty((starts.shape[0] - 1, 64), device=x.device, dtype=torch.float32)
    kernel[(starts.shape[0] - 1,)](x, starts, y, x.stride(0), y.stride(0), D=64)
    return y


# case: rows_of_what_the_launcher_makes
# verify: no
"""The result has as many rows; a pointer that a loop moves begins with such an offset, too."""


@triton.jit
def kernel(X, Y, starts, stride, stride_y, D: tl.constexpr):
    part = tl.program_id(0)
    first = tl.load(starts + part)
    length = tl.load(starts + part + 1) - first
    cols = tl.arange(0, D)
    x_ptrs = X + first * stride + cols
    total = tl.zeros([D], dtype=tl.float32)
    for _ in range(length):
        total += tl.load(x_ptrs).to(tl.float32)
        x_ptrs += stride
    tl.store(Y + first * stride_y + cols, total)


def launch(x, starts):
    assert starts.dtype == torch.int32
    y = torch.zeros_like(x)
    kernel[(starts.shape[0] - 1,)](x, y, starts, x.stride(0), y.stride(0), D=64)
    return y


# case: as_many_rows_a_program_as_are_many
"""At most 16 rows a program, and fewer where the tensor has few; its sizes are those of a view."""


@triton.jit
def kernel(X, Y, M, N: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(X + rows * N + cols, mask=mask, other=0.0)
    tl.store(Y + rows * N + cols, x * 2, mask=mask)


def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    x2 = x.reshape(-1, x.shape[-1])
    y2 = y.reshape(-1, x.shape[-1])
    m, n = x2.shape
    rows = min(16, triton.next_power_of_2(max(1, m // 512)))
    kernel[(triton.cdiv(m, rows),)](x2, y2, m, N=n, ROWS=rows, BLOCK=triton.next_power_of_2(n))
    return y


# case: saved_for_a_gradient
# verify: no, of the two functions of a gradient
"""What the backward takes is as large as what the forward saved."""


@triton.jit
def forward_kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n, other=0.0)
    tl.store(Y + offsets, x * x, mask=offsets < n)


@triton.jit
def backward_kernel(DY, X, DX, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dy = tl.load(DY + offsets, mask=offsets < n, other=0.0)
    x = tl.load(X + offsets, mask=offsets < n, other=0.0)
    tl.store(DX + offsets, dy * x * 2, mask=offsets < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        forward_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        n = x.numel()
        backward_kernel[(triton.cdiv(n, 1024),)](dy.contiguous(), x, dx, n, BLOCK=1024)
        return dx


# case: rows_of_a_gradient
# verify: no, of the two functions of a gradient
"""The forward's launcher says int32, of what the backward's has from it; and all rows may be those
of one sequence, so that what a program counts is a row as well."""


@triton.jit
def forward_kernel(X, Y, starts, stride, stride_y, ROWS: tl.constexpr, D: tl.constexpr):
    first = tl.load(starts + tl.program_id(0))
    last = tl.load(starts + tl.program_id(0) + 1)
    part = tl.program_id(1)
    rows = part * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, D)
    mask = (rows < last - first)[:, None]
    x = tl.load(X + first * stride + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + first * stride_y + rows[:, None] * stride_y + cols[None, :], x * x.to(tl.float32), mask=mask)


@triton.jit
def backward_kernel(DY, X, DX, starts, stride, stride_dy, D: tl.constexpr):
    first = tl.load(starts + tl.program_id(0))
    last = tl.load(starts + tl.program_id(0) + 1)
    cols = tl.arange(0, D)
    x_ptrs = X + first * stride + cols
    dy_ptrs = DY + first * stride_dy + cols
    total = tl.zeros([D], dtype=tl.float32)
    for _ in range(last - first):
        total += tl.load(x_ptrs).to(tl.float32) * tl.load(dy_ptrs)
        x_ptrs += stride
        dy_ptrs += stride_dy
    tl.store(DX + tl.program_id(0) * D + cols, total)


def launch_forward(x, starts, longest):
    assert starts.dtype == torch.int32
    y = torch.empty_like(x)
    grid = (starts.shape[0] - 1, triton.cdiv(longest, 16))
    forward_kernel[grid](x, y, starts, x.stride(0), y.stride(0), ROWS=16, D=64)
    return y


def launch_backward(dy, x, starts):
    dx = torch.empty((starts.shape[0] - 1, 64), device=x.device, dtype=torch.float32)
    grid = (starts.shape[0] - 1,)
    backward_kernel[grid](dy, x, dx, starts, x.stride(0), dy.stride(0), D=64)
    return dx


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, starts, longest):
        ctx.save_for_backward(x, starts)
        return launch_forward(x, starts, longest)

    @staticmethod
    def backward(ctx, dy):
        x, starts = ctx.saved_tensors
        return launch_backward(dy, x, starts), None, None


# case: the_other_kernel_of_a_call
"""Of the second launch a number of the caller decides; its tensor is that of the first."""


@triton.jit
def largest(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.max(x, axis=0))


@triton.jit
def first_of(X, Y, stride, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, k, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < k, other=0.0)
        total += x * x
    tl.store(Y + row, tl.sum(total, axis=0))


def launch_first(x, y, k):
    first_of[(x.shape[0],)](x, y, x.stride(0), k, BLOCK=16)


# tritonopt: x: f32[m, n], k: n
def launch(x: torch.Tensor, k: int):
    m, n = x.shape
    y = torch.empty((m,), dtype=x.dtype, device=x.device)
    largest[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    launch_first(x, y, k)
    return y
