import torch
import triton
import triton.language as tl


# case: decorated_grid
# expect: not applied, grid-is-not-readable
# options: programs=2
"""The decorator makes another grid of what the function returns."""


def twice(function):
    return lambda meta: (2 * function(meta)[0],)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < 2 * n) + 1, mask=offs < 2 * n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel() // 2

    @twice
    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    kernel[grid](x, out, n, BLOCK=64)
    return out


# case: grid_by_condition
# expect: not applied, grid-is-not-readable
"""One of two grids, chosen at the launch."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor, out: torch.Tensor, small: bool):
    kernel[(1,) if small else (8,)](x, out, x.numel(), BLOCK=64)


# case: grid_is_a_list
# expect: not applied, grid-is-not-readable
"""A list may change after it was made."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    grid = [triton.cdiv(n, 64)]
    grid[0] += 1
    kernel[grid](x, out, n, BLOCK=64)
    return out


# case: grid_of_the_caller
# expect: not applied, grid-is-not-readable
"""The grid may be a function or a tuple of any length."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor, out: torch.Tensor, grid):
    kernel[grid](x, out, x.numel(), BLOCK=64)


# case: grid_with_effects
# expect: not applied, grid-is-not-readable
"""The grid would be asked twice, and answers something else each time."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    sizes = iter([1, 2, 3])
    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
    return out


# case: grid_without_the_axis
# expect: not applied, grid-is-not-readable
# options: axis=1
"""The grid has one axis, and the kernel reads two."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0) + tl.program_id(1)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: property_in_a_lambda
# expect: not applied, grid-is-not-readable
# options: programs=2
"""The function that is the grid would ask the property once more."""


@triton.jit
def kernel(x, out, one, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + one)


class Counter:
    def __init__(self):
        self.asked = 3

    @property
    def rows(self):
        self.asked += 1
        return self.asked


def run(x: torch.Tensor):
    x = torch.arange(160, device=x.device) + x.sum()
    out = torch.zeros_like(x)
    counter = Counter()
    kernel[lambda META: (counter.rows,)](x, out, 1, BLOCK=16)
    return out, counter.asked
