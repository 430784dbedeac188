import torch
import triton
import triton.language as tl


# case: a_counter
# expect: silent
"""A counter of finished programs, which the last one puts back."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, PARTIAL, COUNT, Y, N, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * BLOCK + offsets)
    tl.store(PARTIAL + tl.program_id(0), tl.sum(x, axis=0))
    done = tl.atomic_add(COUNT, 1)
    if done == tl.num_programs(0) - 1:
        tl.store(Y, tl.sum(tl.load(PARTIAL + offsets), axis=0))
        tl.atomic_xchg(COUNT, 0)


# case: a_hook_of_a_configuration
# like: not_tuned
# expect: silent
"""Each configuration has a hook."""
# import triton.language as tl
#
#
#+def configurations():
#+    def reset(arguments):
#+        arguments["P"].zero_()
#+
#+    return [triton.Config({"BLOCK": block}, pre_hook=reset) for block in (256, 1024)]
#+
#+
#+@triton.autotune(configs=configurations(), key=["N"])


# case: a_hook_of_the_tuner
# like: other_buffers_are_restored
# expect: silent
"""A hook may put the buffer right."""
#-    restore_value=["G"],
#+    pre_hook=lambda arguments, reset_only=False: arguments["P"].zero_(),


# case: another_buffer
# like: other_buffers_are_restored
# expect: silent
"""The result goes to another buffer."""
#-    restore_value=["G"],

#-def kernel(P, G, lr, N, BLOCK: tl.constexpr):
#+def kernel(P, G, Q, lr, N, BLOCK: tl.constexpr):
#-    tl.store(P + offsets, p - lr * g, mask=mask)
#+    tl.store(Q + offsets, p - lr * g, mask=mask)


# case: another_element
# expect: silent
"""The element that is read is not the one that is written."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(X + N + offsets, x * 2, mask=offsets < N)


# case: clamped_and_rounded
# like: leaky_relu_in_place
# expect: silent
"""Between two bounds, and whole, once and for all."""
#-    tl.store(X + offsets, tl.where(x > 0, x, x * 0.1), mask=mask)
#+    tl.store(X + offsets, tl.clamp(tl.floor(x), 0.0, 6.0).to(tl.float16), mask=mask)


# case: configurations_from_elsewhere
# like: keywords_from_elsewhere
# expect: silent
"""Nobody sees how many configurations there are."""
#-from elsewhere import keywords
#+from elsewhere import configurations
#-@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **keywords)
#+@triton.autotune(configs=configurations(), key=["N"])


# case: keywords_from_elsewhere
# expect: silent
"""Nobody sees whether the keywords restore the buffer."""

from elsewhere import keywords


@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **keywords)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)


# case: keywords_that_kernels_with_one_buffer_share
# like: keywords_from_elsewhere
# expect: silent
"""Both kernels have an X, which the keywords may restore."""
#     tl.store(X + offs, x * 2, mask=offs < N)
#+
#+
#+@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **keywords)
#+@triton.jit
#+def other(X, N, BLOCK: tl.constexpr):
#+    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#+    tl.store(X + offs, 0.0, mask=offs < N)


# case: largest_by_atomics
# expect: silent
"""The largest element, taken again, is the same."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=-float("inf"))
    tl.atomic_max(Y, tl.max(x, axis=0))


# case: largest_so_far_over_a_loop
# expect: silent
"""The largest so far of the largest so far is itself."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in [32, 64]],
    key=["N"],
)
@triton.jit
def kernel(H, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for step in range(N):
        place = H + step * 1024 + cols
        largest = tl.maximum(largest, tl.load(place))
        tl.store(place, largest)


# case: low_bits_are_kept
# like: leaky_relu_in_place
# expect: silent
"""Bits that are cleared stay cleared."""
#-    tl.store(X + offsets, tl.where(x > 0, x, x * 0.1), mask=mask)
#+    tl.store(X + offsets, x & 0xFF, mask=mask)


# case: names_that_are_not_known
# like: other_buffers_are_restored
# expect: silent
"""What is restored cannot be read."""
# import triton.language as tl
#+from elsewhere import buffers
#-    restore_value=["G"],
#+    restore_value=buffers(),
