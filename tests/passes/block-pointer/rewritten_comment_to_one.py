import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: comment_of_a_block_that_goes
"""What explains a block pointer that goes explains the offsets that are left of it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # The row, tile by tile.
    tile = tl.make_block_ptr(X + row * N, (N,), (1,), (0,), (BLOCK,), (0,))
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for _ in range(0, N, BLOCK):
        total += tl.load(tile, boundary_check=(0,), padding_option="zero")
        tile = tl.advance(tile, (BLOCK,))
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: copy_of_a_matrix
"""Two axes, both checked, zeros outside; two block pointers share their offsets."""


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    x_block = tl.make_block_ptr(
        X, (M, N), (stride_xm, stride_xn), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0)
    )
    y_block = tl.make_block_ptr(Y, (M, N), (stride_ym, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8), triton.cdiv(n, 16))
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y


# case: extent_under_a_flag
"""Where the flag is off the extent is none, so the offsets stay below it, twice."""


@triton.jit
def kernel(X, Z, Y, n, HAS_Z: tl.constexpr, B: tl.constexpr, BZ: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    if HAS_Z:
        z_block = tl.make_block_ptr(Z, (n,), (1,), (0,), (BZ,), (0,))
        x += tl.load(z_block, boundary_check=(0,), padding_option="zero")
    x = x * 2
    if HAS_Z:
        again = tl.make_block_ptr(Z, (n,), (1,), (0,), (BZ,), (0,))
        x += tl.load(again, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    assert n <= 32 and (z is None or z.numel() == n)
    y = torch.empty_like(x)
    kernel[(1,)](x, z, y, n, HAS_Z=z is not None, B=32, BZ=32 if z is not None else None)
    return y


# case: in_nested_blocks
"""The offsets that both branches need are computed once, above them."""


@triton.jit
def kernel(X, Y, Z, n, HAS_Z: tl.constexpr, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x = tl.zeros((B,), dtype=tl.float32)
    # Z comes first
    if HAS_Z:
        z_block = tl.make_block_ptr(Z, (n,), (1,), (begin,), (B,), (0,))
        x += tl.load(z_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    if n > 2:
        x_block = tl.make_block_ptr(X, (n,), (1,), (begin,), (B,), (0,))
        x += tl.load(x_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    y_block = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    tl.store(y_block, x.to(y_block.dtype.element_ty), boundary_check=(0,))


def run(x: torch.Tensor, z: torch.Tensor = None):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, y, z, n, HAS_Z=z is not None, B=16)
    return y


# case: integers_by_the_launch
"""The launch shows that no tensor of booleans is passed."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x + 1, boundary_check=(0,))


def run(m: int):
    x = torch.arange(m, dtype=torch.int32)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(triton.cdiv(m, 32),)](x, y, m, B=32)
    return y


# case: keywords_stay
# like: one_axis
"""Cache modifiers and eviction policies are kept, and so is a comment behind."""
#-    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
#-    tl.store(y_block, tl.exp(x), boundary_check=(0,))
#+    x = tl.load(x_block, boundary_check=(0,), padding_option="zero", eviction_policy="evict_last")  # ours
#+    tl.store(y_block, x, boundary_check=(0,), cache_modifier=".cs")


# case: made_anew_after_a_move
"""Each time that it is made it moves on from another place, as before the diagonal and after it."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc = tl.zeros([B], dtype=tl.float32)
    for _ in range(2):
        acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.advance(x_block, (B,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (2 * B,), (B,), (0,))
    for _ in range(2 * B, n, B):
        acc -= tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.advance(x_block, (B,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), acc)


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = x.new_empty(32)
    kernel[(1,)](x, y, n, B=32)
    return y


# case: made_anew_in_every_iteration
"""The offsets of a tile of the loop are computed in the loop."""


@triton.jit
def kernel(X, Y, stride_xm, stride_xn, stride_ym, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    for start in range(0, N, BN):
        x_block = tl.make_block_ptr(
            X, (M, N), (stride_xm, stride_xn), (pid_m * BM, start), (BM, BN), (1, 0)
        )
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        y_block = tl.make_block_ptr(Y, (M, N), (stride_ym, 1), (pid_m * BM, start), (BM, BN), (1, 0))
        tl.store(y_block, x, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 8),)
    kernel[grid](x, y, x.stride(0), x.stride(1), y.stride(0), m, n, BM=8, BN=16)
    return y


# case: made_in_two_branches
"""Which one is read is decided before: each brings its mask."""


@triton.jit
def kernel(X, Y, n, REVERSED: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    if REVERSED:
        x_block = tl.make_block_ptr(X + n - 1, (n,), (-1,), (pid * B,), (B,), (0,))
    else:
        x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)


def run(x: torch.Tensor, backwards: bool = False):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, REVERSED=backwards, B=32)
    return y


# case: made_or_none
"""Where the flag is set it is made once more before it is read."""


@triton.jit
def kernel(X, Y, Z, n, B: tl.constexpr, SAVE: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,)) if SAVE else None
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Z + pid, tl.sum(x, axis=0))
    if SAVE:
        y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
        tl.store(y_block, x, boundary_check=(0,))


def run(x: torch.Tensor, save: bool):
    """x: f32[n]"""
    n = x.numel()
    y = torch.zeros_like(x)
    z = x.new_empty(triton.cdiv(n, 32))
    kernel[(triton.cdiv(n, 32),)](x, y, z, n, B=32, SAVE=save)
    return y, z


# case: made_within_the_load
"""A block pointer without a name."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x = tl.load(
        tl.make_block_ptr(X, (n,), (1,), (begin,), (B,), (0,)),
        boundary_check=(0,),
        padding_option="zero",
    )
    tl.store(tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,)), x * x, boundary_check=(0,))
# shared: run


# case: matmul
"""Both move along K by as much, in one place: one tile of offsets for both."""


@triton.jit
def kernel(A, B, C, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a_block = tl.make_block_ptr(
        base=A,
        shape=(M, K),
        strides=(sam, sak),
        offsets=(pid_m * BM, 0),
        block_shape=(BM, BK),
        order=(1, 0),
    )
    b_block = tl.make_block_ptr(
        base=B,
        shape=(K, N),
        strides=(sbk, sbn),
        offsets=(0, pid_n * BN),
        block_shape=(BK, BN),
        order=(1, 0),
    )
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, BK))
        b_block = tl.advance(b_block, (BK, 0))
    c_block = tl.make_block_ptr(C, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    tl.store(c_block, acc.to(c_block.dtype.element_ty), boundary_check=(0, 1))


def run(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), BM=16, BN=16, BK=16
    )
    return c


# case: may_begin_below_zero
"""The block begins one element before the tensor: a check asks on both sides."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    left = tl.make_block_ptr(X, (n,), (1,), (begin - 1,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    x = tl.load(left, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x, boundary_check=(0,))
# shared: run


# case: moved_for_one_load
"""`advance` within the load leaves the block pointer where it is."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    pid = tl.program_id(0)
    x = tl.load(x_block.advance([pid * B]), boundary_check=(0,), padding_option="zero")
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)
# shared: run


# case: moves_along_both_axes
"""A square block that moves further along one axis than along the other: the offsets are two."""


@triton.jit
def kernel(X, Y, stride, M, N, steps, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (M, N), (stride, 1), (0, 0), (B, B), (1, 0))
    total = tl.zeros((B, B), dtype=tl.float32)
    for _ in range(steps):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        total += x.to(tl.float32)
        x_block = tl.advance(x_block, (1, 2))
    offs = tl.arange(0, B)
    tl.store(Y + offs[:, None] * B + offs[None, :], total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((8, 8), dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, x.stride(0), m, n, 3, B=8)
    return y


# case: no_padding
"""Without padding the lanes outside are undefined, so no `other` is made up."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    tl.store(y_block, x + 1, boundary_check=(0,))
# shared: run


# case: none_unless_a_flag
"""The name is None but under the flag that it is read under, too."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, FLAG: tl.constexpr):
    pid = tl.program_id(0)
    x_block = None
    if FLAG:
        x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    y = tl.load(y_block, boundary_check=(0,), padding_option="zero")
    if FLAG:
        y += tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, y, boundary_check=(0,))


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.ones_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, FLAG=True)
    return y


# case: nothing_is_checked
"""Tiles that fit: no boundary check, no mask."""


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x_block = tl.make_block_ptr(X, (B,), (1,), (begin,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (B,), (1,), (begin,), (B,), (0,))
    tl.store(y_block, tl.load(x_block) + 1)


def run(x: torch.Tensor):
    x = x.reshape(-1)[: x.numel() // 8 * 8]
    y = torch.empty_like(x)
    kernel[(x.numel() // 8,)](x, y, B=8)
    return y


# case: one_axis
"""One axis needs no index of axes."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, tl.exp(x), boundary_check=(0,))
# shared: run


# case: one_moves_before_the_other_is_read
# like: matmul
"""The moves are apart, with a load between: no tile is shared."""
#         a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
#+        a_block = tl.advance(a_block, (0, BK))
#         b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
#+        b_block = tl.advance(b_block, (BK, 0))
#-        a_block = tl.advance(a_block, (0, BK))
#-        b_block = tl.advance(b_block, (BK, 0))


# case: one_of_two_axes_is_checked
# like: the_whole_axis_is_in_the_tile
"""Only the rows are checked; the columns fill the tile."""
#-    x = tl.load(x_block, boundary_check=[1, 0], padding_option="zero")
#-    tl.store(Y + begin + tl.arange(0, BM), tl.sum(x, axis=1), mask=begin + tl.arange(0, BM) < M)
#+    y_block = tl.make_block_ptr(Y, (M, BN), (BN, 1), (begin, 0), (BM, BN), (1, 0))
#+    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
#+    tl.store(y_block, x - 1, boundary_check=(0,))
#-    y = torch.empty(x.shape[0], dtype=x.dtype)
#+    y = torch.empty_like(x)
