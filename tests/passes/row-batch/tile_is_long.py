import torch
import triton
import triton.language as tl


# case: long_tile
# like: tile_of_a_heuristic
# expect: not applied, tile-is-long
"""A tile is as long as a program should have."""
#-@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})

#-    kernel[(m,)](x, y, x.stride(0), n)
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=2048)


# case: long_tile_beside_a_short_one
# expect: not applied, tile-is-long
# options: elements=64
"""One tile is as much as a program should hold, whatever the launch passes for the other one."""


@triton.jit
def gathered_kernel(X, Places, Out, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        places = tl.load(Places + row * K + k, mask=k < K, other=0)
        x = tl.load(X + row * N + places, mask=k < K, other=0.0)
        tl.store(Out + row * K + k, x - mean, mask=k < K)


# tritonopt: x: f32[rows, n], places: i64[rows, k] in 0..n
def gathered(x, places):
    rows, n = x.shape
    k = places.shape[1]
    out = torch.empty(rows, k, device=x.device)
    block = min(triton.next_power_of_2(k), 8)
    gathered_kernel[(rows,)](x.contiguous(), places.contiguous(), out, n, k, BLOCK=64, BLOCK_K=block)
    return out


# case: long_tile_by_name
# expect: not applied, tile-is-long
"""How long a tile is stands in a name, which is one number: a program would have one row."""


@triton.jit
def sum_of_squares_kernel(X, Sums, N, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Sums + part, tl.sum(x * x))


def sums_of_squares(x):
    size = 1024
    n = x.numel()
    parts = triton.cdiv(n, size)
    sums = torch.empty(parts, device=x.device)
    sum_of_squares_kernel[(parts,)](x, sums, n, size)
    return sums


# case: tile_of_long_rows
# expect: not applied, tile-is-long
"""Every launch shows that a row has 4096 elements."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m]
def run(x):
    x = x[:, None].expand(-1, 4096).contiguous()
    y = torch.empty(x.shape[0], device=x.device)
    kernel[(x.shape[0],)](x, y, 4096, BLOCK=1024)
    return y
