import torch
import triton
import triton.language as tl


# case: asserts_of_the_row
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""An assertion about the row would hold for rows past the end too."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    x = tl.load(X + row * stride + cols, mask=cols < N, other=1.0)
#+    tl.device_assert(tl.min(x, axis=0) > 0.0)
#+    tl.store(Y + row, tl.sum(x))
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)


# case: axis_by_a_parameter
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""The axis of a reduction is a parameter."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, AXIS: tl.constexpr, BLOCK: tl.constexpr):
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=AXIS), mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), n, 0, BLOCK=triton.next_power_of_2(n))


# case: carried_by_an_unrolled_loop
# expect: not applied, not-lane-by-lane
"""In an unrolled loop a number stays a number, and takes on the type of the row."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, TILES: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for tile in tl.static_range(TILES):
        cols = tile * BLOCK + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16, TILES=triton.cdiv(n, 16))
    return y


# case: combines_in_its_own_way
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A reduction by a function, which may ask for an order."""
# @triton.jit
#+def later(a, b):
#+    return b
#+
#+
#+@triton.jit
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.reduce(x, 0, later), mask=cols < N)


# case: compared_twice
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A chained comparison asks for one truth in the middle."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    x = tl.load(X + row * stride + cols, mask=0 <= row < N, other=0.0)
#+    tl.store(Y + row, tl.sum(x))
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)


# case: filled_with_the_row
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""tl.full of a number of the row."""
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    total = tl.full([BLOCK], tl.sum(x), tl.float32)
#+    tl.store(Y + row * stride + cols, total, mask=cols < N)


# case: folded_in_two
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""The tile of a row is folded into one of two axes."""
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    pairs = tl.sum(tl.reshape(x, (BLOCK // 2, 2)), axis=1)
#+    half = tl.arange(0, BLOCK // 2)
#+    tl.store(Y + row * stride + half, pairs, mask=half < N // 2)


# case: helper_loads
# expect: not applied, not-lane-by-lane
"""A helper loads the row, and knows nothing of rows past the end."""


@triton.jit
def get(pointers):
    return tl.load(pointers)


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = get(X + row * stride + cols)
    tl.store(Y + row * stride + cols, x - tl.sum(x))


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(x.shape[0],)](x, y, x.stride(0), BLOCK=16)
    return y


# case: helper_that_reduces
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A helper sums along the axis of one row."""
# @triton.jit
#+def norm(x):
#+    return x / tl.sqrt(tl.sum(x * x, axis=0))
#+
#+
#+@triton.jit
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    tl.store(Y + row * stride + cols, norm(x), mask=cols < N)


# case: helper_that_stores
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A helper stores the row."""
# @triton.jit
#+def put(pointers, x, mask):
#+    tl.store(pointers, x, mask=mask)
#+
#+
#+@triton.jit
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    put(Y + row * stride + cols, x - tl.sum(x), cols < N)


# case: hint_of_one_axis
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A hint has a number for each axis."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    offsets = tl.max_contiguous(row * stride + cols, BLOCK)
#+    x = tl.load(X + offsets, mask=cols < N, other=0.0)
#+    tl.store(Y + offsets, x - tl.sum(x), mask=cols < N)


# case: mask_of_the_row_alone
# expect: not applied, not-lane-by-lane
"""All rows read one place, some of them not."""


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = tl.load(W + cols, mask=(cols < N) & (row > 0), other=0.0)
    tl.store(Y + row * stride + cols, x * w - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: matrix_for_all
# like: mask_of_the_row_alone
# expect: not applied, not-lane-by-lane
"""What all rows share has two axes."""
#-    w = tl.load(W + cols, mask=(cols < N) & (row > 0), other=0.0)
#-    tl.store(Y + row * stride + cols, x * w - tl.sum(x), mask=cols < N)
#+    w = tl.load(W + cols[:, None] * N + cols[None, :])
#+    tl.store(Y + row * stride + cols, tl.sum(w * x, axis=1))
#-# tritonopt: x: f32[m, n], w: f32[n]
#+# tritonopt: x: f32[m, 16], w: f32[16, 16]
#-    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)


# case: old_value_of_an_atomic
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""An atomic gives each program a ticket."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    ticket = tl.atomic_add(Count + row, 1)
#+    tl.store(Y + row * stride + cols, x * ticket - tl.sum(x), mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    count = torch.zeros(m, dtype=torch.int32, device=x.device)
#+    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))


# case: outer_product
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""The tile of a row gets a second axis."""
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    square = x[:, None] * x[None, :]
#+    tl.store(Y + row * stride + cols, tl.sum(square, axis=1), mask=cols < N)


# case: place_of_two_kinds
# like: either_of_two_kinds
# expect: not applied, not-lane-by-lane
"""The place of the row, or one place for all rows."""
#-        scale = tl.load(S + row)
#+        place = S + row
#-        scale = 1.0
#-    tl.store(Y + row * stride + cols, x * scale - tl.sum(x), mask=cols < N)
#+        place = S
#+    tl.store(Y + row * stride + cols, x * tl.load(place) - tl.sum(x), mask=cols < N)
#-    kernel[(m,)](x, s, y, x.stride(0), n, HAS_S=m > 1, BLOCK=block)
#+    kernel[(m,)](x, s, y, x.stride(0), n, HAS_S=True, BLOCK=block)


# case: scans_one_tile
# like: loops_on_one_line
# expect: not applied, not-lane-by-lane
"""What stands in the branch for one tile cannot be lifted."""
#-    row = tl.program_id(0); X += row * stride  # fmt: skip
#+    row = tl.program_id(0)
#+    X += row * stride
#-        tl.store(Y + row, tl.sum(x, axis=0))
#+        tl.store(Y + row, tl.max(tl.sort(x), axis=0))


# case: seed_of_the_row
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""Each row has a seed of its own."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    keep = tl.rand(seed + row, cols) > 0.5
#+    tl.store(Y + row * stride + cols, tl.where(keep, x - tl.sum(x), 0.0), mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), n, 7, BLOCK=triton.next_power_of_2(n))


# case: sorted_rows
# expect: not applied, not-lane-by-lane
"""The elements of a row, in their order."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: spread_by_shape
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A number of the row becomes a tile of a shape that is written down."""
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    total = tl.broadcast_to(tl.sum(x), [BLOCK])
#+    tl.store(Y + row * stride + cols, total, mask=cols < N)


# case: ticket_for_all
# like: one_counter
# expect: not applied, not-lane-by-lane
"""A ticket from one counter, which nothing else depends on."""
#     cols = tl.arange(0, BLOCK)
#+    ticket = tl.atomic_add(Count, 1)
#-    tl.atomic_add(Count, 1)


# case: type_of_the_pointer
# like: volatile
# expect: not applied, not-lane-by-lane
"""The type of a pointer is not what it points to once there are several."""
#     row = tl.program_id(0)
#+    X += row * stride
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0, volatile=True)
#+    x = tl.load(X + cols, mask=cols < N, other=0.0).to(X.type.element_ty)


# case: waits_for_the_row
# like: sorted_rows
# expect: not applied, not-lane-by-lane
"""A `while` that goes on until a number of the row is small."""
#-    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
#+    while tl.max(x, axis=0) > 1.0:
#+        x = x * 0.5
#+    tl.store(Y + row * stride + cols, x, mask=cols < N)
