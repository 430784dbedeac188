import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n)
    return y


# case: arguments_change_the_grid
# like: parameter_by_its_name
# expect: not applied, tile-is-not-passed
"""What the launch passes binds a name that its grid reads, which is called after it."""
#-@triton.jit(do_not_specialize=["N"])
#+@triton.jit
#-    kernel[(m,)](x, y, x.stride(0), n, triton.next_power_of_2(n), num_warps=2)
#+    k = m
#+    kernel[lambda meta: (k + 0,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2((k := m) * 0 + n))


# case: loops_where_left_out
# expect: not applied, tile-is-not-passed
"""How long a tile is stands in the kernel, so the launch cannot ask for it."""






@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})
@triton.jit
def kernel(X, Y, stride, N, ONE_TILE: tl.constexpr = True, BLOCK: tl.constexpr = 16):
    row = tl.program_id(0)
    if ONE_TILE:
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(x, axis=0))
    else:
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n)
    return y


# case: tile_of_a_heuristic
# expect: not applied, tile-is-not-passed
"""A heuristic sets how long a tile is."""


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(Y + row, tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0)))
# shared: run


# case: tuned_tile
# expect: not applied, tile-is-not-passed
"""A tuner chooses how long a tile is."""


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["N"])
@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    tl.store(Y + row, total)
# shared: run
