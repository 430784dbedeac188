import torch
import triton
import triton.language as tl


# case: a_helper_alone
# like: in_a_helper
# expect: silent
"""The list of a helper says nothing to the compiler."""
#-@triton.jit
#+@triton.jit(do_not_specialize=["stride"])
#-@triton.jit(do_not_specialize=["stride"])
#+@triton.jit


# case: a_choice_of_two_codes
# like: number_of_rows_as_a_constexpr
# expect: silent
"""The launcher's size chooses the code, which only a constant can."""
#-def double_rows(X, Y, ROWS: tl.constexpr, N, BLOCK: tl.constexpr):
#+def scale_rows(X, Y, ROWS: tl.constexpr, N, BLOCK: tl.constexpr):
#-    tl.store(Y + row * N + cols, x * 2, mask=cols < N)
#+    if ROWS > 64:
#+        x = x * 2
#+    tl.store(Y + row * N + cols, x, mask=cols < N)
#-    double_rows[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
#+    scale_rows[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))


# case: a_loop_from_a_constant
# like: number_of_rows_ends_a_loop
# expect: silent
"""Where there is one row the loop is gone, and its row is 0: loads begin where they did not."""
#-    cols = tl.arange(0, BLOCK)
#-    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
#+    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#+    for row in range(0, rows):
#-    double_rows[(min(m, 132),)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
#+    double_rows[(m * n,)](x, y, m, n, BLOCK=1024)


# case: a_loop_begins_there
# expect: silent
"""Whether 16 divides where a loop begins is known of all of its addresses."""


@triton.jit
def double_rows(X, Y, first, N, BLOCK: tl.constexpr):
    for start in range(first, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N)
        tl.store(Y + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device)
    double_rows[(m,)](x, y, m, n, BLOCK=1024)
    return y


# case: a_single_tile
# expect: silent
"""All programs together store one tile: there is nothing to gain."""


@triton.jit(do_not_specialize=["batch", "window"])
def lengths_of(LENGTHS, GATHERED, batch, window, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    length = tl.load(LENGTHS + tl.minimum(rows, batch - 1))
    tl.store(GATHERED + rows, tl.minimum(length, window), mask=rows < batch)


# case: annotated_stride
# like: nothing_listed
# expect: silent
"""Of what is annotated the compiler is told what 16 divides."""
#-def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
#+def double_rows(X, Y, stride: int, N, BLOCK: tl.constexpr):


# case: another_decorator
# expect: silent
"""A decorator that is not known keeps the tile that is the default, of a lane for each thread."""
from elsewhere import remember


@remember()
@triton.jit(do_not_specialize=["N"])
def double(X, Y, N, BLOCK: tl.constexpr = 128):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2.0, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    double[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y


# case: apart_by_a_length
# expect: silent
"""Lanes are as far apart as rows are long; a row of one element is nothing to compile for."""


@triton.jit(do_not_specialize=["N"])
def first_column(X, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for n in range(0, N):
        total += tl.load(X + rows * N + n)
    tl.store(Y + rows, total)


# case: beside_a_matrix
# expect: silent
"""Rows of a matrix are counted, and one number of each is stored beside it."""


@triton.jit(do_not_specialize=["M"])
def norm_rows(X, Y, R, M, D: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (cols < D)[None, :]
    offsets = rows[:, None] * D + cols[None, :]
    x = tl.load(X + offsets, mask=mask, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, axis=1) / D)
    tl.store(Y + offsets, x * r[:, None], mask=mask)
    tl.store(R + rows, r, mask=rows < M)


# case: counts_are_compared
# expect: silent
"""Nothing is computed in floats, and what is loaded is compared with 0: these are counts."""


@triton.jit(do_not_specialize=["batch"])
def rejected(DRAFTED, ACCEPTED, REJECTED, batch, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    drafted = tl.load(DRAFTED + rows, mask=rows < batch)
    accepted = tl.load(ACCEPTED + rows, mask=rows < batch)
    left = tl.where(drafted > 0, drafted - accepted, 0)
    tl.store(REJECTED + rows, left, mask=rows < batch)


# case: counts_beside_data
# expect: silent
"""The data have a length of their own; the one that is listed ends nothing but counts."""


@triton.jit(do_not_specialize=["batch"])
def scale(X, Y, COUNTS, batch, N, BATCH: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, BATCH)
    counts = tl.load(COUNTS + rows, mask=rows < batch, other=0)
    before = tl.sum(tl.where(rows < tl.program_id(0), counts, 0))
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + before * N + cols, mask=cols < N).to(tl.float32)
    tl.store(Y + before * N + cols, x * 2.0, mask=cols < N)


# case: counts_from_one
# expect: silent
"""`other=1` is no float's: these are counts."""


@triton.jit(do_not_specialize=["tokens"])
def at_least_one(COUNTS, SAFE, tokens, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = tl.load(COUNTS + rows, mask=rows < tokens, other=1)
    tl.store(SAFE + rows, tl.maximum(count, 1), mask=rows < tokens)


# case: flags_of_a_batch
# expect: silent
"""What decides which rows are done is a flag, beside data with a length of their own."""


@triton.jit(do_not_specialize=["batch"])
def clear(FLAGS, COUNTS, OUT, batch, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    flag = tl.load(FLAGS + rows, mask=rows < batch, other=0)
    count = tl.load(COUNTS + rows * 4, mask=flag != 0).to(tl.float32)
    tl.store(OUT + rows * 4, count / 2.0, mask=flag != 0)


# case: gathered
# expect: silent
"""Which elements are loaded is loaded itself."""


@triton.jit(do_not_specialize=["stride"])
def pick(X, Index, Y, stride, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    places = tl.load(Index + lanes)
    tl.store(Y + lanes, tl.load(X + stride + places))


# case: lanes_are_stored
# expect: silent
"""What lanes are added to is an index; the table has as many columns as there are pages now."""


@triton.jit(do_not_specialize=["pages"])
def table(OWNERS, TABLE, pages, BLOCK: tl.constexpr):
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    owner = tl.load(OWNERS + tl.program_id(0))
    tl.store(TABLE + tl.program_id(0) * pages + cols, owner * pages + cols, mask=cols < pages)


# case: length_of_indices
# expect: silent
"""A batch of another length at each call, of which nothing but indices is read."""


@triton.jit(do_not_specialize=["num_tokens"])
def slots_of(BLOCKS, POSITIONS, SLOTS, num_tokens, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < num_tokens
    position = tl.load(POSITIONS + offsets, mask=mask, other=0)
    block = tl.load(BLOCKS + position // PAGE, mask=mask, other=0)
    tl.store(SLOTS + offsets, block * PAGE + position % PAGE, mask=mask)


# case: list_is_computed
# like: nothing_listed
# expect: silent
"""Nobody knows what is in the list."""
#-@triton.jit
#+NAMES = list()
#+
#+
#+@triton.jit(do_not_specialize=NAMES)


# case: masked_by_data
# expect: silent
"""The mask may go off at any lane."""


@triton.jit(do_not_specialize=["N"])
def positive(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes)
    tl.store(Y + lanes, x, mask=(lanes < N) & (x > 0))


# case: nothing_listed
# expect: silent
"""The compiler is told all."""


@triton.jit
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


# case: of_a_loop
# expect: silent
"""How often the loop turns is no address."""


@triton.jit(do_not_specialize=["n"])
def powers(X, Y, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes)
    for _ in range(n):
        x = x * x
    tl.store(Y + lanes, x)


# case: bound_is_listed
# like: bound_of_programs
# expect: silent
"""The bound of the programs is no constexpr."""
#-def copy_kernel(Src, Dst, Ids, num_tokens: tl.constexpr, stride, BLOCK: tl.constexpr):
#+def copy_kernel(Src, Dst, Ids, num_tokens, stride, BLOCK: tl.constexpr):
#         tl.store(Dst + row * stride + i, tl.load(Src + t * stride + i, mask=i < stride), mask=i < stride)
#
#
#+copy_kernel.do_not_specialize = ["num_tokens"]
#+
#+
#-    copy_kernel[(1024,)](src, dst, ids, num_tokens=src.size(0), stride=src.stride(0), BLOCK=triton.next_power_of_2(src.size(1)))
#+    copy_kernel[(src.size(0),)](src, dst, ids, 2**20, stride=src.stride(0), BLOCK=triton.next_power_of_2(src.size(1)))
