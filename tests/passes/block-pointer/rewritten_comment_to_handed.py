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


# case: handed_and_advanced
"""The helper goes along the tensors: as in attention, where both parts of the loop are one."""


@triton.jit
def inner(acc, q, K_block_ptr, V_block_ptr, lo, hi, BN: tl.constexpr):
    # where this part begins
    K_block_ptr = tl.advance(K_block_ptr, (0, lo))
    V_block_ptr = tl.advance(V_block_ptr, (lo, 0))
    for _ in range(lo, hi, BN):
        k = tl.load(K_block_ptr, boundary_check=(0, 1), padding_option="zero")
        v = tl.load(V_block_ptr, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(tl.dot(q, k).to(v.dtype), v)
        K_block_ptr = tl.advance(K_block_ptr, (0, BN))
        V_block_ptr = tl.advance(V_block_ptr, (BN, 0))
    return acc


@triton.jit
def kernel(Q, K, V, O, m, n, d, sq, sk, sv, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid, head = tl.program_id(0), tl.program_id(1)
    q_block = tl.make_block_ptr(Q + head * m * sq, (m, d), (sq, 1), (pid * BM, 0), (BM, BK), (1, 0))
    K_block_ptr = tl.make_block_ptr(
        base=K + head * n * sk,
        shape=(d, n),
        strides=(1, sk),
        offsets=(0, 0),
        block_shape=(BK, BN),
        order=(0, 1),
    )
    V_block_ptr = tl.make_block_ptr(
        base=V + head * n * sv,
        shape=(n, d),
        strides=(sv, 1),
        offsets=(0, 0),
        block_shape=(BN, BK),
        order=(1, 0),
    )
    q = tl.load(q_block, boundary_check=(0, 1), padding_option="zero")
    acc = tl.zeros([BM, BK], dtype=tl.float32)
    half = tl.cdiv(n, BN) // 2 * BN
    acc = inner(acc, q, K_block_ptr, V_block_ptr, 0, half, BN)
    acc = inner(acc, q, K_block_ptr, V_block_ptr, half, n, BN)
    o_block = tl.make_block_ptr(O + head * m * so, (m, d), (so, 1), (pid * BM, 0), (BM, BK), (1, 0))
    tl.store(o_block, acc.to(o_block.dtype.element_ty), boundary_check=(0, 1))


def run(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    """
    q: f32[h, m, d]
    k: f32[h, n, d]
    v: f32[h, n, d]
    d <= 32
    """
    assert q.is_contiguous() and k.is_contiguous() and v.is_contiguous()
    h, m, d = q.shape
    n = k.shape[1]
    o = torch.empty_like(q)
    grid = (triton.cdiv(m, 16), h)
    kernel[grid](
        q, k, v, o, m, n, d, q.stride(1), k.stride(1), v.stride(1), o.stride(1), BM=16, BN=16, BK=32
    )
    return o


# case: handed_and_returned
"""The helper gives back the block pointer that it is given."""


@triton.jit
def same(block):
    return block


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    other = same(x_block)
    x = tl.load(other, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x + 1, boundary_check=(0,))


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: handed_below_a_name_of_the_helper
"""What the callers call it means something else in the helper."""


@triton.jit
def loaded(block, X):
    n = X + 1.0
    return tl.load(block, boundary_check=(0,), padding_option="zero") * n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block, 2.0), boundary_check=(0,))
# shared: run


# case: handed_beside_a_default
"""A parameter behind it has a default."""


@triton.jit
def loaded(block, scale=1.0, shift: tl.constexpr = 2):
    return tl.load(block, boundary_check=(0,), padding_option="nan") * scale + shift


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block, shift=1), boundary_check=(0,))
# shared: run


# case: handed_by_keyword
"""One call names what it passes."""


@triton.jit
def loaded(scale, block):
    return tl.load(block, boundary_check=(0,), padding_option="zero") * scale


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(block=x_block, scale=2.0), boundary_check=(0,))
# shared: run


# case: handed_by_two_kernels
"""What differs between the callers is a parameter, though it is a number in one of them."""


@triton.jit
def total(block, steps, B: tl.constexpr):
    """The sum of some tiles in a row."""
    acc = tl.zeros([B], dtype=tl.float32)
    for _ in range(steps):
        acc += tl.load(block, boundary_check=(0,), padding_option="zero")
        block = tl.advance(block, (B,))
    return tl.sum(acc, axis=0)


@triton.jit
def rows(X, Y, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    block = tl.make_block_ptr(X + row * stride, (n,), (1,), (0,), (B,), (0,))
    tl.store(Y + row, total(block, tl.cdiv(n, B), B))


@triton.jit
def columns(X, Y, m, stride, B: tl.constexpr):
    column = tl.program_id(0)
    block = tl.make_block_ptr(X + column, (m,), (stride,), (0,), (B,), (0,))
    tl.store(Y + column, total(block, tl.cdiv(m, B), B=B))


def run(x: torch.Tensor):
    """x: f32[m, n]"""
    m, n = x.shape
    assert x.is_contiguous()
    by_row, by_column = x.new_empty(m), x.new_empty(n)
    rows[(m,)](x, by_row, n, x.stride(0), B=16)
    columns[(n,)](x, by_column, m, x.stride(0), B=16)
    return by_row, by_column


# case: handed_from_a_loop
"""Made anew in each iteration, and loaded through by its maker too."""


@triton.jit
def loaded(block):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for start in range(0, n, B):
        x_block = tl.make_block_ptr(X, (n,), (1,), (start,), (B,), (0,))
        y_block = tl.make_block_ptr(Y, (n,), (1,), (start,), (B,), (0,))
        x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
        tl.store(y_block, x + loaded(x_block), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, n, B=32)
    return y


# case: handed_from_below_zero
"""One call begins before the tensor: only there an offset is below 0, and the helper asks."""


@triton.jit
def loaded(block, B: tl.constexpr):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    before = tl.make_block_ptr(X, (n,), (1,), (pid * B - 1,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block, B) - loaded(before, B), boundary_check=(0,))
# shared: run


# case: handed_in_long_lines
"""What comes in their place begins lines of its own."""


@triton.jit
def scaled(first_summand, second_summand, source_block_ptr, result_block_ptr, factor, BM: tl.constexpr):
    x = tl.load(source_block_ptr, boundary_check=(0, 1))
    tl.store(result_block_ptr, x * factor + first_summand + second_summand, boundary_check=(0, 1))


@triton.jit
def kernel(X, Y, rows, columns, row_stride, column_stride, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (rows, columns), (row_stride, column_stride), (pid * BM, 0), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (rows, columns), (row_stride, column_stride), (pid * BM, 0), (BM, BN), (1, 0))
    scaled(
        1.0,
        2.0,
        x_block,
        y_block,
        3.0,
        BM,
    )


def run(x: torch.Tensor):
    """
    x: f32[m, n]
    n <= 32
    """
    m, n = x.shape
    assert x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, x.stride(0), x.stride(1), BM=16, BN=32)
    return y


# case: handed_on_and_on
"""The helper hands it to another one."""


@triton.jit
def doubled(inner_block):
    x = tl.load(inner_block, boundary_check=(0,))
    return x + x


@triton.jit
def quadrupled(block):
    return doubled(block) + doubled(block)


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, quadrupled(x_block), boundary_check=(0,))
# shared: run


# case: handed_to_a_helper
"""A helper gets the block pointer."""


@triton.jit
def loaded(block):
    return tl.load(block, boundary_check=(0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block), boundary_check=(0,))
# shared: run


# case: handed_to_store_through
"""The helper stores through one; what it loads outside of the tensor is undefined."""


@triton.jit
def copied(source, target):
    x = tl.load(source, boundary_check=(0,))
    tl.store(target, x.to(target.dtype.element_ty), boundary_check=(0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    copied(x_block, y_block)
# shared: run


# case: handed_twice_in_one_call
"""Two parameters are one block pointer, and one of them moves."""


@triton.jit
def neighbors(left, right, B: tl.constexpr):
    right = tl.advance(right, (B,))
    x = tl.load(left, boundary_check=(0,), padding_option="zero")
    return x + tl.load(right, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, neighbors(x_block, x_block, B), boundary_check=(0,))
# shared: run


# case: handed_with_its_base
"""The helper gets the tensor already."""


@triton.jit
def shifted(X, block):
    return tl.load(block, boundary_check=(0,), padding_option="zero") + tl.load(X)


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, shifted(X, x_block), boundary_check=(0,))
# shared: run
