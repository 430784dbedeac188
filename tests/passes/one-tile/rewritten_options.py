import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    softmax_kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: autotuned
# like: rows_may_be_longer
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The heuristic stands below the tuner, so that it sees the tile that was chosen."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 128})],
#+    key=["N"],
#+)
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    kernel[(m,)](x, y, n)


# case: counted_tiles
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The loops count tiles, and form the offset from the counter."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N
    steps = tl.cdiv(N, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for step in range(0, steps):
        start = step * BLOCK
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
        total += tl.abs(x)
    norm = tl.sum(total, axis=0) + 1
    for step in range(0, steps):
        start = step * BLOCK
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row + cols, x / norm, mask=mask)
# shared: run


# case: default_tile
# like: rows_may_be_longer
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The launch leaves the tile to its default, which a heuristic is not given."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, BLOCK: tl.constexpr = 32):
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    kernel[(m,)](x, y, n)


# case: empty_rows_keep_their_loops
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""Of a row of no elements the running maximum is -inf, and -inf - -inf is NaN."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = tl.full([], -float("inf"), dtype=tl.float32)
    d = tl.full([], 0.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new_m = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new_m) + tl.sum(tl.exp(x - new_m), axis=0)
        m = new_m
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + cols, tl.exp(x - m) / d, mask=cols < N)
# shared: run


# case: in_a_class
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The kernel is a static method, so the heuristic is indented as its decorators are."""


class Norm:
    @staticmethod
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
    Norm.kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: infinite_factor
# options: longer_rows=branch,raise_block=64
"""Where the mask is off, 0 times infinity is NaN: so the length of a tile matters."""


@triton.jit
def softmax_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * tl.load(X + cols, mask=cols < N, other=float("inf")), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x / total, mask=cols < N)
# shared: softmax


# case: length_is_a_constexpr
# like: rows_may_be_longer
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The compiler knows both lengths, and needs no heuristic to compare them."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, N, BLOCK):


# case: length_is_a_constexpr_of_0_or_more
# like: rows_may_be_longer
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The compiler knows both lengths, and is asked for both ends: it compiles no chained comparison."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
#-        squares += x * x
#+        squares += tl.exp(x)


# case: logarithm_of_filled_lanes
# options: longer_rows=branch,raise_block=1024
"""A longer tile would have lanes behind the end of the row, and 0 times the logarithm of 0 is NaN."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    entropy = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        entropy += tl.sum(x * tl.log(x), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + row * N + cols, x - entropy, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: maximum_keeps_nan
# like: tile_follows_the_row
# options: longer_rows=branch,raise_block=64
"""The maximum keeps NaN of a tile that has nothing else: so the length of a tile matters."""
#-        largest = tl.maximum(largest, tl.max(x, axis=0))
#+        largest = tl.maximum(largest, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)


# case: quotient_by_loaded_number
# options: longer_rows=branch,raise_block=64
"""A row is divided by a loaded number: a lane past the end would be 0 / 0 where that is 0."""


@triton.jit
def scaled_kernel(X, D, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    d = tl.load(D + row)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * (x / d), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x / total, mask=cols < N)


# tritonopt: x: f32[m, n], d: f32[m]
def scaled(x: torch.Tensor, d: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scaled_kernel[(m,)](x, d, y, n, BLOCK=16)
    return y


# case: quotient_of_the_place
# like: infinite_factor
# options: longer_rows=branch,raise_block=64
"""Where the mask is off, 0 times infinity is NaN: so the length of a tile matters."""
#-        total += tl.sum(x * tl.load(X + cols, mask=cols < N, other=float("inf")), axis=0)
#+        total += tl.sum(x * (1.0 / (N - cols)), axis=0)


# case: row_in_a_tuple
# options: raise_block=1024
"""The arguments are a tuple that is bound before; the tile is passed beside it."""


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


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 1024
    x = x.contiguous()
    y = torch.empty_like(x)
    given = (x, y, n)
    kernel[(m,)](*given, BLOCK=64)
    return y


# case: rows_are_bounded
# like: rows_may_be_longer
# options: raise_block=64
"""No row is longer than the tile that a launch may have, so that no loop stays."""
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    assert n <= 64
#+    kernel[(m,)](x, y, n, BLOCK=16)


# case: rows_begin_at_a_number
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""The counter of the second loop has no reader left, and is not bound for nothing."""


@triton.jit
def kernel(X, Y, N, begin, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    largest = -float("inf")
    for start in range(begin, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(begin, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    tl.store(Y + tl.program_id(0), largest + tl.log(total))


# tritonopt: x: f32[m, n], begin: 0|3
def run(x: torch.Tensor, begin: int = 0):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, begin, BLOCK=64)
    return y


# case: rows_have_elements
# like: rows_may_be_longer
# options: raise_block=4096
"""No row is empty, and the longest take more warps."""
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    if not 0 < n <= 4096:
#+        raise ValueError(f"{n} columns")
#+    block = 32
#+    kernel[(m,)](x, y, n, BLOCK=block)


# case: rows_in_a_tile
# options: longer_rows=branch
# verify: no, it was run once, and others like it run
"""A tile of several rows."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (rows < M) & (cols < N)
        x = tl.load(X + rows * N + cols, mask=mask, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=1)[:, None] / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (rows < M) & (cols < N)
        x = tl.load(X + rows * N + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + rows * N + cols, x - mean, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=16)
    return y


# case: rows_may_be_longer
# options: longer_rows=branch
"""The tile has one length for all rows, so the loops stay for those that are longer."""


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


# case: sigmoid_of_filled_lanes
# like: logarithm_of_filled_lanes
# options: longer_rows=branch,raise_block=1024
"""A longer tile has lanes behind the end of the row, and what these add is 0."""
#-        entropy += tl.sum(x * tl.log(x), axis=0)
#+        entropy += tl.sum(x * tl.sigmoid(x) + x * tl.log(x * x + 1.0), axis=0)


# case: tile_follows_rows_in_two_launches
# options: longer_rows=branch,raise_block=64
"""Each launch knows its own length of the row, one as a product."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    most = tl.full([BLOCK], 0.0, tl.float32)
    for tile in range(tl.cdiv(N, BLOCK)):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        most = tl.maximum(most, tl.abs(x))
    largest = tl.max(most, axis=0)
    for tile in range(tl.cdiv(N, BLOCK)):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x + largest, mask=cols < N)


# tritonopt: x: f32[m, 3, w]
def run(x: torch.Tensor):
    m, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    z = torch.empty_like(x)
    kernel[(m,)](x, y, h * w, 16)
    kernel[(m * h,)](y, z, w, 32)
    return z


# case: tile_follows_the_row
# options: longer_rows=branch,raise_block=64
"""Rows of up to 64 elements get a tile of their length, and longer ones keep theirs."""


@triton.jit
def softmax_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    largest = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        tl.store(Y + cols, tl.exp(x - largest) / total, mask=cols < N)
# shared: softmax


# case: tile_follows_the_row_further
# options: longer_rows=branch,raise_block=64
"""The launcher makes the tile as long as short rows; now as longer ones too. It counts warps."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x - mean, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # A tile of 16 elements at least.
    block = min(32, triton.next_power_of_2(max(n, 16)))
    kernel[(m,)](x, y, n, BLOCK=block, num_warps=1)
    return y


# case: warps_in_a_dict
# like: tile_follows_the_row
# options: longer_rows=branch,raise_block=64
"""A dictionary may hold the number of warps, so the tile stays as long as it is."""
#-    softmax_kernel[(m,)](x, y, n, BLOCK=16)
#+    options = {"num_warps": 4}
#+    softmax_kernel[(m,)](x, y, n, BLOCK=16, **options)
