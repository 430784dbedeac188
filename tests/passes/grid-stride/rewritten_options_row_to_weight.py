import torch
import triton
import triton.language as tl


@triton.jit
def subtract_bias_kernel(x_ptr, bias_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # as many programs as the row has blocks
    block = tl.program_id(1)
    cols = block * BLOCK + tl.arange(0, BLOCK)
    inside = cols < N
    bias = tl.load(bias_ptr + row)
    x = tl.load(x_ptr + row * N + cols, mask=inside)
    tl.store(out_ptr + row * N + cols, x - bias, mask=inside)


def subtract_bias(x: torch.Tensor, bias: torch.Tensor):
    m, n = x.shape
    assert bias.shape == (m,)
    x, bias = x.contiguous(), bias.contiguous()
    out = torch.empty_like(x)
    subtract_bias_kernel[(m, triton.cdiv(n, 32))](x, bias, out, m, n, BLOCK=32)
    return out


@triton.jit
def kernel(x, out, rows, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + rows)


# case: row_kernel
# options: programs=3
"""A row to a program: pointers are bound again, and the weights belong to no row."""


@triton.jit
def rms_norm_kernel(X, Y, W, stride, N, eps, BLOCK: tl.constexpr):
    """Divides a row by its root mean square."""
    # One row to a program.
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride

    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean_square = tl.sum(x * x, axis=0) / N
    # The weights are those of all rows.
    w = tl.load(W + cols, mask=mask, other=0.0)  # read once
    tl.store(Y + cols, x * tl.rsqrt(mean_square + eps) * w, mask=mask)


def rms_norm(x: torch.Tensor, w: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    rms_norm_kernel[(m,)](x, y, w, x.stride(0), n, 1e-6, BLOCK=triton.next_power_of_2(n))
    return y


# case: second_axis
# options: axis=1
# verify: no, up to 65535 programs there is one for each tile: see second_axis_in_few_programs
"""Tiles along the second axis: what depends on the row alone is done once."""
# shared: subtract_bias_kernel
# shared: subtract_bias


# case: second_axis_in_few_programs
# options: axis=1,programs=3
"""Tiles along the second axis, with a limit that small sizes reach."""
# shared: subtract_bias_kernel
# shared: subtract_bias


# case: seed_of_the_tile
# options: programs=2
"""Each tile has random numbers of its own, whichever program handles it."""


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    random = tl.rand(seed + pid, offs)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, tl.where(random > p, x / (1 - p), 0.0), mask=offs < n)


# tritonopt: x: f32[n], p: 0.5, seed: int in 0..1000
def dropout(x: torch.Tensor, p: float, seed: int):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 64),)](x, out, n, p, seed, BLOCK=64)
    return out


# case: size_is_a_property
# options: programs=2
"""Asked again, the property is another number."""
# shared: kernel


class Counter:
    def __init__(self):
        self.asked = 3

    @property
    def rows(self):
        self.asked += 1
        return self.asked


def run(x: torch.Tensor):
    x = torch.arange(160, device=x.device) + x.sum()
    out = torch.zeros_like(x)
    counter = Counter()
    kernel[(counter.rows,)](x, out, counter.rows, BLOCK=16)
    return out, counter.asked


# case: store_and_return
# like: inline_assembly
# options: programs=2
"""A tile that is done with a store leaves."""
#-    index = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], tl.int32, True, 1)
#-    offs = index * BLOCK + tl.arange(0, BLOCK) + 0 * pid
#+    offs = pid * BLOCK + tl.arange(0, BLOCK)
#+    if pid == 0:
#+        tl.store(out + offs, 0.0, mask=offs < n)
#+        return


# case: sum_behind_a_count
# options: programs=2
"""Where there are many programs nothing is added, and a sum would add all the same."""


@triton.jit
def kernel(x, total, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.num_programs(0)
    if count > 3:
        return
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.atomic_add(total, tl.sum(value, axis=0))


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    total = torch.zeros(1, device=x.device, dtype=torch.float32)
    kernel[(triton.cdiv(n, 4),)](x, total, n, BLOCK=4)
    return total


# case: sum_behind_a_switch
# options: programs=2
"""No tile comes to the atomic where the switch is off, so its buffer may be anything."""


@triton.jit
def kernel(x, total, out, n, HAS_TOTAL: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out + pid * n + cols, v, mask=cols < n)
    if not HAS_TOTAL:
        return
    tl.atomic_add(total + cols, v, mask=cols < n)


def run(x: torch.Tensor, with_total: bool = False):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    total = torch.zeros(n if with_total else 0, device=x.device)
    kernel[(m,)](x, total, out, n, HAS_TOTAL=with_total, BLOCK=triton.next_power_of_2(n))
    return out, total


# case: sum_of_a_loop
# options: programs=2
"""What is added comes from a loop with a branch, so that only its address shows its shape."""


@triton.jit
def blocks_kernel(x_ptr, out_ptr, n_blocks, n_rows, D, BLOCK: tl.constexpr, MOST: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in tl.static_range(0, MOST):
        if i < n_blocks:
            v = tl.load(x_ptr + (i * n_rows + row) * D + cols, mask=mask, other=0.0).to(tl.float32)
            share = tl.sum(tl.where(tl.arange(0, MOST) == i, 0.5, 0.25))
            acc += share * v
    tl.atomic_add(out_ptr + cols, acc, mask=mask)


# tritonopt: x: f32[b, m, n]
def blocks(x: torch.Tensor):
    x = x.contiguous()
    b, m, n = x.shape
    out = torch.zeros(n, device=x.device, dtype=torch.float32)
    blocks_kernel[(m,)](x, out, b, m, n, BLOCK=triton.next_power_of_2(n), MOST=4)
    return out


# case: sum_of_a_tensor
# options: programs=3
"""A tile adds one number: allowed, and slower as a rule."""


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


def total(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    total_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out


# case: sum_that_is_published
# options: programs=2
"""An order of memory says that somebody reads what came before."""


@triton.jit
def publish_kernel(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.store(out_ptr + offs, x + 1, mask=offs < n)
    tl.atomic_add(count_ptr, 1, sem="release")


# tritonopt: x: i32[n]
def publish(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    count = torch.zeros(1, device=x.device, dtype=torch.int32)
    n = x.numel()
    publish_kernel[(triton.cdiv(n, 16),)](x, out, count, n, BLOCK=16)
    return out, count


# case: sums_under_conditions
# options: programs=2
"""Sums in branches that the compiler decides, relaxed, and of blocks with two axes."""


@triton.jit
def gradients_kernel(DY, DW, DB, DS, M, N, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    rows = pid * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    dy = tl.load(DY + rows[:, None] * N + cols[None, :], mask=inside, other=0.0)
    folded = tl.sum(dy, axis=0)
    places = tl.arange(0, ROWS)[:, None] * N + cols[None, :]
    tl.atomic_add(DW + places, dy, mask=cols[None, :] < N, sem="relaxed")
    if HAS_BIAS:
        # Twice, for the bias and for its double.
        tl.atomic_add(DB + cols, folded, mask=cols < N, sem="relaxed")
        tl.atomic_add(DB + N + cols, folded * 2, mask=cols < N, sem="relaxed")
    if DS is not None:
        tl.atomic_add(DS, tl.sum(folded, axis=0) / 2)


# tritonopt: dy: f32[m, n]
def gradients(dy: torch.Tensor):
    dy = dy.contiguous()
    m, n = dy.shape
    dw = torch.zeros((4, n), device=dy.device, dtype=torch.float32)
    db = torch.zeros((2, n), device=dy.device, dtype=torch.float32)
    ds = torch.zeros(1, device=dy.device, dtype=torch.float32)
    block = triton.next_power_of_2(n)
    gradients_kernel[(triton.cdiv(m, 4),)](dy, dw, db, ds, m, n, HAS_BIAS=True, ROWS=4, BLOCK=block)
    return dw, db, ds


# case: tensor_gets_another_shape
# options: programs=2
"""The argument changes the size that the grid was."""
# shared: kernel


def run(x: torch.Tensor):
    x = (torch.arange(64, device=x.device) + x.sum()).view(4, 16)
    out = torch.zeros_like(x)
    kernel[(x.shape[0],)](x.unsqueeze_(0), out, x.shape[0], BLOCK=16)
    return out


# case: tensor_transposed_after_the_grid
# like: tensor_gets_another_shape
# options: programs=2
"""Between the grid and the launch the tensor becomes another's transpose."""
#-    kernel[(x.shape[0],)](x.unsqueeze_(0), out, x.shape[0], BLOCK=16)
#+    grid = (x.shape[0],)
#+    x.t_()
#+    kernel[grid](x, out, x.shape[0], BLOCK=16)


# case: third_axis
# options: axis=2,programs=2
"""Three axes, of which the last is walked."""


@triton.jit
def add_one_kernel(x_ptr, y_ptr, H, W, BLOCK: tl.constexpr):
    w = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.program_id(1)
    c = tl.program_id(2)
    where = (c * H + h) * W + w
    tl.store(y_ptr + where, tl.load(x_ptr + where, mask=w < W) + 1, mask=w < W)


def add_one(x: torch.Tensor):
    x = x.contiguous()
    c, h, w = x.shape
    y = torch.empty_like(x)
    add_one_kernel[triton.cdiv(w, 16), h, c](x, y, h, w, 16)
    return y


# case: tuned_and_wide
# like: tuned_over_another_length
# options: programs=3
"""Offsets reach past 32 bits, so the number of tiles is computed without rounding n up first."""
#-    pid = tl.program_id(0)
#+    pid = tl.program_id(0).to(tl.int64)
#     tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
#
#
#+# tritonopt: x: f32[n]
#-    half = x.numel() // 2
#-    kernel[lambda META: (triton.cdiv(half, META["BLOCK"]),)](x, out, x.numel())
#+    n = x.numel()
#+    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n)


# case: two_guards
# options: programs=2
"""Programs that leave early become tiles that are skipped."""


@triton.jit
def pick_kernel(x_ptr, index_ptr, out_ptr, n_picks, n_rows, N: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    # Nothing to pick.
    if pid >= n_picks:
        return
    row = tl.load(index_ptr + pid)
    if row < 0 or row >= n_rows:
        return
    # Copy the row.
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + pid * N + cols, tl.load(x_ptr + row * N + cols, mask=cols < N), mask=cols < N)


# tritonopt: x: f32[m, n], index: i32[k] in -1..8
def pick(x: torch.Tensor, index: torch.Tensor):
    x, index = x.contiguous(), index.contiguous()
    m, n = x.shape
    k = index.shape[0]
    out = torch.zeros((k, n), device=x.device)
    block = triton.next_power_of_2(n)
    pick_kernel[(index.shape[0] + 1,)](x, index, out, k, m, N=n, BLOCK=block)
    return out


# case: weight_gradient
# options: programs=2
# verify: only interpreted, Triton takes minutes to compile the longest rows
"""Atomics that every row adds to the same addresses: one for all rows of a program."""


@triton.jit
def weight_gradient_kernel(DY, X, DW, DB, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    if row >= M:
        return
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(DW + cols, dy * x, mask=mask)
    # The bias has no factor.
    tl.atomic_add(DB + cols, dy, mask=mask)


# tritonopt: dy: f32[m, n], x: f32[m, n]
def weight_gradient(dy: torch.Tensor, x: torch.Tensor):
    dy, x = dy.contiguous(), x.contiguous()
    m, n = x.shape
    dw = torch.zeros(n, device=x.device, dtype=torch.float32)
    db = torch.zeros(n, device=x.device, dtype=torch.float32)
    block = triton.next_power_of_2(n)
    weight_gradient_kernel[(triton.cdiv(m, 4) * 4,)](dy, x, dw, db, x.stride(0), m, n, BLOCK=block)
    return dw, db
