import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


# case: number_of_programs
# expect: not applied, not-tunable
"""How many programs there are is stored: there are fewer of longer tiles."""


@triton.jit
def shares(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x / tl.num_programs(0), mask=offsets < N)


def launch(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    shares[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y


# case: options_go
"""The launch said its warps and stages, which the tuner says now."""
# shared: row_sum


def sums(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](
        x.contiguous(),
        y,
        N=n,
        num_warps=8,
        BLOCK=1024,
        num_stages=2,
    )
    return y


# case: perhaps_in_place
# verify: no, the three tensors of the caller are drawn as one or apart
"""The caller may pass one tensor for both."""


@triton.jit
def step(P, Q, G, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    tl.store(Q + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, q: torch.Tensor, g: torch.Tensor):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p, q, g, n, BLOCK=128)
    return q


# case: random_numbers
# like: range_of_elements
# expect: not applied, not-tunable
"""A random number is of its place; that is not followed, so the tile stays."""
#-    tl.store(Y + offsets, x * 2, mask=offsets < N)
#+    tl.store(Y + offsets, x * tl.rand(7, offsets), mask=offsets < N)
#-    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128, num_warps=2)
#+    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128)


# case: range_by_a_function
# like: range_of_elements
"""The grid is a function of the tile already."""
#-    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128, num_warps=2)
#+    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
#+    double[grid](x, y, n, BLOCK=128)


# case: range_by_name
# like: range_of_elements
"""The tile has a name, which the grid asks for too."""
#-    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128, num_warps=2)
#+    block = 256
#+    double[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)


# case: range_of_elements
"""The grid becomes a function of the tile."""


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128, num_warps=2)
    return y


# case: sum_of_a_tile
# like: range_of_elements
# expect: not applied, not-tunable
"""What is stored for a tile depends on its length."""
#-    x = tl.load(X + offsets, mask=offsets < N)
#-    tl.store(Y + offsets, x * 2, mask=offsets < N)
#+    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
#+    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))
#-    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128, num_warps=2)
#+    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128)


# case: tile_and_warps
"""The tile goes over the row: any length does."""
# shared: row_sum


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=1024)
    return y


# case: tiles_off
# like: tile_and_warps
# options: tiles=false
"""Only the warps are left to the tuner."""


# case: two_launches
"""Both launches leave it to the tuner."""
# shared: row_sum


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=256, num_warps=8)
    return y


def more(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, num_warps=8, BLOCK=512)
    return y
