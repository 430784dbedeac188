import torch
import triton
import triton.language as tl


# case: long_tile_of_many_warps
"""A thread keeps 16 elements, or fewer where the tile is shorter."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=min(16384, triton.next_power_of_2(n)), num_warps=32)
    return y


# case: tuned_long_tile
# like: long_tile_of_many_warps
# verify: no, a tuner needs a GPU
"""A tuner may choose as many warps as keep few elements for each thread."""
# import triton.language as tl
#
#
#+@triton.autotune([triton.Config({"BLOCK": 1024}), triton.Config({"BLOCK": 4096}, num_warps=16)], ["N"])
#-# tritonopt: x: f32[m, n]
#-def run(x: torch.Tensor):
#+def run(x):
#-    kernel[(m,)](x, y, n, BLOCK=min(16384, triton.next_power_of_2(n)), num_warps=32)
#+    kernel[(m,)](x, y, n)
