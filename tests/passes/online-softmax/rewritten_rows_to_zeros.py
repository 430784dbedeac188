import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: rows_in_a_loop
"""A program goes through several rows."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        m = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            m = tl.maximum(m, tl.max(x, axis=0))
        s = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            s += tl.sum(tl.exp(x - m), axis=0)
        tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(2,)](x, y, m, n, BLOCK=16)
    return y


# case: rows_of_a_tile
"""Several rows at a time."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([ROW_BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
    tl.store(Y + rows, m + tl.log(s), mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: rows_of_maxima
"""Maxima lane by lane, of several rows at a time."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    lanes = tl.full([ROW_BLOCK, BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        lanes = tl.maximum(lanes, x)
    m = tl.max(lanes, axis=1)
    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
    tl.store(Y + rows, m + tl.log(s), mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: rows_with_axes
"""The axis that is reduced is kept, with extent 1."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([ROW_BLOCK, 1], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
    s = tl.zeros([ROW_BLOCK, 1], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=1, keep_dims=True)
    tl.store(Y + rows[:, None], m + tl.log(s), mask=rows[:, None] < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: rows_with_something_beside
"""Several rows at a time, with another sum for each."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([ROW_BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    t = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[:, None]), axis=1)
        t += tl.sum(tl.where(mask, x, 0.0), axis=1)
    tl.store(Y + rows, m + tl.log(s) + t, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: scaled
"""The maximum is of the scaled elements, whatever the sign of the scale."""


@triton.jit
def kernel(X, Y, N, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * scale
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x *= scale
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n], scale: -0.5|1.0|2.0
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, scale, BLOCK=16)
    return y


# case: second_sweep_stores
"""The second loop stores to another buffer, too."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        tl.store(Z + row * N + cols, x * 2.0, mask=cols < N)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    z = torch.zeros_like(x)
    kernel[(m,)](x, z, y, n, BLOCK=16)
    return y, z


# case: sentinel
"""A sentinel in place of -inf: the maximum is always a number."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -1e30
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1e30)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1e30)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: softmax
"""Softmax in three sweeps: the third one, which writes, stays."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, tl.exp(x - m) / s, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: softmax_by_the_inverse
"""What is made of a row of -inf is NaN by itself, whatever its sum is."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    inverse = 1.0 / s
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        tl.store(Y + cols, tl.exp(x - m) * inverse, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: something_beside
"""The second loop adds up the elements, too: it is the first one that goes."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
        t += tl.sum(tl.where(cols < N, x, 0.0), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: starts_at_zero
"""The maximum starts at 0, and so is at least that."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    lanes = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        lanes = tl.maximum(lanes, x)
    m = tl.max(lanes, axis=0)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: sum_is_bound_before
"""The name of the sum stands for something else before."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    s = tl.load(X)
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    bias = s * 2.0
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s) + bias)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    assert x.shape[1] > 0
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: sum_is_bounded
"""A bound on the sum makes a number of NaN, and another one of 0."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        tl.store(Y + cols, tl.exp(x - m) / tl.maximum(s, 1e-6), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: sums_in_rows_of_a_tile
"""A maximum for each row, and a sum for each lane of it."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([ROW_BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    sums = tl.zeros([ROW_BLOCK, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        sums += tl.exp(x - m[:, None])
    tl.store(Y + rows, m + tl.log(tl.sum(sums, axis=1)), mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: temperature
"""Elements over a temperature; masked-off lanes are -inf whatever its sign."""


@triton.jit
def kernel(X, Y, N, temperature, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.where(mask, x / temperature, float("-inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        x = tl.where(mask, x / temperature, float("-inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f16[m, n], temperature: 0.5|1.0|2.0
def run(x: torch.Tensor, temperature: float):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, temperature, BLOCK=16)
    return y


# case: tile_of_maxima
"""A tile of maxima, reduced behind the loop; the sum is of whole tiles."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    lanes = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        lanes = tl.maximum(lanes, x)
    m = tl.max(lanes, axis=0)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: tile_of_sums
"""One maximum, and a sum for each lane."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        sums += tl.exp(x - m)
    tl.store(Y + row, m + tl.log(tl.sum(sums, axis=0)))
# shared: run


# case: tile_of_sums_and_something_beside
"""A sum for each lane, and a masked one beside it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        m = tl.maximum(m, tl.max(x, axis=0))
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    count = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        sums += tl.where(mask, tl.exp(x - m), 0.0)
        count += tl.sum(mask.to(tl.int32), axis=0)
    tl.store(Y + row, m + tl.log(tl.sum(sums, axis=0)) + count)
# shared: run


# case: tiles_of_both
"""Maxima and sums are both kept lane by lane."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    lanes = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        lanes = tl.maximum(lanes, x)
    m = tl.max(lanes, axis=0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        sums += tl.exp(x - m)
    s = tl.sum(sums, axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: unmasked
"""Whole tiles, without a mask; there may be none."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N // BLOCK):
        cols = start * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N // BLOCK):
        cols = start * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: weights_beside
"""The second loop loads weights, for a sum of its own; powers of two."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * 0.5
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        scaled = x * 0.5
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        t = t + tl.sum(tl.where(cols < N, w * x, 0.0), axis=0)
        s = s + tl.sum(tl.exp2((scaled - m) * 1.5), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, w.contiguous(), y, n, BLOCK=16)
    return y


# case: zeros_are_summed
"""Masked-off lanes are 0, and summed: they still are."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run
