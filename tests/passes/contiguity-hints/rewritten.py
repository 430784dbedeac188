import torch
import triton
import triton.language as tl


# case: assumed_in_the_kernel
"""The kernel says so itself, with tl.assume; the load stands in a helper."""


@triton.jit
def read(base, index):
    return tl.load(base + index)


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    tl.assume(N % BLOCK == 0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.cast(offs % N, tl.int32)
    tl.store(Y + offs, read(X, src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x[:20].repeat(16)
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(n // 8,)](x, y, n, BLOCK=16)
    return y


# case: augmented
"""`offs %= N` computes it in place; the hint goes below."""


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    offs %= N
    x = tl.load(X + offs)
    tl.store(Y + pid * BLOCK + tl.arange(0, BLOCK), x)


BLOCK = 16


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    if n % BLOCK != 0:
        raise ValueError("not a whole number of blocks")
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(2 * n // BLOCK,)](x, y, n, BLOCK)
    return y


# case: autotuned
"""All configurations fit a length that is a multiple of 64: 64 lanes of the widest."""


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64}, num_warps=2),
        triton.Config({"BLOCK": 128}, num_warps=4),
    ],
    key=["N"],
)
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    if n % 64:
        raise ValueError("pad it first")
    y = torch.empty(triton.cdiv(n, 128) * 128, dtype=x.dtype, device=x.device)
    repeat_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y


# case: checked_by_assert
# like: length_of_any_size
"""A ring buffer read twice around; the launcher asserts that its length is a whole number of blocks."""
#     tl.store(Y + offs, tl.load(X + src))
#
#
#+# tritonopt: x: f32[n]
#     n = x.numel()
#+    assert n % 32 == 0
#-    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
#+    repeat_kernel[(2 * n // 32,)](x, y, n, BLOCK=32)


# case: checked_by_raise
"""The launcher raises where its block does not fit, and passes it on by its own name."""


@triton.jit
def gather_rows(X, Y, ROWS, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    rows = (start + tl.arange(0, BLOCK)) % ROWS  # a ring
    values = tl.load(X + rows)
    tl.store(Y + start + tl.arange(0, BLOCK), values * 2.0)


# tritonopt: x: f32[n]
def doubled_ring(x: torch.Tensor):
    rows = x.shape[0]
    block = 16
    if rows % block != 0:
        raise ValueError(f"{rows} rows are no whole number of blocks")
    y = torch.empty(rows + block, dtype=x.dtype, device=x.device)
    gather_rows[(triton.cdiv(rows, block) + 1,)](x, y, rows, block)
    return y


# case: checked_by_torch
# verify: no, the interpreter checks no hints
"""`torch._check` raises as well as an `assert` does."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x: torch.Tensor):
    n = x.numel()
    torch._check(n % 128 == 0)
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(2 * n // 128,)](x, y, n, BLOCK=128)
    return y


# case: chosen_by_a_heuristic
# options: least=4
"""A heuristic chooses the block; the stride is 1 at every launch."""


@triton.heuristics({"BLOCK": lambda args: 32})
@triton.jit
def repeat_kernel(X, Y, N, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src * stride))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x.repeat(4)
    n = x.numel()
    if n % 4 == 0:
        y = torch.empty(triton.cdiv(n, 32) * 32, dtype=x.dtype, device=x.device)
        repeat_kernel[(triton.cdiv(n, 32),)](x, y, n, 1)
        return y
    return x


# case: eight_of_a_block
# options: least=8
"""The length is a multiple of 8, the block has 32 lanes: groups of 8 are all that is true."""


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x[:50]
    n = x.numel() * 8
    x = x.repeat(8)
    y = torch.empty(triton.cdiv(2 * n, 32) * 32, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 32),)](x, y, n, BLOCK=32)
    return y


# case: given_by_the_user
# assume: n_cols % BLOCK_N == 0
"""Nothing in the file shows it, but the user asserts it."""


@triton.jit
def shifted_kernel(X, Y, n_cols, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # The last block wraps to the start of the row.
    wrapped = (col + BLOCK_N) % n_cols
    x = tl.load(X + row * n_cols + wrapped)
    tl.store(Y + row * n_cols + col, x, mask=col < n_cols)


# tritonopt: x: f32[m, n]
def shifted(x: torch.Tensor):
    m, n = x.shape
    x = x[:, :3].repeat(1, 16)
    n = x.shape[1]
    y = torch.empty_like(x)
    shifted_kernel[(m, n // 16)](x, y, n, BLOCK_N=16)
    return y


# case: grouped_programs
"""Tutorial matmul: the tile's number comes from a grouped ordering, and is some integer that is not
negative. Columns of B are contiguous, rows of A are not."""


@triton.jit
def matmul_kernel(
    A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr
):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BM)
    num_pid_n = tl.cdiv(N, BN)
    num_pid_in_group = GROUP * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP
    group_size = min(num_pid_m - first_pid_m, GROUP)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size
    pid_n = (pid % num_pid_in_group) // group_size
    rm = pid_m * BM + tl.arange(0, BM)
    rbn = (pid_n * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a_ptrs = A + rm[:, None] * K + rk[None, :]
    b_ptrs = B + rk[:, None] * N + rbn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        inside = rk < K - k * BK
        a = tl.load(a_ptrs, mask=inside[None, :] & (rm[:, None] < M), other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK * N
    rn = pid_n * BN + tl.arange(0, BN)
    tl.store(C + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


# tritonopt: a: f32[m, k], b: f32[k, n]
def matmul(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    if n % 16:
        raise ValueError("columns come in blocks of 16")
    a, b = a.contiguous(), b.contiguous()
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
    matmul_kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16, GROUP=4)
    return c


# case: inside_an_address
"""Written where it is used, and used twice."""


@triton.jit
def add_rings(X, Y, Out, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(X + i % N)
    b = tl.load(Y + (i % N))
    tl.store(Out + i, a + b)


# tritonopt: x: f32[n], y: f32[n]
def added(x: torch.Tensor, y: torch.Tensor):
    n = x.size(0)
    if not n % 16 == 0:
        raise ValueError(n)
    out = torch.empty(n + 16, dtype=x.dtype, device=x.device)
    add_rings[(n // 16 + 1,)](x, y, out, x.shape[0], 16)
    return out


# case: padded_by_the_launcher
"""The launcher pads the row to whole blocks and passes the padded length."""


@triton.jit
def tile_kernel(src_ptr, dst_ptr, length, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    index = block * BLOCK + lanes
    index = index % length
    value = tl.load(src_ptr + index)
    tl.store(dst_ptr + block * BLOCK + lanes, value)


# tritonopt: x: f32[n]
def tiled(x: torch.Tensor):
    n = x.numel()
    padded = triton.cdiv(n, 64) * 64
    source = torch.zeros(padded, dtype=x.dtype, device=x.device)
    source[:n] = x
    out = torch.empty(3 * padded, dtype=x.dtype, device=x.device)
    tile_kernel[(3 * padded // 64,)](source, out, padded, BLOCK=64)
    return out


# case: row_longer_than_the_block
"""One block of the ring, which is known to be at least as long: no lane wraps at all."""


@triton.jit
def head_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    first: tl.tensor = lanes % N
    tl.store(Y + lanes, tl.load(X + first))


# tritonopt: x: f32[n]
def head(x: torch.Tensor):
    n = x.numel()
    assert n >= 8
    y = torch.empty(8, dtype=x.dtype, device=x.device)
    head_kernel[(1,)](x, y, n, BLOCK=8)
    return y


# case: selected_in_a_loop
"""The loop ends at N, which is a whole number of blocks: no lane is ever selected away."""


@triton.jit
def sum_kernel(X, Out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        safe = tl.where(cols < N, cols, 0)
        acc += tl.load(X + row * N + safe)
    tl.store(Out + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n]
def row_sums(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0, "whole blocks only"
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    sum_kernel[(m,)](x.contiguous(), out, n, BLOCK=16)
    return out


# case: selected_within_the_grid
"""The grid has just as many programs as there are whole blocks; the other side is written first."""


@triton.jit
def scale_kernel(X, Y, numel, factor, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(index >= numel, 0, index)
    tl.store(Y + index, tl.load(X + safe) * factor, mask=index < numel)


# tritonopt: x: f32[n]
def scaled(x: torch.Tensor):
    x = x[:20].repeat(32)
    numel = x.numel()
    assert not numel % 32

    def grid(meta):
        return (triton.cdiv(numel, meta["BLOCK"]),)

    y = torch.empty_like(x)
    scale_kernel[grid](x, y, numel, 0.5, BLOCK=32)
    return y


# case: stated_by_the_compiler
"""A constexpr length: the compiler sees through `%`, but not through a selection."""


@triton.jit
def sum_kernel(X, Out, N: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(N % BLOCK == 0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in tl.range(0, N, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        cols = tl.where(condition=cols < N, x=cols, y=0)
        acc += tl.load(X + tl.program_id(0) * N + cols)
    tl.store(Out + tl.program_id(0), tl.sum(acc))


# tritonopt: x: f32[m, n]
def row_sums(x: torch.Tensor):
    m = x.shape[0]
    x = x[:, :3].repeat(1, 16)
    n = x.shape[1]
    out = torch.empty(m, dtype=torch.float32, device=x.device)
    sum_kernel[(m,)](x, out, N=n, BLOCK=16)
    return out


# case: twice_the_block
"""Tiles of two blocks, wrapped at a sum; the name that is a scalar tensor of that value is no hint."""


@triton.jit
def repeat_kernel(X, Y, N, EXTRA, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    width = tl.full((), 2 * BLOCK, tl.int32)
    offs = pid * width + tl.arange(0, 2 * BLOCK)
    src = offs % (N + EXTRA)
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    extra = -n % 16
    x = torch.cat([x, x.new_zeros(extra)])
    total = n + extra
    assert total % 16 == 0
    y = torch.empty(2 * total, dtype=x.dtype, device=x.device)
    repeat_kernel[(2 * total // 16,)](x, y, n, extra, BLOCK=8)
    return y


# case: two_axes
"""The wrapped value is a tile of its own: one value for each axis."""


@triton.jit
def repeat_rows(X, Y, W, H, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)
    cols = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)
    tile = (rows[:, None] * W + cols[None, :]) % (H * W)
    x = tl.load(X + tile)
    tl.store(Y + rows[:, None] * W + cols[None, :], x, mask=cols[None, :] < W)


# tritonopt: x: f32[m, n]
def repeated(x: torch.Tensor):
    x = x[:, :2].repeat(1, 16)
    h, w = x.shape[0], 16 * (x.shape[1] // 16)
    rows = triton.cdiv(2 * h, 4) * 4
    y = torch.empty((rows, w), dtype=x.dtype, device=x.device)
    repeat_rows[(rows // 4, w // 16)](x, y, w, h, BLOCK_H=4, BLOCK_W=16)
    return y


# case: wide_offsets
"""Cast to 64 bits after the wrap, added to a row's pointer that is moved on; tl under another name."""

import torch
import triton
import triton.language as T
from triton.language import constexpr


@triton.jit
def roll_kernel(x_ptr, y_ptr, stride, n, B: constexpr):
    row = T.program_id(0).to(T.int64)
    x_ptr += row * stride
    at = T.program_id(1) * B + T.arange(0, B)
    source = ((at + B) % n).to(T.int64)
    T.store(y_ptr + row * stride + at, T.load(x_ptr + source))


# tritonopt: x: f32[m, n]
def rolled(x: torch.Tensor):
    x = x[:, :3].repeat(1, 16)
    m = x.shape[0]
    n = x.shape[1] // 16 * 16
    y = torch.empty_like(x)
    roll_kernel[(m, n // 16)](x, y, x.stride(0), n, B=16)
    return y
