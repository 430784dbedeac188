import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y


# case: bound_again
# like: passed_as_a_float
# expect: not applied, name-is-bound-elsewhere
"""Below, the name stands for another number."""
#     tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
#+    N = N - 1
#+    tl.store(Y + row * stride + N, 0.0)
#-    kernel[(m,)](x, y, x.stride(0), n * 1.0, BLOCK=1024)
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)


# case: stored_by_a_branch
# expect: silent
"""A size that a branch chooses is no parameter."""


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if M > 3:
        stride = N
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols)
    tl.store(Y + row * stride + cols, x * 2)


# case: passed_as_a_float
# expect: not applied, type-is-unknown
"""A float is divided as a float, and the mask is compared in another type."""
# shared: kernel


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n * 1.0, BLOCK=1024)
    return y


# case: passed_half
# like: passed_as_a_float
# expect: not applied, type-is-unknown
"""Half of a size is a float."""
#-    kernel[(m,)](x, y, x.stride(0), n * 1.0, BLOCK=1024)
#+    kernel[(m,)](x, y, x.stride(0), n / 2, BLOCK=1024)


# case: not_launched
# expect: not applied, type-is-unknown
"""Nobody shows what is passed."""
# shared: kernel


# case: callers_number
# expect: not applied, type-is-unknown
"""A caller may pass None."""
# shared: kernel


def run(x: torch.Tensor, stride=None):
    n = x.shape[-1]
    y = torch.empty_like(x)
    kernel[(1,)](x, y, stride, n, BLOCK=1024)
    return y


# case: another_launch_passes_none
# expect: not applied, type-is-unknown
"""One launch shows a stride, the other one passes None."""
# shared: kernel


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    kernel[(1,)](x, y, None, n, BLOCK=1024)
    return y


# case: default_of_none
# like: another_launch_passes_none
# expect: not applied, name-is-bound-elsewhere
"""A launch that leaves it out passes None."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, stride=None, BLOCK: tl.constexpr = 1024):
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
#-    kernel[(1,)](x, y, None, n, BLOCK=1024)
#+    kernel[(m,)](x, y, n, x.stride(0))


# case: called_by_a_kernel
# expect: not applied, called-from-a-kernel
"""A heuristic above it would stand in the way."""
# shared: kernel
# shared: run


@triton.jit
def caller(X, Y, stride, N, BLOCK: tl.constexpr):
    kernel(X, Y, stride, N, BLOCK)


# case: decorator_that_is_not_known
# like: listed_parameter
# expect: not applied, unknown-decorator
"""It may launch without the heuristic."""
# import triton.language as tl
#+from somewhere import cached
#-@triton.jit(do_not_specialize=["N"])
#+@cached
#+@triton.jit
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(max(n, 1024)))
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)


# case: handed_on
# expect: not applied, unseen-launches
"""Whoever gets it may do more with it than launch it."""
from somewhere import keep

# shared: kernel
# shared: run


keep(kernel)


# case: constants
# expect: silent
"""The compiler knows constants."""


@triton.jit
def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


# case: odd_beginning
# expect: silent
"""Rows that begin one element later are not aligned, whatever the stride is."""


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols + 1)
    tl.store(Y + row * stride + cols + 1, x * 2)


# case: every_second_element
# expect: silent
"""Lanes that do not lie side by side are loaded one by one."""


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols * 2)
    tl.store(Y + row * stride + cols * 2, x * 2)


# case: loaded_indices
# expect: silent
"""So are elements at places that are loaded."""


@triton.jit
def kernel(X, Y, Indices, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.load(Indices + row * 1024 + tl.arange(0, BLOCK))
    x = tl.load(X + row * stride + cols)
    tl.store(Y + row * stride + cols, x * 2)


# case: an_element_to_a_thread
# like: another_launch_passes_none
# expect: silent
"""A thread has no more than one."""
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
#-    kernel[(1,)](x, y, None, n, BLOCK=1024)
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=128)


# case: told_before
# like: listed_parameter
# expect: silent
"""The compiler has been told."""
#-@triton.jit(do_not_specialize=["N"])
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+@triton.heuristics({"BY_8": lambda args: args["stride"] % 8 == 0 and args["N"] % 8 == 0})
#+@triton.jit
#+def kernel(X, Y, stride, N, BLOCK: tl.constexpr, BY_8: tl.constexpr):
#+    if BY_8:
#+        stride = stride // 8 * 8
#+        N = N // 8 * 8
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(max(n, 1024)))
#+    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)


# case: another_launch_hides_what_it_passes
# like: another_launch_passes_none
# expect: not applied, type-is-unknown
"""What one launch shows, the other one need not pass."""
#-def run(x: torch.Tensor):
#+def run(x: torch.Tensor, sizes):
#-    kernel[(1,)](x, y, None, n, BLOCK=1024)
#+    kernel[(1,)](x, y, **sizes)
