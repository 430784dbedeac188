import torch
import triton
import triton.language as tl


# case: grid_of_one_tile
# expect: finding, leaves-elements
"""The grid counts tiles of 64, whatever the tuner chooses."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x, y, n)
    return y


# case: rows_of_one_tile
# expect: finding, leaves-elements
"""The same of the second axis."""


@triton.autotune(
    configs=[triton.Config({"ROWS": 4}), triton.Config({"ROWS": 8})],
    key=["M"],
)
@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask)
    tl.store(Y + rows[:, None] * N + cols[None, :], x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]), triton.cdiv(m, 8))](x, y, m, n, BLOCK=16)
    return y


# case: grid_of_tiles_for_one_height
# expect: finding, leaves-elements
"""Half of the rows where the tuner takes the smaller tile."""


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
    BM = 64
    grid = (triton.cdiv(m, BM), triton.cdiv(n, 32))
    copy2_kernel[grid](x, y, m, n)
    return y
