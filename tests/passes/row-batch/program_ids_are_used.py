import torch
import triton
import triton.language as tl


# case: counts_programs
# like: keeps_its_axis
# expect: not applied, program-ids-are-used
"""The number of programs is that of rows."""
#-    row = tl.program_id(0)
#+    row = tl.num_programs(0) - 1 - tl.program_id(0)
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# case: goes_on_by_programs
# expect: not applied, program-ids-are-used
"""A program handles every so many rows already."""


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    cols = tl.arange(0, BLOCK)
    for row in range(first, M, step):
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(min(m, 8),)](x, y, x.stride(0), n, m, BLOCK=triton.next_power_of_2(n))
    return y


# case: helper_reads_the_id
# like: volatile
# expect: not applied, program-ids-are-used
"""A helper asks which program it is."""
# @triton.jit
#+def start(stride):
#+    return tl.program_id(0) * stride
#+
#+
#+@triton.jit
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0, volatile=True)
#+    x = tl.load(X + start(stride) + cols, mask=cols < N, other=0.0)


# case: prints
# like: keeps_its_axis
# expect: not applied, program-ids-are-used
"""What is printed begins with the number of the program."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    tl.device_print("x", x)
#+    tl.store(Y + row, tl.sum(x))
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)
