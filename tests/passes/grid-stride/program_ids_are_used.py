import torch
import triton
import triton.language as tl


# case: combine_reads_the_id
# expect: not applied, program-ids-are-used
"""The function that a reduction combines with reads the program id."""


@triton.jit
def combine(a, b):
    return a + b + tl.program_id(0)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0)
    tl.store(out + pid, tl.reduce(v, 0, combine))


def run(x: torch.Tensor):
    m, n = x.shape
    out = torch.zeros(m)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: count_of_a_helper
# like: id_of_a_helper_bound_twice
# expect: not applied, program-ids-are-used
"""A helper tells the number of programs."""
#-def program_id(axis: int):
#-    return tl.program_id(axis) * 2
#+def num_programs(axis: int):
#+    return tl.num_programs(axis).to(tl.int64)
#-    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)
#+    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + num_programs(0), mask=offs < n)


# case: helper_counts_programs
# expect: not applied, program-ids-are-used
"""A helper asks how many programs there are."""


@triton.jit
def last():
    return tl.num_programs(0) - 1


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = last() - tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out


# case: helper_reads_the_id
# expect: not applied, program-ids-are-used
"""The helper would go on reading the program's own id."""


@triton.jit
def place(BLOCK: tl.constexpr):
    return tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = place(BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: id_of_a_helper_that_does_more
# expect: not applied, program-ids-are-used
"""A helper that computes with the program id reads that of the program."""


@triton.jit
def first(axis: tl.constexpr) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(0) + 1 + 0 * axis



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = (first(0) - 1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: loop_over_all_programs
# expect: not applied, program-ids-are-used
"""A loop over what every program left."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    total = 0.0
    for i in range(tl.num_programs(0)):
        total += tl.load(x + i)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + total, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out


# case: prints_the_program_id
# like: grid_with_effects
# expect: not applied, program-ids-are-used
"""Each line that is printed begins with the program id."""
#-    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)
#+    values = tl.load(x + offs, mask=offs < n)
#+    tl.device_print("values", values)
#+    tl.store(out + offs, values + 1, mask=offs < n)
#-    sizes = iter([1, 2, 3])
#-    kernel[lambda META: (next(sizes),)](x, out, n, BLOCK=64)
#+    kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
