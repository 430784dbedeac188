import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: asserts_of_the_row
# expect: not applied, not-lane-by-lane
"""An assertion about the row would hold for rows past the end too."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=1.0)
    tl.device_assert(tl.min(x, axis=0) > 0.0)
    tl.store(Y + row, tl.sum(x))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: axis_by_a_parameter
# expect: not applied, not-lane-by-lane
"""The axis of a reduction is a parameter."""


@triton.jit
def kernel(X, Y, stride, N, AXIS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=AXIS), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, 0, BLOCK=triton.next_power_of_2(n))
    return y


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
# expect: not applied, not-lane-by-lane
"""A reduction by a function, which may ask for an order."""


@triton.jit
def later(a, b):
    return b


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.reduce(x, 0, later), mask=cols < N)
# shared: run


# case: compared_twice
# expect: not applied, not-lane-by-lane
"""A chained comparison asks for one truth in the middle."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=0 <= row < N, other=0.0)
    tl.store(Y + row, tl.sum(x))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: filled_with_the_row
# expect: not applied, not-lane-by-lane
"""tl.full of a number of the row."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    total = tl.full([BLOCK], tl.sum(x), tl.float32)
    tl.store(Y + row * stride + cols, total, mask=cols < N)
# shared: run


# case: folded_in_two
# expect: not applied, not-lane-by-lane
"""The tile of a row is folded into one of two axes."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    pairs = tl.sum(tl.reshape(x, (BLOCK // 2, 2)), axis=1)
    half = tl.arange(0, BLOCK // 2)
    tl.store(Y + row * stride + half, pairs, mask=half < N // 2)
# shared: run


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
# expect: not applied, not-lane-by-lane
"""A helper sums along the axis of one row."""


@triton.jit
def norm(x):
    return x / tl.sqrt(tl.sum(x * x, axis=0))


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, norm(x), mask=cols < N)
# shared: run


# case: helper_that_stores
# expect: not applied, not-lane-by-lane
"""A helper stores the row."""


@triton.jit
def put(pointers, x, mask):
    tl.store(pointers, x, mask=mask)


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    put(Y + row * stride + cols, x - tl.sum(x), cols < N)
# shared: run


# case: hint_of_one_axis
# expect: not applied, not-lane-by-lane
"""A hint has a number for each axis."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    offsets = tl.max_contiguous(row * stride + cols, BLOCK)
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x - tl.sum(x), mask=cols < N)
# shared: run


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
# expect: not applied, not-lane-by-lane
"""What all rows share has two axes."""


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = tl.load(W + cols[:, None] * N + cols[None, :])
    tl.store(Y + row * stride + cols, tl.sum(w * x, axis=1))


# tritonopt: x: f32[m, 16], w: f32[16, 16]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y


# case: old_value_of_an_atomic
# expect: not applied, not-lane-by-lane
"""An atomic gives each program a ticket."""


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    ticket = tl.atomic_add(Count + row, 1)
    tl.store(Y + row * stride + cols, x * ticket - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    count = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: outer_product
# expect: not applied, not-lane-by-lane
"""The tile of a row gets a second axis."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    square = x[:, None] * x[None, :]
    tl.store(Y + row * stride + cols, tl.sum(square, axis=1), mask=cols < N)
# shared: run


# case: place_of_two_kinds
# expect: not applied, not-lane-by-lane
"""The place of the row, or one place for all rows."""


@triton.jit
def kernel(X, S, Y, stride, N, HAS_S: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_S:
        place = S + row
    else:
        place = S
    tl.store(Y + row * stride + cols, x * tl.load(place) - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, s, y, x.stride(0), n, HAS_S=True, BLOCK=block)
    return y


# case: scans_one_tile
# expect: not applied, not-lane-by-lane
"""What stands in the branch for one tile cannot be lifted."""


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.max(tl.sort(x), axis=0))
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: seed_of_the_row
# expect: not applied, not-lane-by-lane
"""Each row has a seed of its own."""


@triton.jit
def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    keep = tl.rand(seed + row, cols) > 0.5
    tl.store(Y + row * stride + cols, tl.where(keep, x - tl.sum(x), 0.0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, 7, BLOCK=triton.next_power_of_2(n))
    return y


# case: sorted_rows
# expect: not applied, not-lane-by-lane
"""The elements of a row, in their order."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, tl.sort(x), mask=cols < N)
# shared: run


# case: spread_by_shape
# expect: not applied, not-lane-by-lane
"""A number of the row becomes a tile of a shape that is written down."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    total = tl.broadcast_to(tl.sum(x), [BLOCK])
    tl.store(Y + row * stride + cols, total, mask=cols < N)
# shared: run


# case: ticket_for_all
# expect: not applied, not-lane-by-lane
"""A ticket from one counter, which nothing else depends on."""


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    ticket = tl.atomic_add(Count, 1)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    count = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, count


# case: type_of_the_pointer
# expect: not applied, not-lane-by-lane
"""The type of a pointer is not what it points to once there are several."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(X.type.element_ty)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
# shared: run


# case: waits_for_the_row
# expect: not applied, not-lane-by-lane
"""A `while` that goes on until a number of the row is small."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    while tl.max(x, axis=0) > 1.0:
        x = x * 0.5
    tl.store(Y + row * stride + cols, x, mask=cols < N)
# shared: run
