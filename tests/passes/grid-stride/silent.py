import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, x * 2, mask=offs < n)


# case: limit_is_that_number
# expect: silent
# options: programs=2
"""The limit is the one that is asked for."""


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


# case: limit_of_its_own
# expect: silent
# options: programs=3
"""A grid whose first part may be the limit, or the second."""


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
    programs = 5
    scale_kernel[(min(programs, triton.cdiv(n, 16)),)](x, out, n, BLOCK=16)
    return out


# case: limit_of_multiprocessors_is_that
# expect: silent
# options: programs=sm*8
"""The launcher asks for just that."""
# shared: scale_kernel


def scale(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    num_programs = (
        8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if torch.cuda.is_available()
        else 2**31 - 1
    )
    scale_kernel[(min(num_tiles, num_programs),)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    return out


# case: limit_where_tiles_are_counted_by_programs
# expect: silent
# options: programs=3
"""A launch that does not pass the number of tiles needs all of its programs."""
# shared: scale_kernel


def scale(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[(min(triton.cdiv(n, 16), 1000),)](x, out, n, BLOCK=16)
    return out


# case: returns_a_value
# expect: silent
# options: unseen_launches=keep
"""A helper that was taken for a kernel: what it returns has no place in a loop."""


@triton.jit
def offsets(BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    return pid * BLOCK + tl.arange(0, BLOCK)
