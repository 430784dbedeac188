import torch
import triton
import triton.language as tl


# case: limit_where_tiles_are_counted_by_programs
# like: limit_is_another_number
# expect: silent
# options: programs=3
"""A launch that does not pass the number of tiles needs all of its programs."""
#-def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
#-    for pid in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
#+def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
#+    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
#+    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
#-    scale_kernel[(min(triton.cdiv(n, 16), 2),)](x, out, n, BLOCK=16)
#+    scale_kernel[(min(triton.cdiv(n, 16), 1000),)](x, out, n, BLOCK=16)


# case: returns_a_value
# expect: silent
"""A helper that was taken for a kernel: what it returns has no place in a loop."""


@triton.jit
def offsets(BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    return pid * BLOCK + tl.arange(0, BLOCK)


# case: limit_is_another_number
# expect: silent
# options: programs=3
"""A kernel that loops over tiles keeps the limit that it has."""


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for pid in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, x * 2, mask=offs < n)


def scale(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[(min(triton.cdiv(n, 16), 2),)](x, out, n, BLOCK=16)
    return out
