import torch
import triton
import triton.language as tl


# case: mask_of_the_whole_tile
# options: programs=2
"""Rows beyond the last one add nothing; what a sum would have to leave out is not looked into."""


@triton.jit
def gather_kernel(x_ptr, total_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = (row < M) & (cols < N)
    x = tl.load(x_ptr + row * N + cols, mask=inside, other=0.0)
    tl.atomic_add(total_ptr + cols, x, mask=inside)


# tritonopt: x: f32[m, n]
def gather(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    gather_kernel[(m + 1,)](x, total, m, n, BLOCK=triton.next_power_of_2(n))
    return total


# case: named_tuple_grid
# options: programs=2
"""The grid is a tuple with a name, made before the launch."""


@triton.jit
def copy_rows(src, dst, n_cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    for c in range(0, n_cols, BLOCK):
        offs = c + tl.arange(0, BLOCK)
        tl.store(dst + r * n_cols + offs, tl.load(src + r * n_cols + offs, mask=offs < n_cols), mask=offs < n_cols)


def copy(x: torch.Tensor):
    x = x.contiguous()
    rows, cols = x.shape
    out = torch.empty_like(x)
    grid = (rows, 1)
    copy_rows[grid](
        x,
        out,
        cols,
        BLOCK=16,  # several to a row
    )
    return out


# case: nested_def_grid
# options: programs=2
"""A nested def is the grid of two kernels, so it stays as it is."""


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    block_start = tl.program_id(0) * BLOCK
    offs = block_start + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2.0, mask=offs < n)


def double_twice(x: torch.Tensor):
    x = x.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()

    def grid(meta):
        """One program to a block."""
        return (triton.cdiv(n, meta["BLOCK"]),)

    double_kernel[grid](x, y, n, BLOCK=32)
    double_kernel[grid](y, z, n, BLOCK=64)
    return z


# case: one_line_bodies
# options: programs=2
"""A guard in one line, and two statements in another that stay together."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid * BLOCK >= n: return
    offs = pid * BLOCK + tl.arange(0, BLOCK); mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask), mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    kernel[(n // 16 + 1,)](x, out, n, BLOCK=16)
    return out


# case: optional_bias
# options: programs=1
"""What a constexpr chooses, and no tile, is loaded before the loop."""


@triton.jit
def bias_kernel(X, Y, B, M, N, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    inside = (rows < M) & (cols < N)
    x = tl.load(X + rows * N + cols, mask=inside, other=0.0)
    if HAS_BIAS:
        b = tl.load(B + cols, mask=cols < N, other=0.0)
    else:
        b = 0.0
    tl.store(Y + rows * N + cols, x + b, mask=inside)


# tritonopt: x: f32[m, n], bias: f32[n]
def add_bias(x: torch.Tensor, bias: torch.Tensor):
    x, bias = x.contiguous(), bias.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    bias_kernel[(triton.cdiv(m, 4),)](x, y, bias, m, n, True, ROWS=4, BLOCK=block)
    return y


# case: other_names
# options: programs=3
"""Other names for everything, and the block from a global."""

import torch
from triton import cdiv, jit
from triton import language as L

BLOCK = L.constexpr(32)


@jit
def relu(src, dst, count):
    where = L.program_id(axis=0) * BLOCK + L.arange(0, BLOCK)
    value = L.load(src + where, where < count, 0.0)
    L.store(dst + where, L.where(value > 0, value, 0.0), where < count)
    return


def run_relu(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    relu[(cdiv(x.numel(), 32),)](x, out, x.numel())
    return out


# case: parameters_bound_after_a_return
# options: programs=2
"""Each tile that stays takes its copies of the pointers behind the guard."""


@triton.jit
def kernel(x, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= limit:
        return
    cols = tl.arange(0, BLOCK)
    x, out = x + pid * n + cols, out + pid * n + cols
    tl.store(out, tl.load(x, mask=cols < n), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, m // 2, BLOCK=triton.next_power_of_2(n))
    return out


# case: pointer_bound_in_a_branch
# options: programs=2
"""A pointer that only some rows move on starts afresh for each."""


@triton.jit
def shift_odd_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row % 2 == 1:
        X += N
    X = X + row // 2 * 2 * N
    cols = tl.arange(0, BLOCK)
    tl.store(Y + row * N + cols, tl.load(X + cols, mask=cols < N), mask=cols < N)


def copy_rows(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    shift_odd_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: product_without_a_loop
# options: programs=2
"""The one loop around a matrix product is not to be pipelined."""


@triton.jit
def square_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    offs = rows[:, None] * BLOCK + rows[None, :]
    x = tl.load(x_ptr + batch * BLOCK * BLOCK + offs)
    tl.store(out_ptr + batch * BLOCK * BLOCK + offs, tl.dot(x, x))


# tritonopt: x: f32[b, 16, 16]
def square(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    b = x.shape[0]
    square_kernel[(b,)](x, out, BLOCK=16, num_stages=4)
    return out


# case: pruned_configurations
# like: pruned_by_a_fixed_signature
# options: programs=3
"""What prunes the configurations takes arguments by name, so that there must be no new one."""
#     tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)
#
#
#+# tritonopt: x: f32[n]
#-    kernel[(n // 64 + 1,)](x, out, n)
#+    kernel[(triton.cdiv(n, 64),)](x, out, n)


# case: races_with_nobody
# options: programs=3
"""Each program reads and writes its own row, in several tiles."""


@triton.jit
def scale_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N)
        tl.store(X + row * stride + cols, x / total, mask=cols < N)


# tritonopt: x: f32[m, n]
def scale(x: torch.Tensor):
    m, n = x.shape
    scale_kernel[(m,)](x, n, n, BLOCK=16)


# case: return_for_a_loaded_label
# options: programs=2
"""What a tile loads decides whether it is done early; a name is of another type behind it."""


@triton.jit
def loss_kernel(x_ptr, label_ptr, loss_ptr, grad_ptr, N, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label_ptr += row
    label = tl.load(label_ptr)
    x_ptr += row * N
    if label == ignored:
        size = 0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            tl.store(grad_ptr + row * N + cols, size, mask=cols < N)
        loss_ptr += row
        tl.store(loss_ptr, -1.0)
        return
    total = 0.0
    size = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        size += x * x
        total += tl.sum(x, axis=0)
        tl.store(grad_ptr + row * N + cols, x * label, mask=cols < N)
    loss_ptr += row
    tl.store(loss_ptr, total + tl.sum(size, axis=0))


# tritonopt: x: f32[m, n], label: i32[m] in 0..3
def loss(x: torch.Tensor, label: torch.Tensor):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros(m, device=x.device)
    grad = torch.zeros_like(x)
    loss_kernel[(m,)](x, label, out, grad, n, 1, BLOCK=16)
    return out, grad


# case: return_under_a_switch
# options: programs=2
"""A condition that the compiler decides stands around the one that a tile is left for."""


@triton.jit
def distance_kernel(p_ptr, q_ptr, label_ptr, loss_ptr, N, HAS_LABEL: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p_ptr += row * N
    q_ptr += row * N
    label_ptr += row
    cols = tl.arange(0, BLOCK)

    if HAS_LABEL:
        label = tl.load(label_ptr)
        # No label, no loss.
        if label == 0:
            tl.store(loss_ptr + row, 0.0)
            return

    p = tl.load(p_ptr + cols, mask=cols < N, other=0.0)
    q = tl.load(q_ptr + cols, mask=cols < N, other=0.0)
    tl.store(loss_ptr + row, tl.sum(tl.abs(p - q), axis=0))


# tritonopt: p: f32[m, n], q: f32[m, n], label: i32[m] in 0..1
def distance(p: torch.Tensor, q: torch.Tensor, label: torch.Tensor):
    p, q, label = p.contiguous(), q.contiguous(), label.contiguous()
    m, n = p.shape
    loss = torch.empty((2, m), device=p.device)
    block = triton.next_power_of_2(n)
    distance_kernel[(m,)](p, q, label, loss[0], n, False, BLOCK=block)
    distance_kernel[(m,)](p, q, label, loss[1], n, True, BLOCK=block)
    return loss


# case: returns_done_with_two_kinds
# options: programs=2
"""Tiles of two kinds are done early, and all three bind the same names."""


@triton.jit
def tril_kernel(x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (rows < M) & (cols < N)
    offs = rows * N + cols

    # Wholly above the diagonal.
    if pid_n * BLOCK_N > pid_m * BLOCK_M + BLOCK_M - 1:
        value = 0.0
        tl.store(out + offs, value, mask=mask)
        return  # nothing was read

    # Wholly below.
    if pid_n * BLOCK_N + BLOCK_N - 1 <= pid_m * BLOCK_M:
        value = tl.load(x + offs, mask=mask, other=0.0)
        tl.store(out + offs, value, mask=mask)
        return

    # Across it.
    value = tl.load(x + offs, mask=mask & (cols <= rows), other=0.0)
    tl.store(out + offs, value, mask=mask)


# tritonopt: x: f32[m, n]
def tril(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.empty_like(x)
    tril_kernel[(triton.cdiv(m, 4), triton.cdiv(n, 8))](x, out, m, n, BLOCK_M=4, BLOCK_N=8)
    return out


# case: returns_none
# like: id_with_an_annotation
# options: programs=2
# verify: only interpreted, Triton 3.6 compiles no kernel that returns None in words
"""The last statement returns None, and would end the loop with the first tile."""
#-    pid: tl.int32 = tl.program_id(0)
#+    pid = tl.program_id(0)
#-    tl.store(out + pid * n + cols, v + pid.to(tl.float32), mask=cols < n)
#+    tl.store(out + pid * n + cols, v + 1, mask=cols < n)
#+    return None


# case: returns_under_two_switches
# options: programs=2
"""Two conditions that the compiler decides, each around one that a tile is left for."""


@triton.jit
def kernel(x, label, out, n, ignored, HAS_LABEL: tl.constexpr, POSITIVE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    at = row * n + cols
    y = tl.load(x + at, mask=cols < n, other=0.0)
    if HAS_LABEL:
        if tl.load(label + row) == ignored:
            return
    if POSITIVE:
        least = tl.min(y, axis=0)
        if least < 0:
            tl.store(out + at, least, mask=cols < n)
            return
    tl.store(out + at, y * 2, mask=cols < n)


# tritonopt: x: f32[m, n], label: i32[m] in 0..2
def run(x: torch.Tensor, label: torch.Tensor, ignored: int = 1):
    x, label = x.contiguous(), label.contiguous()
    m, n = x.shape
    out = torch.zeros((4, m, n), device=x.device)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, label, out[0], n, ignored, False, False, BLOCK=block)
    kernel[(m,)](x, label, out[1], n, ignored, True, False, BLOCK=block)
    kernel[(m,)](x, label, out[2], n, ignored, False, True, BLOCK=block)
    kernel[(m,)](x, label, out[3], n, ignored, True, True, BLOCK=block)
    return out
