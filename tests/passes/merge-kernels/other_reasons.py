import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: partials_in_half
# expect: not applied, accumulator-is-narrow
"""The partial results are rounded to half precision."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float16, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: left_early
# expect: not applied, early-exit
"""Not every program comes to the store."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row % 2 == 1:
        return
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: largest_or_zero
# expect: not applied, masked-off-lanes-count
"""Lanes that hold no partial result count as 0, if there are any."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0.0)
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: largest_or_zero_of_integers
# expect: not applied, masked-off-lanes-count
"""The same of integers, which may be negative."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-5)
    tl.store(P + pid, tl.max(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0)
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: padding_counts
# expect: not applied, masked-off-lanes-count
"""Lanes that hold no partial result count as 1."""
# shared: partial


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=1.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
# shared: launch


# case: heuristic_asks_for_the_buffer
# expect: not applied, parameter-cannot-be-added
"""A heuristic looks at the sizes of the buffer."""


@triton.heuristics({"EVEN": lambda args: args["P"].shape[0] % 2 == 0})
@triton.jit
def partial(X, P, stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final
# shared: launch


# case: where_pinned
# expect: not applied, pinned-bits
"""Somebody has matched the second kernel to another library's bits."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, tl.div_rn(x, 3.0), mask=mask)
# shared: final
# shared: launch


# case: launcher_is_deterministic
# expect: not applied, safety
"""The launcher asks for deterministic algorithms, which atomics of floats are not."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    torch.use_deterministic_algorithms(True)
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: may_be_nan
# expect: not applied, safety
"""A tile may hold nothing but NaN, which the largest of all leaves out."""


@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
    tl.store(P + pid, tl.max(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
    tl.store(Y, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.float32, device=x.device)
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    partial[(tiles,)](x, p, n, BLOCK=16)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


# case: promised_order
# expect: not applied, safety
"""The author promises that the result is deterministic."""
# shared: partial


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    # One after the other, so that results are deterministic.
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
# shared: launch


# case: hook_of_the_tuner
# expect: not applied, state-is-not-restored
"""The tuner has a hook, and resets nothing by itself then."""


@triton.autotune(
    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
    key=["N"],
    pre_hook=lambda *args, **kwargs: None,
)
@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final
# shared: launch


# case: hook_by_its_place
# expect: not applied, state-is-not-restored
"""What the tuner resets, and its hook, may stand at their places."""


@triton.autotune(
    [triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
    ["N"],
    {"top_k": 2},
    None,
    None,
    lambda *args, **kwargs: None,
)
@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final
# shared: launch


# case: another_default_type
# expect: not applied, type-is-unknown
"""What is made without a type is no float32 where the file says so."""

torch.set_default_dtype(torch.float64)


@triton.jit
def part(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(P + pid, tl.sum(x, axis=0))


@triton.jit
def final(P, Y, M, SIZE: tl.constexpr):
    rows = tl.arange(0, SIZE)
    p = tl.load(P + rows, mask=rows < M, other=0.0)
    tl.store(Y, tl.sum(p, axis=0))


def total(x):
    n = x.numel()
    m = triton.cdiv(n, 1024)
    p = torch.empty(m, device=x.device)
    y = torch.empty(1, device=x.device)
    part[(m,)](x, p, n, BLOCK=1024)
    final[(1,)](p, y, m, SIZE=triton.next_power_of_2(m))
    return y


# case: type_of_the_caller
# expect: not applied, type-is-unknown
"""The type of the partial results is that of what is passed."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=x.dtype, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: loads_in_a_helper
# expect: not applied, unknown-call
"""The first kernel calls what nobody knows."""


from somewhere import mystery


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    mystery(X)
    tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final
# shared: launch


# case: passed_on
# expect: not applied, unseen-launches
"""The first kernel is handed to somebody."""
# shared: partial
# shared: final
# shared: launch


KERNELS = {"partial": partial}
