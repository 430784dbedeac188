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
# like: arguments_behind_a_star
# expect: not applied, grid-is-not-readable
"""One of two grids, chosen at the launch."""
#-def run(x: torch.Tensor, *rest):
#-    kernel[(4,)](x, *rest, BLOCK=64)
#+def run(x: torch.Tensor, out: torch.Tensor, small: bool):
#+    kernel[(1,) if small else (8,)](x, out, x.numel(), BLOCK=64)


# case: grid_is_a_list
# like: grid_with_effects
# expect: not applied, grid-is-not-readable
"""A list may change after it was made."""
#-    sizes = iter([1, 2, 3])
#-    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
#+    grid = [triton.cdiv(n, 64)]
#+    grid[0] += 1
#+    kernel[grid](x, out, n, BLOCK=64)


# case: grid_of_the_caller
# like: arguments_behind_a_star
# expect: not applied, grid-is-not-readable
"""The grid may be a function or a tuple of any length."""
#-def run(x: torch.Tensor, *rest):
#-    kernel[(4,)](x, *rest, BLOCK=64)
#+def run(x: torch.Tensor, out: torch.Tensor, grid):
#+    kernel[grid](x, out, x.numel(), BLOCK=64)


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
# like: inline_assembly
# expect: not applied, grid-is-not-readable
# options: axis=1
"""The grid has one axis, and the kernel reads two."""
#-    pid = tl.program_id(0)
#-    index = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], tl.int32, True, 1)
#-    offs = index * BLOCK + tl.arange(0, BLOCK) + 0 * pid
#+    pid = tl.program_id(0) + tl.program_id(1)
#+    offs = pid * BLOCK + tl.arange(0, BLOCK)


# case: property_in_a_lambda
# like: size_is_a_property
# expect: not applied, grid-is-not-readable
# options: programs=2
"""The function that is the grid would ask the property once more."""
#-def kernel(x, out, rows, BLOCK: tl.constexpr):
#+def kernel(x, out, one, BLOCK: tl.constexpr):
#-    tl.store(out + offs, tl.load(x + offs) + rows)
#+    tl.store(out + offs, tl.load(x + offs) + one)
#-    kernel[(counter.rows,)](x, out, counter.rows, BLOCK=16)
#+    kernel[lambda META: (counter.rows,)](x, out, 1, BLOCK=16)
