import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


# case: a_check_that_is_not_understood
# expect: silent
"""Something is checked that cannot be read."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    assert fits(n)
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: another_launch_is_not_seen
# expect: silent
"""The kernel is handed out, so its launches cannot all be read."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


KERNELS = {"copy": kernel}


# case: as_long_as_it_asserts
# expect: silent
"""The one length that is let through fits the tile, which is not passed."""


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


def launch(x):
    m, d = x.shape
    assert d == 128
    y = torch.empty_like(x)
    kernel[(m,)](x, y, D=128)
    return y


# case: bounded
# expect: silent
"""The mask bounds what is addressed."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: bounded_otherwise
# expect: silent
"""The same bound, spelled otherwise."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=(offsets < N) & (offsets >= 0))


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: bounded_rows
# expect: silent
"""Rows and columns are bounded."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty((m, n), device=x.device, dtype=x.dtype)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: bounded_rows_in_turns
# expect: silent
"""Each program goes through rows so far apart as there are programs."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(132,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: bounded_tiles
# expect: silent
"""A tile that is bounded along both axes."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=inside, other=0.0)
    tl.store(Y + rows[:, None] * N + cols[None, :], x, mask=inside)


def launch(x):
    m, n = x.size(0), x.size(1)
    y = x.new_empty(m, n)

    def grid(meta):
        return (triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"]))

    kernel[grid](x, y, m, n, BM=16, BN=32)
    return y


# case: buffer_of_fixed_length
# expect: silent
"""Which tensors fit a buffer of fixed length is for the callers to know."""


# shared: scale


def double(x):
    n = x.numel()
    y = torch.empty(64, device=x.device)
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: buffer_of_the_caller
# expect: silent
"""The caller brings the buffer, and may well bring one that is long enough."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x, out):
    y = out
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: checked_by_the_caller
# expect: silent
"""The function that calls the launcher checks what it hands on."""


# shared: scale


def double(x):
    y = torch.empty_like(x)
    n = x.numel()
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


def double_of_a_few(x):
    assert odd(x)
    return double(x)


# case: decorated_launcher
# expect: silent
"""What the decorator passes on is not known."""


# shared: scale


def padded(function):
    return lambda x: function(torch.nn.functional.pad(x, (0, -x.numel() % 64)))


@padded
def double(x):
    y = torch.empty_like(x)
    n = x.numel()
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: dimensions_are_not_known
# expect: silent
"""Rows of several elements, for all that the launcher shows."""


# shared: scale


def double(x):
    y = torch.empty_like(x)
    n = x.shape[0]
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y


# case: left_before
# expect: silent
"""Programs beyond the end leave before they store."""


@triton.jit
def kernel(X, Y, M):
    row = tl.program_id(0)
    if row >= M:
        return
    tl.store(Y + row, tl.load(X + row))


def launch(x):
    m = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 4) * 4,)](x, y, m)
    return y


# case: grid_of_tiles
# expect: silent
"""The grid asks for the height of the tile."""


@triton.autotune(configs=[triton.Config({"BM": 32, "BN": 32}), triton.Config({"BM": 64, "BN": 32})], key=["m", "n"])
@triton.jit
def copy2_kernel(X, Y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    c = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    ok = (r < m) & (c < n)
    tl.store(Y + r * n + c, tl.load(X + r * n + c, mask=ok), mask=ok)


def copy2(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)

    def grid(meta):
        return triton.cdiv(m, meta["BM"]), triton.cdiv(n, 32)

    copy2_kernel[grid](x, y, m, n)
    return y
