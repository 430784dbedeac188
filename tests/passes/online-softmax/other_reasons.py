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


# case: single_lanes_are_used
# expect: not applied, accumulator-is-read
"""The sums of lanes are used as they are: with inf in a row only some of them are NaN."""


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
    tl.store(Y + row * BLOCK + tl.arange(0, BLOCK), sums)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, 16), device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: integers
# expect: not applied, data-is-integer
"""The elements are integers."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -1000
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1000).to(tl.int32)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-1000).to(tl.int32)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: stored_in_between
# expect: not applied, data-may-change
"""The row is written between the loops."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(X, m * 0.5)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.clone()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: maximum_of_a_part
# expect: not applied, different-elements
"""The maximum is of a part of the row."""


@triton.jit
def kernel(X, Y, N, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < K, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, n // 2, BLOCK=16)
    return y


# case: other_range
# expect: not applied, different-range
"""The sum leaves out the first tile."""


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
    for start in range(BLOCK, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: returns_in_between
# expect: not applied, early-exit
"""A row whose maximum is small is not rewritten."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    if m < 0:
        return
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: negative_scale
# expect: not applied, factor-may-be-negative
"""The differences are multiplied by a negative number."""


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
        s += tl.sum(tl.exp((x - m) * -0.5), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: sign_of_the_scale
# expect: not applied, factor-may-be-negative
"""The maximum is taken before the elements are scaled, maybe by a negative number."""


@triton.jit
def kernel(X, Y, N, scale, BLOCK: tl.constexpr):
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
        s += tl.sum(tl.exp(x * scale - m * scale), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n], scale: -0.5|1.0|2.0
def run(x: torch.Tensor, scale: float):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, scale, BLOCK=16)
    return y


# case: maximum_of_the_row_before
# expect: not applied, maximum-is-changed
"""The sum is below the larger of this maximum and that of the row before."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    last = 0.0
    for row in range(0, M):
        m = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            m = tl.maximum(m, tl.max(x, axis=0))
        s = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            s += tl.sum(tl.exp(x - tl.maximum(m, last)), axis=0)
        last = m
        tl.store(Y + row, s)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y


# case: rounded_maximum
# expect: not applied, maximum-is-changed
"""The maximum is rounded before it is subtracted."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    top = m.to(tl.float16)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - top), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: barrier_in_between
# expect: not applied, memory-order
"""A barrier between the loops."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.debug_barrier()
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: nan_is_kept
# expect: not applied, nan-is-propagated
"""The maximum keeps NaN."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: element_without_a_name
# expect: not applied, not-expressible
"""What is exponentiated is computed in a step that would go."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        x = x * 2.0
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    t = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        d = x * 2.0 - m
        t += tl.sum(tl.where(x > 1.0, 1.0, 0.0), axis=0)
        s += tl.sum(tl.exp(d), axis=0)
    tl.store(Y + row, m + tl.log(s) + t)
# shared: run


# case: one_sum_for_all_rows
# expect: not applied, other-axes
"""A maximum for each row, and one sum over all of them."""


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
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[:, None]))
    tl.store(Y + tl.program_id(0), s)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: other_axis
# expect: not applied, other-axes
"""The maximum is that of a column, the sum that of a row."""


@triton.jit
def kernel(X, Y, M, N, ROW_BLOCK: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROW_BLOCK + tl.arange(0, ROW_BLOCK)
    X += rows[:, None] * N
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = tl.zeros([ROW_BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[None, :]), axis=1)
    tl.store(Y + rows, s, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROW_BLOCK=4, BLOCK=16)
    return y


# case: square_tile
# expect: not applied, other-axes
"""The maximum of a row is subtracted from a column: the tile is square."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    X += rows[:, None] * N
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=1))
    s = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + cols[None, :], mask=mask, other=-float("inf"))
        s += tl.sum(tl.exp(x - m[None, :]), axis=1)
    tl.store(Y + rows, s, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, BLOCK=16)
    return y


# case: pinned_rounding
# expect: not applied, pinned-bits
"""The kernel matches the bits of another library."""


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
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, tl.math.div_rn(m, s))
# shared: run


# case: rounded_differently
# expect: not applied, rounded-differently
"""The scale is applied in the type of the data, and in fp32 for the sum."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")) * 0.3
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32) * 0.3
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: promised_order
# expect: not applied, safety
"""The author promises that the order stays."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        # Deterministic: tiles are summed from the first to the last.
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run


# case: volatile_load
# expect: not applied, volatile-load
"""The loads are volatile."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"), volatile=True)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"), volatile=True)
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))
# shared: run
