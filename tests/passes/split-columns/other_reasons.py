import torch
import triton
import triton.language as tl


# case: narrow_sum
# expect: not applied, accumulator-is-narrow
# options: longest=16,block=16
"""A sum in fp16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: maybe_one_buffer
# expect: not applied, data-may-change
# options: longest=16,block=16
"""The output may be the input, one element further."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols + 1, x / tl.sum(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n], y: f32[m, n]
def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, n - 1, BLOCK=triton.next_power_of_2(n - 1))
    return y


# case: stored_and_loaded
# like: narrow_sum
# expect: not applied, data-may-change
# options: longest=16,block=16
"""What is stored is loaded again, and reduced."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    tl.store(Y + row * N + cols, x, mask=mask)
#+    z = tl.load(Y + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#+    tl.store(Y + row * N + cols, z / tl.sum(z * z, axis=0), mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty_like(x)


# case: left_early
# like: narrow_sum
# expect: not applied, early-exit
# options: longest=16,block=16
"""A row of zeros is left as it is."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    total = tl.sum(x, axis=0)
#+    if total == 0.0:
#+        return
#+    tl.store(Y + row * N + cols, x / total, mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.zeros_like(x)


# case: grid_asks_for_the_tile
# like: narrow_sum
# expect: not applied, grid-depends-on-the-configuration
# options: longest=16,block=16
"""The grid is computed from the tile."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    tl.store(Y + row, tl.sum(x, axis=0))
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[lambda meta: (m * meta["BLOCK"] // meta["BLOCK"],)](x, y, n, BLOCK=triton.next_power_of_2(n))


# case: no_mask
# like: narrow_sum
# expect: not applied, length-matters
# options: longest=16,block=16
"""A load beyond the row."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    w = tl.load(Y + cols)
#+    tl.store(Y + row * N + cols, x * w * tl.sum(x, axis=0), mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty_like(x)


# case: number_beside_a_tile
# expect: not applied, loop-does-more
# options: longest=16,block=16
"""A branch changes a tile, and a number beside."""


@triton.jit
def kernel(X, Y, N, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    factor = 1.0
    if SCALE:
        x = x * 2.0
        factor = 0.5
    tl.store(Y + row * N + cols, x * factor / tl.sum(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, SCALE=True, BLOCK=triton.next_power_of_2(n))
    return y


# case: number_bound_again
# like: narrow_sum
# expect: not applied, name-is-bound-elsewhere
# options: longest=16,block=16
"""A number that a tile was made of is another one later."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    scale = 2.0
#+    y = x * scale
#+    scale = tl.sum(y, axis=0)
#+    tl.store(Y + row * N + cols, y / scale, mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty_like(x)


# case: a_flag_behind
# expect: not applied, order-is-seen
# options: longest=16,block=16
"""An atomic tells another program that the row is there."""


@triton.jit
def kernel(X, Y, F, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)
    tl.atomic_xchg(F, 1)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    f = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, f, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: barrier
# like: narrow_sum
# expect: not applied, order-is-seen
# options: longest=16,block=16
"""A barrier orders what is loaded and stored."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    total = tl.sum(x, axis=0)
#+    tl.debug_barrier()
#+    tl.store(Y + row * N + cols, x / total, mask=mask)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty_like(x)


# case: pinned
# like: narrow_sum
# expect: not applied, pinned-bits
# options: longest=16,block=16
"""Rounded as another library does."""
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    tl.store(Y + row, tl.div_rn(tl.sum(x, axis=0), 3.0))


# case: row_may_be_longer
# expect: not applied, row-may-be-longer
# options: longest=16,block=16
"""Of a long row the kernel sees the beginning alone."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = x / tl.sum(x * x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=min(64, triton.next_power_of_2(n)))
    return y


# case: pointer_becomes_a_tile
# like: lanes_without_a_value
# expect: not applied, rows-differ
# options: longest=16,block=16
"""A pointer to the row becomes one of the elements."""
#-    mask = cols < N
#-    x = tl.load(X + row * N + cols, mask=mask).to(tl.float32)
#+    X += row * N + cols
#+    x = tl.load(X, mask=cols < N, other=0.0).to(tl.float32)


# case: tile_is_fixed
# like: row_may_be_longer
# expect: not applied, tile-is-not-passed
# options: longest=16,block=16
"""The launch has one tile for all lengths."""
#-    kernel[(m,)](x, y, n, BLOCK=min(64, triton.next_power_of_2(n)))
#+    kernel[(m,)](x, y, n, BLOCK=1024)


# case: tuned
# like: narrow_sum
# expect: not applied, tile-is-not-passed
# options: longest=16,block=16
"""A tuner chooses the tile."""
# import triton.language as tl
#
#
#+@triton.autotune(configs=[triton.Config({"BLOCK": 4096})], key=["N"])
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    tl.store(Y + row, tl.sum(x, axis=0))
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, n)


# case: type_is_open
# like: narrow_sum
# expect: not applied, type-is-unknown
# options: longest=16,block=16
"""Nobody says in which type is added."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(x.to(tl.float16), axis=0))
#+    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
#+    tl.store(Y + row, tl.sum(x * x, axis=0))
