import torch
import triton
import triton.language as tl


# case: another_index
# like: no_mask
# expect: finding, leaves-its-buffer
"""The mask bounds the lane of the tile, and the offset is stored."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=tl.arange(0, BLOCK) < N)


# case: buffer_of_another_length
# like: no_mask
# expect: finding, leaves-its-buffer
"""One number for each block is allocated, one for each element is stored."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets < N)
#-    y = torch.empty_like(x)
#+    y = torch.zeros(triton.cdiv(x.numel(), 64), device=x.device)


# case: buffer_of_the_same_shape
# like: no_mask
# expect: finding, leaves-its-buffer
"""The same, of a buffer that is made in the shape of another."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets <= N)
#-    y = torch.empty_like(x)
#+    y = torch.empty(x.shape, device=x.device, dtype=x.dtype)


# case: chain_at_one_place
# like: no_mask
# expect: finding, leaves-its-buffer
"""Calls that begin at one place are tensors of their own; the new one is as long as the given."""
#-    y = torch.empty_like(x)
#+    y = x.contiguous().clone().detach()


# case: dimensions_are_checked
# like: dimensions_are_not_known
# expect: finding, leaves-its-buffer
"""The launcher says that there is one dimension."""
#-    n = x.shape[0]
#+    (n,) = x.shape


# case: half_tiles_unmasked
# expect: finding, leaves-its-buffer
"""Multiples of half a tile are taken for whole tiles."""


@triton.jit
def kernel(X, Y, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        tl.store(Y + offsets, tl.load(X + offsets) * 2)
    else:
        tl.store(Y + offsets, tl.load(X + offsets, mask=offsets < N) * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 32 == 0, BLOCK=64)
    return y


# case: handed_on_by_the_caller
# like: dimensions_are_not_known
# expect: finding, leaves-its-buffer
"""The caller hands on whatever it is given."""
#-    n = x.shape[0]
#+    n = x.numel()
#     return y
#+
#+
#+def twice(x):
#+    return double(x)


# case: in_a_helper
# expect: finding, leaves-its-buffer
"""The store stands in a helper, whose mask lets one lane too many through."""

@triton.jit
def put(Y, o, x, n):
    tl.store(Y + o, x, mask=o <= n)


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    put(Y, o, tl.load(X + o, mask=o < n), n)


def f(x):
    y = torch.empty_like(x)
    n = x.numel()
    k[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y


# case: lengths_swapped
# expect: finding, leaves-its-buffer
"""The columns are compared with the number of rows, for a tile of both."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (cols[None, :] < M)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=inside, other=0.0)
    tl.store(Y + rows[:, None] * N + cols[None, :], x, mask=inside)


def launch(x):
    m, n = x.size(0), x.size(1)
    y = x.new_empty(m, n)

    def grid(meta):
        return (triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"]))

    kernel[grid](x, y, m, n, BM=16, BN=32)
    return y


# case: less_or_equal
# like: no_mask
# expect: finding, leaves-its-buffer
"""The comparison lets one element too many through."""
#-    tl.store(Y + offsets, x * 2)
#+    tl.store(Y + offsets, x * 2, mask=offsets <= N)


# case: named_like_a_function
# expect: finding, leaves-its-buffer
"""That a kernel calls tl.cumsum is no call of the launcher."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, tl.cumsum(x, 0))


def cumsum(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y


# case: no_mask
# expect: finding, leaves-its-buffer
"""The load is masked, the store is not."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: no_mask_for_two_lengths
# expect: finding, leaves-its-buffer
"""Each of two tensors gives one length of the result, and neither bounds the store."""


@triton.jit
def kernel(A, B, C, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    a = tl.load(A + rows, mask=rows < M, other=0.0)
    b = tl.load(B + cols, mask=cols < N, other=0.0)
    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :])


def launch(a, b):
    m, n = a.numel(), b.numel()
    c = torch.empty((m, n), device=a.device)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 32))](a, b, c, m, n, 16, 32)
    return c


# case: one_of_several_lengths
# expect: finding, leaves-its-buffer
"""Of the lengths that are let through only the longest fits the tile."""


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


def launch(x):
    m, d = x.shape
    assert d in (32, 64, 128)
    y = torch.empty_like(x)
    kernel[(m,)](x, y, D=128)
    return y


# case: one_of_two_lengths_bounds
# like: no_mask_for_two_lengths
# expect: finding, leaves-its-buffer
"""The rows are bounded, the columns run into the next row, and the last of them beyond."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :])
#+    tl.store(C + rows[:, None] * N + cols[None, :], a[:, None] * b[None, :], mask=rows[:, None] < M)


# case: row_for_column
# expect: finding, leaves-its-buffer
"""The row is bounded where the column is stored."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x, mask=(row < M) & (cols < BLOCK))


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device, dtype=x.dtype)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: rows_in_turns
# expect: finding, leaves-its-buffer
"""Each program goes through rows so far apart as there are programs, one row too far."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M + 1, tl.num_programs(0)):
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(132,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: sums_in_a_loop
# expect: finding, leaves-its-buffer
"""An atomic in a loop over whole tiles, into a row that is shorter."""


@triton.jit
def kernel(X, S, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.atomic_add(S + cols, x)


def launch(x):
    m, n = x.shape
    sums = torch.zeros(n, device=x.device)
    kernel[(m,)](x, sums, m, n, BLOCK=128)
    return sums


# case: tuned_blocks
# expect: finding, leaves-its-buffer
"""The blocks come from a tuner; the length is off by one."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["N"]
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets + 1, x, mask=offsets < N)


def launch(x):
    n = x.shape[0]
    y = torch.empty(n, device=x.device)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y


# case: unmasked_for_one_type
# like: half_tiles_unmasked
# expect: finding, leaves-its-buffer
"""Which side is taken has nothing to do with the length."""
#-    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=n % 32 == 0, BLOCK=64)
#+    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=x.dtype == torch.float16, BLOCK=64)


# case: read_before_the_first
# like: no_mask
# expect: finding, leaves-its-buffer
"""The neighbor of the first element is read before `tl.where` leaves it out."""
#-    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
#-    tl.store(Y + offsets, x * 2)
#+    mask = offsets < N
#+    before = tl.where(offsets == 0, 0, tl.load(X + offsets - 1, mask=mask))
#+    tl.store(Y + offsets, tl.load(X + offsets, mask=mask) - before, mask=mask)
# def launch(x):
#+    n = x.shape[0]
#-    n = x.numel()


# case: read_up_to_a_power_of_two
# expect: finding, leaves-its-buffer
"""The length that bounds the load is rounded up."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(0, N, BLOCK):
        offsets = i + tl.arange(0, BLOCK)
        total += tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y, tl.sum(total, axis=0))


def launch(x):
    y = torch.empty((1,), device=x.device)
    kernel[(1,)](x, y, triton.next_power_of_2(x.numel()), BLOCK=64)
    return y


# case: mask_of_one_axis
# expect: finding, leaves-its-buffer
"""Columns are masked in the load, and rows in the store only."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * N + cols, mask=cols < N)
    tl.store(Y + rows * N + cols, x * 2, mask=(rows < M) & (cols < N))


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, ROWS=16, BLOCK=triton.next_power_of_2(n))
    return y


# case: length_is_an_argument
# expect: finding, leaves-its-buffer
"""The launcher makes a buffer of n elements, and no mask knows n."""


@triton.jit
def offsets(pid, BLOCK: tl.constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def write(P, offs, v):
    tl.store(P + offs, v)


@triton.jit
def fill_kernel(Y, n, value, BLOCK: tl.constexpr):
    write(Y, offsets(tl.program_id(0), BLOCK), tl.full([BLOCK], 0.0, tl.float32) + value)


def fill(n: int, value: float, device):
    y = torch.empty(n, device=device, dtype=torch.float32)
    grid = (triton.cdiv(n, 1024),)
    fill_kernel[grid](y, n, value, BLOCK=1024)
    return y


# case: block_that_is_not_checked
# expect: finding, leaves-its-buffer
"""A block pointer stays inside its shape along the axes of `boundary_check` alone."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    rows, cols = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    x = tl.make_block_ptr(X, (M, N), (N, 1), (rows, cols), (BLOCK, BLOCK), (1, 0))
    y = tl.make_block_ptr(Y, (M, N), (N, 1), (rows, cols), (BLOCK, BLOCK), (1, 0))
    tl.store(y, tl.load(x, boundary_check=(0, 1)), boundary_check=(0,))


def launch(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BLOCK=16)
    return y


# case: moving_block_that_is_not_checked
# expect: finding, leaves-its-buffer
"""The last tile of the loop ends after the row."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(X, (M, N), (N, 1), (row, 0), (1, BLOCK), (1, 0))
    acc = tl.zeros([1, BLOCK], tl.float32)
    for _ in range(0, tl.cdiv(N, BLOCK)):
        acc += tl.load(block)
        block = tl.advance(block, (0, BLOCK))
    tl.store(Y + row, tl.sum(tl.sum(acc, 1), 0))


def launch(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, m, n, BLOCK=64)
    return y


# case: descriptor_with_the_shape_of_its_block
# expect: finding, leaves-its-buffer
"""The shape is that of the padded row, so nothing past the row is left out."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(X, shape=[M, BLOCK], strides=[N, 1], block_shape=[16, BLOCK])
    y = tl.make_tensor_descriptor(Y, shape=[M, N], strides=[N, 1], block_shape=[16, BLOCK])
    at = tl.program_id(0) * 16
    y.store([at, 0], x.load([at, 0]))


def launch(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y
