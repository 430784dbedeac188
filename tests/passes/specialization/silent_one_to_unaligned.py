import torch
import triton
import triton.language as tl


# case: one_is_told
# expect: silent
"""Only what 16 divides is not told, and lanes are that far apart."""


@triton.jit(do_not_specialize_on_alignment=["stride"])
def gather(X, Y, stride, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes * stride)
    tl.store(Y + tl.program_id(0) * BLOCK + lanes, x)


# case: one_lane_a_thread
# like: one_lane_with_many_warps
# expect: silent
"""128 lanes on 128 threads: an access of one element is no wider for what is told."""
#-def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
#+def double_rows(X, Y, stride, N, BLOCK: tl.constexpr = 128):
#-    double_rows[(m, triton.cdiv(n, 512))](x, y, x.stride(0), n, BLOCK=512, num_warps=16)
#+    double_rows[(m, triton.cdiv(n, 128))](x, y, x.stride(0), n)


# case: one_lane_with_many_warps
# expect: silent
"""512 lanes on as many threads."""


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    double_rows[(m, triton.cdiv(n, 512))](x, y, x.stride(0), n, BLOCK=512, num_warps=16)
    return y


# case: pairs_apart
# expect: silent
"""The second of each pair is `inner` further on: that is 1, and pairs are two apart."""


@triton.jit(do_not_specialize=["outer", "inner"])
def pack(SCORES, PACKED, outer, inner, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    score = tl.load(SCORES + cols, mask=cols < N)
    pair = PACKED + cols * outer
    tl.store(pair, score, mask=cols < N)
    tl.store(pair + inner, score * 2.0, mask=cols < N)


# case: request_of_a_token
# expect: silent
"""What the number of a lane is compared with is no data."""


@triton.jit(do_not_specialize=["tokens"])
def is_padding(ENDS, PADDING, tokens, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    end = tl.load(ENDS + rows, mask=rows < tokens, other=0)
    tl.store(PADDING + rows, rows >= end, mask=rows < tokens)


# case: rows_end
# expect: silent
"""The mask ends rows of a tile, whose elements lie side by side along the other axis."""


@triton.jit(do_not_specialize=["M"])
def copy_tile(X, Y, M, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * BLOCK + cols, mask=rows < M)
    tl.store(Y + rows * BLOCK + cols, x, mask=rows < M)


# case: rows_of_a_batch
# expect: silent
"""Counts of a batch, chunk after chunk: its size is where the rows of counts begin, too."""


@triton.jit(do_not_specialize=["batch"])
def chunks_of(LENGTHS, CHUNKS, batch, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    length = tl.load(LENGTHS + rows, mask=rows < batch, other=0)
    chunk = tl.program_id(1)
    left = tl.maximum(length - chunk * CHUNK, 0)
    tl.store(CHUNKS + chunk * batch + rows, (left + 3) // 4, mask=rows < batch)


# case: seed_is_listed
# like: seed_is_used_otherwise
# expect: silent
"""Its author knows."""
#-@triton.jit
#+@triton.jit(do_not_specialize=["seed"])
#-    offsets += seed


# case: seed_is_used_otherwise
# expect: silent
"""What is added to the seed may be an address."""


@triton.jit
def dropout(X, Y, p, seed, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    offsets += seed
    keep = tl.rand(seed, offsets) > p
    tl.store(Y + offsets, tl.where(keep, x / (1 - p), 0.0), mask=offsets < N)


# case: single_elements
# expect: silent
"""One element has no width."""


@triton.jit(do_not_specialize=["stride"])
def first(X, Y, stride):
    tl.store(Y + tl.program_id(0), tl.load(X + tl.program_id(0) * stride))


# case: start_of_data
# expect: silent
"""The position at which the rest begins is another one at each call, and none that 16 divides."""


@triton.jit(do_not_specialize=["first", "last"])
def clear(X, first, last, BLOCK: tl.constexpr):
    for start in range(first, last, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < last).to(tl.float32)
        tl.store(X + offsets, x * 0.5, mask=offsets < last)


# case: start_of_indices
# expect: silent
"""Where the rest of a batch begins; it is another one at each call, too."""


@triton.jit(do_not_specialize=["num_tokens", "most"])
def pad(SLOTS, num_tokens, most, BLOCK: tl.constexpr):
    for start in range(num_tokens, most, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tl.store(SLOTS + offsets, tl.full([BLOCK], -1, tl.int32), mask=offsets < most)


# case: stride_of_33
# like: listed_stride
# expect: silent
"""What is launched is nothing that 16 divides: told of it, the compiler makes the same code."""
#     tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)
#+
#+
#+def launch(x, y):
#+    double_rows[(x.shape[0],)](x, y, 33, 1024, BLOCK=1024)


# case: tile_of_a_number
# expect: silent
"""The tile is a number of the kernel's own, and no longer than a program has threads."""


@triton.jit(do_not_specialize=["N"])
def double(X, Y, N):
    offsets = tl.program_id(0) * 64 + tl.arange(0, 64)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, y, x.numel())
    return y


# case: times_a_constant
# expect: silent
"""A multiple of the tile, whatever the number is."""


@triton.jit(do_not_specialize=["first"])
def fill(Y, first, BLOCK: tl.constexpr):
    tl.store(Y + first * BLOCK + tl.arange(0, BLOCK), 0.0)


# case: times_sixteen
# expect: silent
"""16 divides the product."""


@triton.jit(do_not_specialize=["first"])
def fill(Y, first, BLOCK: tl.constexpr):
    tl.store(Y + first * 16 + tl.arange(0, BLOCK), 0.0)


# case: unaligned_anyway
# expect: silent
"""The programs lie one element apart, so 16 divides nothing."""


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) + stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) + stride + cols, x * 2, mask=cols < N)


# case: number_of_rows_in_a_mask
# expect: silent
"""Lanes are compared with it: a multiple of 16 makes the store wider."""


@triton.jit
def double_rows(X, Y, rows, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) >= rows:
        return
    x = tl.load(X + place, mask=place < rows)
    tl.store(Y + place, x * 2, mask=place < rows)


def launch(x):
    y = torch.empty((x.shape[0],), device=x.device)
    double_rows[(x.shape[0],)](x, y, x.shape[0], BLOCK=64)
    return y
