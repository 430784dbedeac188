import torch
import triton
import triton.language as tl


# case: one_number_from_another
# like: number_of_64_bits
"""Two numbers that a loop carries, one of which begins as the other."""
#-    total = 1e-300
#+    a = 0.5
#+    b = a
#-        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
#-    tl.store(Y + row, total)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+        b += tl.sum(x)
#+        a = tl.maximum(a, tl.max(x, axis=0))
#+    tl.store(Y + row, a + b)


# case: online_loop
"""A row in several tiles: what the loop carries begins as one for each row."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, tl.exp(x - m) / s, mask=cols < N)


# tritonopt: x: f32[m, n]
def softmax(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=16)
    return y


# case: parameter_by_its_name
"""A parameter that a decorator names may go behind a new one."""


@triton.jit(do_not_specialize=["N"])
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, triton.next_power_of_2(n), num_warps=2)
    return y


# case: parameter_by_its_number
# like: parameter_by_its_name
"""A parameter that a decorator numbers keeps its place: the new ones are passed by name."""
#-@triton.jit(do_not_specialize=["N"])
#+@triton.jit(do_not_specialize=[3])


# case: parameters_with_defaults
# like: launcher_lists_its_names
"""A new parameter without a default stands before those with one."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, scale=1.0, BLOCK: tl.constexpr = 16):
#-    tl.store(Y + row, tl.sum(x, axis=0))
#+    tl.store(Y + row, tl.sum(x, axis=0) * scale)
#-    return y, sorted(locals())
#+    kernel[(m,)](x, y, x.stride(0), n, 1.0, triton.next_power_of_2(n))
#+    kernel[(m,)](N=n, BLOCK=triton.next_power_of_2(n), X=x, Y=y, stride=x.stride(0), num_warps=2)
#+    return y


# case: pointers_of_tiles
"""Pointers to the tile of a row go on from tile to tile."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    cols = tl.arange(0, BLOCK)
    x_ptrs = X + row * stride + cols
    y_ptrs = Y + row * stride + cols
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptrs, mask=start + cols < N)
        tl.store(y_ptrs, x * 2.0, mask=start + cols < N)
        x_ptrs += BLOCK
        y_ptrs += BLOCK


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: prefix_sums
# like: keeps_its_axis
"""A prefix sum along the row."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, tl.cumsum(x) + x.cumsum(0), mask=cols < N)


# case: product_of_a_row
"""A reduction by a function that multiplies, which asks for no order."""


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    product = 1.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=1.0)
        product *= tl.reduce(x, 0, multiply)
    tl.store(Y + row, product)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: reduced_in_a_loop
"""Were its axis not kept, the compiler would fail an assertion at the maximum, used twice."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)
    tl.store(Y + row, largest + tl.log(total))


def logsumexp(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device, dtype=torch.float32)
    kernel[(m,)](x, y, m, n, BLOCK=64)
    return y


# case: row_in_the_tile_of_an_iteration
# like: mask_made_before_the_row
"""The row is used again where its name means something else."""
# def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+    row = tl.program_id(0)
#+    X += row * stride
#+    Y += row * stride
#+    row = row % 2
#-    row = tl.program_id(0)
#-    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
#-    tl.store(Y + row * stride + cols, x - tl.max(x, axis=0), mask=mask)
#+    x = tl.load(X + cols, mask=mask, other=0.0)
#+    tl.store(Y + cols, x - tl.max(x) * row, mask=mask)


# case: row_of_one_tile_in_a_loop
# like: row_of_several_tiles_asked_for
"""Squares are added up tile by tile, and a later loop goes through the row again: RMS norm.

Each launch shows that one tile holds the row, so nothing goes on for several tiles.
"""
#     m, n = x.shape
#+    assert n <= 1024


# case: shared_accumulator
"""One accumulator is for all rows, one for each."""


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    both = tl.zeros([BLOCK], dtype=tl.float32)
    shared = tl.full((BLOCK,), 1.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        shared += w
        both += w * tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(both * shared, axis=0))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty(m, device=x.device)
    assert n <= 16
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y


# case: small_constexprs
# like: parameter_by_its_name
"""Names of constexprs in small letters: so is the new one."""
#-@triton.jit(do_not_specialize=["N"])
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+@triton.jit
#+def kernel(X, Y, stride, N, block: tl.constexpr):
#-    cols = tl.arange(0, BLOCK)
#+    cols = tl.arange(0, block)
#-    kernel[(m,)](x, y, x.stride(0), n, triton.next_power_of_2(n), num_warps=2)
#+    kernel[(m,)](x, y, x.stride(0), n, triton.next_power_of_2(n))


# case: softmax_in_one_kernel
# like: softmax
"""Told to write no kernel apart, one does both; a long row then has a tile of two axes."""


# case: tile_carried
# like: number_made_by_zeros
"""A tile of sums begins with an axis for the rows; so does a count."""
#-    count = tl.zeros((), tl.int32)
#-    least = tl.full([], 1.0, tl.float32)
#+    total = tl.zeros([BLOCK], dtype=tl.float32)
#+    largest = tl.full((BLOCK,), -1.0, tl.float32)
#+    count = 0
#-        least = tl.minimum(least, tl.min(x, axis=0))
#+        total += x
#+        largest = tl.maximum(largest, x)
#-    tl.store(Y + row, least)
#+    tl.store(Y + row, tl.sum(total, axis=0) + tl.max(largest, 0))


# case: tile_in_a_dict_of_the_file
"""A dictionary of constants is the file's own, and two launches pass it."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


META = {"BLOCK": 16}


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 16
    x = x.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, **META)
    kernel[(m,)](y, z, x.stride(0), n, **META)
    return z


# case: tile_of_at_most
"""A tile that is seen to be short at most: no kernel is needed for longer ones."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=min(triton.next_power_of_2(n), 256))
    return y


# case: tile_of_at_most_by_name
# like: tile_of_at_most
"""A tile whose name stands for something that is seen to be short at most."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=min(triton.next_power_of_2(n), 256))
#+    block = min(512, 4096, triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)


# case: tile_or_number
# like: mask_of_the_row_alone
"""A tile of weights that all rows share, or a number: both meet the tile of a row."""
#-def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, W, Y, stride, N, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
#-    w = tl.load(W + cols, mask=(cols < N) & (row > 0), other=0.0)
#+    if HAS_W:
#+        w = tl.load(W + cols, mask=cols < N, other=0.0)
#+    else:
#+        w = 1.0
#-    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    block = triton.next_power_of_2(n)
#+    kernel[(m,)](x, w, y, x.stride(0), n, HAS_W=m > 1, BLOCK=block)


# case: tuned_by_the_length
# like: tuned_by_a_key_with_a_name
"""A tuner chooses the warps: it chooses anew where a program has another number of rows."""
#-KEY = ["N"]

#-
#-@triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)], key=KEY)
#+@triton.autotune(
#+    configs=[triton.Config({}, num_warps=warps) for warps in (1, 4)],
#+    key=[
#+        "N",  # how long a row is
#+    ],
#+)


# case: two_grids_before_two_launches
"""Each launch passes its own number, though both are bound before both launches."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n], z: f32[k, l]
def run(x, z):
    x, z = x.contiguous(), z.contiguous()
    m, n = x.shape
    k, l = z.shape
    y, w = torch.empty(m, device=x.device), torch.empty(k, device=x.device)
    one, other = triton.next_power_of_2(n), triton.next_power_of_2(l)
    first_grid = (m,)
    second_grid = (k,)
    kernel[first_grid](x, y, x.stride(0), n, BLOCK=one)
    kernel[second_grid](z, w, z.stride(0), l, BLOCK=other)
    return y, w


# case: weights_are_scanned
"""A tile that all rows share is summed up from the left."""


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    tl.store(Y + row * stride + cols, x * tl.cumsum(w, axis=0), mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y


# case: weights_are_summed
# like: weights_are_scanned
"""A tile that all rows share is reduced to a number for all."""
#     w = tl.load(W + cols, mask=mask, other=0.0)
#+    scale = tl.sum(w, axis=0) + tl.max(w, 0) + tl.min(w) + w.sum()
#-    tl.store(Y + row * stride + cols, x * tl.cumsum(w, axis=0), mask=mask)
#+    tl.store(Y + row * stride + cols, x * scale + w * tl.max(x, axis=0), mask=mask)
