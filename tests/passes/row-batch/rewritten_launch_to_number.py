import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# case: launch_tuple
"""A tuple at the launch is divided there, by a number that the launcher names before it."""
# shared: softmax_kernel


# tritonopt: x: f32[m, n]
def softmax(x):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    assert n_cols <= 256
    y = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK=BLOCK)
    return y


# case: launch_variable
"""A tuple that is bound before its tile length is bound after it; constexprs go by their places."""
# shared: softmax_kernel


# tritonopt: x: f32[b, m, n]
def softmax(x):
    x = x.contiguous()
    batch, seq, n_cols = x.shape
    assert n_cols <= 256
    y = torch.empty_like(x)
    grid = (batch * seq,)
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[grid](x, y, x.stride(1), n_cols, BLOCK)
    return y


# case: launched_unless_empty
"""Where a launcher may leave between grid and launch, nothing is divided before the launch."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def by_a_tuple(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    if n == 0:
        return y
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    n = x.shape[-1]
    y = torch.zeros(x.shape[:-1], device=x.device)

    def grid(meta):
        return (x.numel() // n,)

    if n == 0:
        return y
    kernel[grid](x, y, n, n, BLOCK=triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[m, n]
def under_a_test(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)  # a program for each row
    if n > 0:
        kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# case: leaves_before_a_full_tile
# like: leaves_before_its_tile
# verify: no, no row leaves
"""The tile is made behind the return, and has lanes at each launch."""
#     m, n = x.shape
#+    assert n <= 64
#-    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=64)


# case: long_count_of_rows
"""How many rows there are takes a long line; how long a tile is, is a number."""


@triton.jit
def largest_kernel(X, Largest, N, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=-float("inf"))
    tl.store(Largest + part, tl.max(x, axis=0))


def largest_of_parts(x):
    number_of_elements = x.numel()
    largest = torch.empty(triton.cdiv(number_of_elements, 64), device=x.device)
    grid = lambda meta: (triton.cdiv(number_of_elements, meta["BLOCK"]),)
    largest_kernel[grid](x.contiguous(), largest, number_of_elements, BLOCK=64)
    return largest


# case: loops_and_leaves_in_one_kernel
"""Rows leave before and behind the two branches."""


@triton.heuristics({"SHORT": lambda args: args["rest"] + 1 <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, Kept, Wanted, stride, rest, BLOCK: tl.constexpr, SHORT: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(Wanted + row) == 0:
        return
    if SHORT:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0), axis=0)
    else:
        total = 0.0
        for start in range(0, rest + 1, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < rest + 1, other=0.0)
            total += tl.sum(x, axis=0)
    tl.store(Y + row, total)
    if total < 0.0:
        return
    tl.store(Kept + row, 1)


# tritonopt: x: f32[m, n], wanted: i32[m] in 0..2
def run(x: torch.Tensor, wanted: torch.Tensor):
    m, n = x.shape
    x, wanted = x.contiguous(), wanted.contiguous()
    y = torch.zeros(m, device=x.device)
    kept = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, kept, wanted, x.stride(0), n - 1, BLOCK=16)
    return y, kept


# case: loops_for_long_rows_in_one_kernel
"""Only rows that one tile holds are handled several at once; what goes before and behind is for
both."""


@triton.heuristics({"ONE_TILE": lambda args: 0 < args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, Total, stride, N, scale, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    half = scale / 2
    X += row * stride
    Y += row * stride  # where it goes

    # Few elements are loaded once.
    if ONE_TILE:  # by the heuristic
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        total = tl.sum(x, axis=0)
        tl.store(Y + cols, x * half, mask=cols < N)
    # Others are loaded twice.
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            total += tl.sum(tl.load(X + start + cols, mask=start + cols < N, other=0.0), axis=0)
        for start in range(0, N, BLOCK):
            x = tl.load(X + start + cols, mask=start + cols < N, other=0.0)
            tl.store(Y + start + cols, x * half, mask=start + cols < N)

    # One number to a row.
    tl.store(Total + row, total * half)


# tritonopt: x: f32[m, n], scale: float
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    y, total = torch.zeros_like(x), torch.zeros(m, device=x.device)
    block = min(16, triton.next_power_of_2(n))
    kernel[(m,)](x, y, total, x.stride(0), n, scale, BLOCK=block)
    return y, total


# case: loops_of_one_length
"""The condition is asked at run time, so that both branches are compiled."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if N <= BLOCK:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: loops_on_one_line
"""What goes into both branches shares its line."""


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0); X += row * stride  # fmt: skip
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
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


# case: loops_that_scan
"""A scan in the loop of rows that take several tiles runs along the columns."""


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
    else:
        total = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
            total += tl.max(tl.where(cols % BLOCK == BLOCK - 1, tl.cumsum(x, axis=0), -float("inf")))
        tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: loops_where_told
# like: loops_of_one_length
"""The launch cannot ask what the heuristic asks, so a program may have several rows in both."""
# import triton.language as tl
#
#
#+def fits(args):
#+    return args["N"] <= args["BLOCK"]
#+
#+
#+@triton.heuristics({"ONE_TILE": fits})
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
#-    if N <= BLOCK:
#+    if ONE_TILE:


# case: mask_before_a_return
"""Rows leave after the mask is made."""


@triton.jit
def kernel(X, L, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    length = tl.load(L + row)
    if length == 0:
        return
    x = tl.load(X + row * stride + cols, mask=mask & (cols < length), other=0.0)
    tl.store(Y + row * stride + cols, x / length, mask=mask)


# tritonopt: x: f32[m, n], l: i32[m] in 0..n
def run(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.zeros_like(x)
    assert n <= 16
    kernel[(m,)](x, l, y, x.stride(0), n, BLOCK=16)
    return y


# case: mask_bound_twice
"""A mask that is made in two steps tests the row in one of them, and needs no other test."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    mask &= row < M
    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
    tl.store(Y + row * N + cols, x - tl.sum(x, axis=0) / N, mask=mask)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: mask_made_before_the_row
"""The mask is made before the program asks for its row."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    row = tl.program_id(0)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.max(x, axis=0), mask=mask)
# shared: run


# case: mask_made_twice
# like: mask_that_is_counted
"""One name is the mask of the load, then that of the store."""
#-    count = tl.sum(mask.to(tl.int32), axis=0)

#-    for _ in range(0, count):
#-        x = x * 0.5 + 1.0
#+    mask = (cols < N) & (cols > 0)
#-    y = torch.empty_like(x)
#+    y = torch.zeros_like(x)


# case: mask_of_every_access
"""All that the mask is used for is of the row: it tests the rows where it is made."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    e = tl.where(mask, e, 0.0)
    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)
# shared: run


# case: mask_of_the_row_already
"""The mask tests the rows already, against what the grid has; a second one tests fewer."""


@triton.jit
def kernel(X, Y, Z, stride, M, N, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    here = row < M
    mask = here & (cols < N)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.max(x), mask=mask & (cols > 0))
    tl.store(Z + row, tl.sum(x), mask=row < half)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y, z = torch.zeros_like(x), torch.zeros(m, device=x.device)
    assert n <= 16
    kernel[(m,)](x, y, z, x.stride(0), m, n, m // 2, BLOCK=16)
    return y, z


# case: mask_that_is_counted
"""The columns of the mask are counted, once for all rows."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    count = tl.sum(mask.to(tl.int32), axis=0)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    for _ in range(0, count):
        x = x * 0.5 + 1.0
    tl.store(Y + row * stride + cols, x - tl.max(x, axis=0), mask=mask)
# shared: run


# case: masks_of_all_kinds
"""A mask that says nothing, one that is a number for the row, and none."""


@triton.jit
def kernel(X, Y, Z, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, None)
    z = tl.load(X + row * stride + cols, mask=row > 0, other=cols)
    y = tl.sum(x, 0) + tl.sum(z, -1)
    tl.store(Y + row, y, mask=True)
    tl.store(Z + row * stride + cols, y)


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty_like(x)
    kernel[(m,)](x, y, z, x.stride(0), m, n, BLOCK=16)
    return y, z


# case: method_of_a_class
"""A kernel that a launch calls by no name of its own has no other beside it: it does both."""


class Sums:
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
    Sums.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: name_bound_again_at_once
"""A name of the grid is bound again before the launch, or before the second of two."""
# shared: kernel


# tritonopt: x: f32[m, n]
def once(x):
    m, n = x.shape
    assert n <= 64
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    grid = (m,)
    m = m + 1
    kernel[grid](x, y, n, BLOCK=64)
    return y


# tritonopt: x: f32[m, n]
def twice(x):
    m, n = x.shape
    assert n <= 64
    x = x.contiguous()
    y, z = torch.empty(m, device=x.device), torch.empty(m, device=x.device)
    grid = (m,)
    kernel[grid](x, y, n, BLOCK=64)
    m = 2 * m
    kernel[grid](x, z, n, BLOCK=64)
    return y, z


# case: names_bound_again
"""Names that are bound again between a grid and its launch are other numbers there."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def counted(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    grid = (m,)
    m = 7
    block = triton.next_power_of_2(n)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y * m


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(2 * m, device=x.device)
    grid = lambda meta: (2 * m,)
    x = torch.cat([x, x])
    m = m // 2
    block = triton.next_power_of_2(n)
    y = torch.empty(2 * m, device=x.device)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def tiled(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = 16
    grid = (m, triton.cdiv(1, block))
    block = triton.next_power_of_2(n)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# case: narrow_conditions
"""Conditions of the row, or of the column, choose between tiles and numbers."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    largest = tl.max(x, axis=0)
    x = tl.where(largest > 1.0, 0.0, x)
    x = tl.where(cols == 0, largest, x)
    x = tl.where(row == 0, cols.to(tl.float32), x)
    x = tl.clamp(x, -1.0, tl.abs(largest) + 2.0)
    x = tl.fma(largest, cols.to(tl.float32), x)
    tl.store(Y + row * stride + cols, x, mask=mask)
# shared: run


# case: number_made_by_zeros
"""A number begins as a tile of no axes."""


@triton.jit
def kernel(X, Y, C, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    count = tl.zeros((), tl.int32)
    least = tl.full([], 1.0, tl.float32)
    for start in tl.range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        least = tl.minimum(least, tl.min(x, axis=0))
        count += tl.sum((x > 0.0).to(tl.int32), axis=0)
    tl.store(Y + row, least)
    tl.store(C + row, count)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    c = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, c, x.stride(0), n, BLOCK=16)
    return y, c


# case: name_of_one_grid_in_each_branch
"""Each branch binds its own grid to the same name: the one of this kernel is divided."""
# shared: kernel


@triton.jit
def doubled(X, Y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    tl.store(Y + at, x * 2, mask=at < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m * n, dtype=torch.float32, device=x.device)
    if n <= 64:
        grid = (triton.cdiv(m * 64, 64),)
        kernel[grid](x, y, n, BLOCK=64)
    else:
        grid = (triton.cdiv(m * n, 64),)
        doubled[grid](x, y, m * n, BLOCK=64)
    return y


# case: name_of_a_grid_that_is_read_after_the_branches
"""Another launch may read the same grid, which stays."""
# shared: kernel


@triton.jit
def doubled(X, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < N)
    tl.store(X + at, x * 2, mask=at < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m * 2, dtype=torch.float32, device=x.device)
    if n <= 64:
        grid = (m,)
        kernel[grid](x, y, n, BLOCK=64)
    else:
        grid = (m * 2,)
    doubled[grid](y, m * 2, BLOCK=64)
    return y


# case: name_of_a_grid_that_is_bound_again_in_a_branch
"""Which grid this launch reads is open: it is divided at the launch."""
# shared: kernel


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, dtype=torch.float32, device=x.device)
    grid = (m,)
    if m > 12:
        grid = (12,)
    kernel[grid](x, y, n, BLOCK=64)
    return y


# case: number_of_rows_in_other_words
# verify: no, mask_of_the_row_already is verified, and has the number by its name
"""The launch passes the number of rows, as another product than in its grid."""


@triton.jit
def kernel(X, Y, num_tokens, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x / tl.sum(x, axis=0), mask=cols < N)


# tritonopt: x: f32[b, s, n]
def run(x: torch.Tensor):
    b, s, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(b * s,)](x, y, s * b, n, BLOCK=64)
    return y


# case: number_of_other_rows
# verify: no, mask_of_the_row_already is verified
"""What is passed is the number of another tensor's rows."""


@triton.jit
def kernel(X, Y, num_tokens, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x * num_tokens / tl.sum(x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n], z: f32[k]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, z.shape[0], n, BLOCK=64)
    return y


# case: launched_by_its_arguments
# verify: no, flag_gems is not installed
"""The decorator keeps what was compiled by all arguments, and so by one more."""

from flag_gems.utils import libentry


@libentry()
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x) / N, mask=cols < N)


def center(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
