import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


# case: arguments_behind_a_star
# expect: not applied, unseen-launches
"""What is passed is not seen."""
# shared: kernel


def run(x: torch.Tensor, *rest):
    kernel[(4,)](x, *rest, BLOCK=64)


# case: called_by_a_kernel
# like: in_a_table
# expect: not applied, unseen-launches
"""Another kernel calls it, whose programs are other tiles."""
#-TABLE = {"copy": kernel}
#+@triton.jit
#+def twice(x, out, n, BLOCK: tl.constexpr):
#+    kernel(x, out, n, BLOCK)
#+    kernel(x, out, n, BLOCK)


# case: compiled_ahead
# like: grid_with_effects
# expect: not applied, unseen-launches
"""What warmup returns is launched with another grid."""
#-    sizes = iter([1, 2, 3])
#-    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
#+    compiled = kernel.warmup(x, out, n, BLOCK=64, grid=(1,))
#+    compiled[(triton.cdiv(n, 64), 1, 1)](x, out, n, 64)


# case: decorator_starts_more
# expect: not applied, unseen-launches
"""What stands above the kernel starts more programs than the launch says."""


class Twice:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return self.fn[tuple(2 * extent for extent in grid)]


@Twice
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    half = x.numel() // 2
    block = 64
    kernel[(triton.cdiv(half, block),)](x, out, half, BLOCK=block)
    return out


# case: in_a_table
# expect: not applied, unseen-launches
"""Whoever looks into the table can launch it."""
# shared: kernel


TABLE = {"copy": kernel}


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: launch_is_kept
# like: grid_with_effects
# expect: not applied, unseen-launches
"""What a launch returns is the compiled kernel, which can be launched again."""
#-    sizes = iter([1, 2, 3])
#-    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
#+    compiled = kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
#+    compiled[(1, 1, 1)](x, out, n, 64)


# case: no_launch
# expect: not applied, unseen-launches
"""No launch is in the file."""
# shared: kernel
