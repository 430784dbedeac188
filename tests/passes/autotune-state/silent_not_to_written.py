import torch
import triton
import triton.language as tl


# case: not_tuned
# expect: silent
"""A kernel that nobody tunes."""

import triton
import triton.language as tl


@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)


# case: one_configuration
# like: other_buffers_are_restored
# expect: silent
"""With one configuration nothing is tried out."""
#-    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
#+    configs=[triton.Config({"BLOCK": 256})],
#-    restore_value=["G"],


# case: one_configuration_from_a_function
# expect: silent
"""The function makes one configuration."""


def configurations():
    return [triton.Config({"BLOCK": 128})]


@triton.autotune(configs=configurations(), key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)


# case: one_configuration_in_a_comprehension
# expect: silent
"""There is nothing to choose from."""


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in [128]], key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)


# case: relu_by_a_factor
# like: leaky_relu_in_place
# expect: silent
"""A comparison as a factor: what is left is positive."""
#-    tl.store(X + offsets, tl.where(x > 0, x, x * 0.1), mask=mask)
#+    tl.store(X + offsets, x * (x > 0), mask=mask)


# case: reset_by_position
# like: sums_by_atomics
# expect: silent
"""The sums are reset, by position."""
#-    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
#-    key=["N"],
#+    [triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
#+    ["N"],
#+    None,
#+    ["S"],


# case: restored
# like: other_buffers_are_restored
# expect: silent
"""The buffer is restored."""
#-    restore_value=["G"],
#+    restore_value=["P"],


# case: restored_by_keywords_in_a_dict
# like: one_configuration_from_a_function
# expect: silent
"""The keywords restore the buffer."""
#-def configurations():
#-    return [triton.Config({"BLOCK": 128})]
#+KEYWORDS = {"restore_value": ["X"]}
#-@triton.autotune(configs=configurations(), key=["N"])
#+@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **KEYWORDS)


# case: row_mean_is_taken_off_in_place
# expect: silent
"""A row without its mean has the mean 0: to take it off again changes nothing."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(x, axis=0) / N
    tl.store(X + row * N + cols, x - mean, mask=cols < N)


# case: split_in_no_configuration
# like: split_along_k
# expect: silent
"""No configuration comes to the atomic."""
#-    configs=[triton.Config({"SPLIT": 1}), triton.Config({"SPLIT": 4})],
#+    configs=[triton.Config({"SPLIT": 1}, num_warps=4), triton.Config({"SPLIT": 1}, num_warps=8)],


# case: sums_into_what_is_stored_first
# expect: silent
"""The launch passes one tensor for both, and the kernel has set it to 0 before it adds."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, S, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, 0.0, mask=cols < N)
    tl.atomic_add(S + cols, x, mask=cols < N)


def run(x):
    y = x.clone()
    kernel[(1,)](x, y, y, x.numel())
    return y


# case: twice_is_once
# like: another_element
# expect: silent
"""A maximum with 0, done again, changes nothing."""
#-    offsets = tl.arange(0, BLOCK)
#+    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#-    tl.store(X + N + offsets, x * 2, mask=offsets < N)
#+    tl.store(X + offsets, tl.maximum(x, 0.0), mask=offsets < N)


# case: written_before_it_is_read
# like: largest_by_atomics
# expect: silent
"""What is read is what this kernel has stored before."""
#-    x = tl.load(X + offsets, mask=offsets < N, other=-float("inf"))
#-    tl.atomic_max(Y, tl.max(x, axis=0))
#+    mask = offsets < N
#+    tl.store(Y + offsets, tl.load(X + offsets, mask=mask), mask=mask)
#+    y = tl.load(Y + offsets, mask=mask)
#+    tl.store(Y + offsets, y + 1, mask=mask)


# case: restored_by_its_other_name
# like: one_tensor_for_two_parameters
# expect: silent
"""One tensor for two parameters, of which one is restored."""
#     key=["N"],
#+    restore_value=["X"],


# case: two_tensors_for_two_parameters
# like: one_tensor_for_two_parameters
# expect: silent
"""What is written is another tensor."""
#-    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, x, n)
#+    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, torch.empty_like(x), n)


# case: size_in_the_key
# like: size_that_is_not_in_the_key
# expect: silent
"""The key has the width of the tile."""
#-    key=["N"],
#+    key=["N", "WIDTH"],


# case: output_is_new
# like: output_may_be_the_input
# expect: silent
"""The output is memory of its own."""
#-def norm(x: torch.Tensor, inplace: bool = False):
#+def norm(x: torch.Tensor):
#-    out = x if inplace else torch.empty_like(x)
#+    out = torch.empty_like(x)
