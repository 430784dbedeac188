import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# case: arguments_in_a_list
# like: keeps_its_axis
"""A list that is written out is passed as it stands; what is new has a name."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)
#-def run(x: torch.Tensor):
#+def centered(x: torch.Tensor):
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    sizes = [x.stride(0), n]
#+    kernel[(m,)](x, y, *sizes, BLOCK=triton.next_power_of_2(n))


# case: arguments_on_one_line
"""Arguments that stand together on a line get a line each where that line gets too long.

A tile whose length has one letter is a block in the launcher.
"""


@triton.jit
def kernel(X, Y, stride, N, B: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, B)
    one_of_two = tl.load(
        X + row * stride + cols, mask=(cols < N) & (cols % 2 == 0), other=-float("inf")
    ).to(tl.float32)
    largest = tl.max(one_of_two, axis=0)
    tl.store(
        Y + row * stride + cols, tl.where(one_of_two > largest - 1, one_of_two, 0.0), mask=cols < N
    )


# tritonopt: x: f32[m, n]
def kept(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, B=triton.next_power_of_2(n))
    return y


# case: begins_in_branches
"""What a loop carries begins in two branches, with an axis for the rows in both."""


@triton.jit
def kernel(X, Y, stride, N, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FLAG:
        total = tl.zeros([BLOCK], dtype=tl.float32)
    else:
        total = tl.full([BLOCK], 1.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total))


# tritonopt: x: f32[m, n], flag: bool
def run(x: torch.Tensor, flag: bool):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, FLAG=flag, BLOCK=16)
    return y


# case: branches_for_all
"""Branches that are the same for all rows stay."""


@triton.jit
def kernel(X, W, Y, stride, N, scale, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if N == 0:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_W:
        w = tl.load(W + cols, mask=cols < N, other=1.0)
        x = x * w
    if scale > 1:
        x = x / tl.sum(x * x, axis=0)
    else:
        x = -x
    tl.store(Y + row * stride + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n], scale: int in 0..3
def run(x: torch.Tensor, w: torch.Tensor, scale: int):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, w, y, x.stride(0), n, scale, HAS_W=True, BLOCK=block)
    return y


# case: comments_above_and_behind_the_launch
"""A launch with a comment above it and one behind: both stand with each of the two launches."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, x - tl.sum(x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # One program for each row.
    kernel[(m,)](x, y, n, BLOCK=block)  # on the current stream
    return y


# case: comments_at_parameters
"""What a heuristic chose is not asked in the new kernel; comments stay at their parameters."""


@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(
    X,  # rows
    Y
    , N  # how long a row is
    , BLOCK: tl.constexpr  # a power of two
    # whether one tile holds a row
    , ONE_TILE: tl.constexpr  # set by the heuristic
):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        total = tl.sum(tl.load(X + row * N + cols, mask=cols < N, other=0.0), axis=0)
        tl.store(Y + row, total)
    else:
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y


# case: count_by_another_name
"""A number that a launch passes is the number of its rows, by whatever its grid is written."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    length = 1 * n
    grid = lambda meta: (triton.cdiv(m * n, length),)
    kernel[grid](x, y, x.stride(0), m, n, triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[m, n]
def by_its_shape(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(x.shape[0],)](x, y, x.stride(0), m, n, triton.next_power_of_2(n))
    return y


# case: either_of_two_kinds
"""A scale of the row, or 1.0 for all rows."""


@triton.jit
def kernel(X, S, Y, stride, N, HAS_S: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_S:
        scale = tl.load(S + row)
    else:
        scale = 1.0
    tl.store(Y + row * stride + cols, x * scale - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, s, y, x.stride(0), n, HAS_S=m > 1, BLOCK=block)
    return y


# case: grid_before_a_loop
"""A grid is bound before a loop that launches: it is divided where the launch is."""
# shared: kernel


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    for i in range(3):
        kernel[grid](x, y[i], x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def growing(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    for i in range(3):
        kernel[grid](x, y[i], x.stride(0), n, BLOCK=block)
        block = block * 2
    return y


# case: grid_by_keyword
# verify: no, verification does not watch launches by run
"""Of a launch by `run`, the grid is evaluated among the arguments."""
# shared: kernel


# tritonopt: x: f32[b, m, n]
def run(x):
    x = x.contiguous()
    b, m, n = x.shape
    k = b * m
    y = torch.empty(k, device=x.device)
    kernel.run(x, y, x.stride(1), n, BLOCK=triton.next_power_of_2(n), grid=(b * m,), warmup=False)
    return y


# case: grid_function_of_two_kernels
"""A function that another kernel is launched with too stays: this launch gets a tuple."""
# shared: kernel


@triton.jit
def scale_kernel(Y, M, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(Y + row, tl.load(Y + row) * 2.0, mask=row < M)


# tritonopt: x: f32[b, m, n]
def run(x):
    x = x.contiguous()
    b, m, n = x.shape
    y = torch.empty(b * m, device=x.device)
    grid = lambda meta: (b * m,)
    kernel[grid](x, y, x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    scale_kernel[grid](y, b * m, BLOCK=16)
    return y


# case: grid_is_printed
# like: launcher_lists_its_names
"""A tuple that something else reads stays as it is."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#-    return y, sorted(locals())
#+    grid = (m,)
#+    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    return y * grid[0]


# case: grid_of_a_branch
"""A name for one of two tuples is read where it is launched."""
# shared: kernel


# tritonopt: x: f32[m, n], twice: bool
def run(x, twice):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    if twice:
        grid = (m, 2)
    else:
        grid = (m, 1)
    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: grid_of_two_kernels
"""A tuple that another kernel is launched with too stays: this launch gets its own."""
# shared: kernel


@triton.jit
def scale_kernel(Y, M, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    tl.store(Y + row, tl.load(Y + row) * 2.0, mask=row < M)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    scale_kernel[grid](y, m, BLOCK=block)
    return y


# case: grid_of_two_launches
"""Two launches of one kernel share a tuple, which is divided once if they pass the same tile."""
# shared: kernel


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y, z = torch.empty(2, m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    kernel[grid](x, z, x.stride(0), n - 1, BLOCK=block)
    return y, z


# tritonopt: x: f32[m, n]
def with_two_tiles(x):
    x = x.contiguous()
    m, n = x.shape
    y, z = torch.empty(2, m, device=x.device)
    grid = (m,)
    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    kernel[grid](x, z, x.stride(0), 2, BLOCK=2)
    return y, z


# tritonopt: x: f32[m, n]
def with_a_function(x):
    x = x.contiguous()
    m, n = x.shape
    y, z = torch.empty(2, m, device=x.device)
    grid = lambda META: (m,)
    kernel[grid](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    kernel[grid](x, z, x.stride(0), 2, BLOCK=2)
    return y, z


# case: helper_makes_columns
"""A helper gives the columns, another one reads weights at them."""


@triton.jit
def columns(BLOCK: tl.constexpr):
    return tl.arange(0, BLOCK)


@triton.jit
def weights(W, cols, N):
    return tl.load(W + cols, mask=cols < N, other=0.0)


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = columns(BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = weights(W, cols, N)
    tl.store(Y + row * stride + cols, x * w - tl.max(x), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y


# case: helper_of_several_kinds
# like: keeps_its_axis
"""A helper gets a tile and a number of the row."""
# @triton.jit
#+def scaled(x, s):
#+    return x * s
#+
#+
#+@triton.jit
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, scaled(x, tl.sum(x)), mask=cols < N)


# case: inline_ids
"""The program id is asked for wherever it is needed."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr = 64):
    """Sums of rows."""
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0), x.sum(axis=0))


# tritonopt: x: f32[m, n]
def sums(x: torch.Tensor):
    m, n = x.shape
    x = x[:, :64].contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, m, x.shape[1])
    return y


# case: keeps_its_axis
"""A reduction that keeps its axis."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


# case: kept_axis_carried
# like: number_of_64_bits
"""A loop carries what reductions leave of the tile: an axis of one."""
#-    total = 1e-300
#+    total = tl.zeros([1], dtype=tl.float32)
#-        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
#-    tl.store(Y + row, total)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+        total += tl.sum(x * x, axis=0, keep_dims=True)
#+    tl.store(Y + row + tl.arange(0, 1), tl.sqrt(total))
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, device=x.device)
#+    assert n <= 16


# case: kernel_of_an_object
"""An object keeps the kernel, and its method launches it; the class holds another name for it."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


class Centering:
    held = kernel

    def __init__(self):
        self.kernel = kernel

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y

    def again(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.held[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y


# tritonopt: x: f32[m, n]
def centered(x):
    centering = Centering()
    return centering.again(centering.forward(x.contiguous()))


# case: largest_with_its_place
"""The largest of a tile comes with its place, as two results."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    place = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        in_tile, at = tl.max(x, axis=0, return_indices=True)
        place = tl.where(in_tile > largest, start + at, place)
        largest = tl.maximum(largest, in_tile)
    tl.store(Y + row, place)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: launch_autograd
# assume: BLOCK <= 256
"""An autograd function, sizes from a helper, an argument on each line, options after constexprs."""


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


def settings(n):
    block_size = triton.next_power_of_2(n)
    if block_size > 256:
        raise RuntimeError("rows of up to 256 elements")
    num_warps = 4 if block_size < 128 else 8
    return block_size, num_warps


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, X):
        X = X.contiguous()
        n_rows, n_cols = X.shape
        BLOCK_SIZE, num_warps = settings(n_cols)
        Y = torch.empty_like(X)
        softmax_kernel[(n_rows,)](
            X,
            Y,
            X.stride(0),
            n_cols,
            BLOCK_SIZE,
            num_warps=num_warps,
        )
        return Y


# tritonopt: x: f32[m, n]
def softmax(x):
    return Softmax.apply(x)


# case: launch_def
# like: launch_tuple
"""What a nested function computes is named before it; it reads the number that the launch passes."""
#-    n_rows, n_cols = x.shape
#+    n_cols = x.shape[-1]
#-    BLOCK = triton.next_power_of_2(n_cols)
#-    softmax_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK=BLOCK)
#+    block = triton.next_power_of_2(n_cols)
#+
#+    def grid(meta):
#+        return (x.numel() // n_cols,)
#+
#+    softmax_kernel[grid](x, y, n_cols, n_cols, BLOCK=block, num_warps=4)


# case: launch_lambda
# like: launch_tuple
"""A lambda of the arguments reads the number that the launch passes; a tile is named once."""
#-    assert n_cols <= 256
#+    if n_cols > 256:
#+        raise ValueError("rows of up to 256 elements")
#-    BLOCK = triton.next_power_of_2(n_cols)
#-    softmax_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK=BLOCK)
#+    grid = lambda meta: (n_rows,)
#+    softmax_kernel[grid](x, y, x.stride(0), n_cols, BLOCK=triton.next_power_of_2(n_cols))


# case: helper_under_another_name
"""A global is another name of a helper, which computes lane by lane."""


@triton.jit
def squared(x):
    return x * x


power = squared


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N + cols, power(x), mask=cols < N)


def launch(x):
    m, n = x.shape
    assert n <= 128
    y = torch.empty_like(x)
    kernel[(m,)](x.contiguous(), y, n, BLOCK=128)
    return y
