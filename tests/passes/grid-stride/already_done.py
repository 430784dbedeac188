import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out


# case: divides_the_tiles
# expect: not applied, already-done
"""Each program has its share of the tiles."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    first = tl.program_id(0) * share
    for tile in range(first, first + share):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run


# case: persistent
# like: warp_specialized
# expect: not applied, already-done
"""A loop over tiles of its own making."""
#-    pid = tl.program_id(0)
#-    for i in tl.range(0, 2, warp_specialize=True):
#-        offs = pid * BLOCK + tl.arange(0, BLOCK) + 0 * i
#+    first = tl.program_id(0)
#+    step = tl.num_programs(0)
#+    for pid in range(first, tl.cdiv(n, BLOCK), step):
#+        offs = pid * BLOCK + tl.arange(0, BLOCK)


# case: strides_by_a_product
# expect: not applied, already-done
"""Tiles are numbered by what the loop counts."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.num_programs(0)
    for i in range(0, tl.cdiv(n, BLOCK * count)):
        tile = pid + i * count
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run


# case: strides_by_a_while
# expect: not applied, already-done
"""A loop that goes on by the number of programs as long as there are tiles."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    while tile * BLOCK < n:
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
        tile += tl.num_programs(0)
# shared: run


# case: strides_by_blocks
# expect: not applied, already-done
"""A loop over offsets rather than tiles."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    step = tl.num_programs(axis=0) * BLOCK
    for start in range(tl.program_id(axis=0) * BLOCK, n, step):
        offs = start + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run
