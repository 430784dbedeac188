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
# expect: silent
"""With one configuration nothing is tried out."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256})],
    key=["N"],
)
@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)


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
# expect: silent
"""A comparison as a factor: what is left is positive."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(X + offsets, x * (x > 0), mask=mask)


# case: reset_by_position
# expect: silent
"""The sums are reset, by position."""

import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    ["N"],
    None,
    ["S"],
)
@triton.jit
def kernel(X, S, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=0.0)
    tl.atomic_add(S + cols, x, mask=cols < N)


# case: restored
# expect: silent
"""The buffer is restored."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["P"],
)
@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)


# case: restored_by_keywords_in_a_dict
# expect: silent
"""The keywords restore the buffer."""


KEYWORDS = {"restore_value": ["X"]}


@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **KEYWORDS)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)


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
# expect: silent
"""No configuration comes to the atomic."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"SPLIT": 1}, num_warps=4), triton.Config({"SPLIT": 1}, num_warps=8)],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, SPLIT: tl.constexpr):
    offsets = tl.arange(0, 64)
    total = tl.zeros([64], dtype=tl.float32)
    for k in range(tl.program_id(0), N, SPLIT):
        total += tl.load(X + k * 64 + offsets)
    if SPLIT == 1:
        tl.store(Y + offsets, total)
    else:
        tl.atomic_add(Y + offsets, total)


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
# expect: silent
"""A maximum with 0, done again, changes nothing."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(X + offsets, tl.maximum(x, 0.0), mask=offsets < N)


# case: written_before_it_is_read
# expect: silent
"""What is read is what this kernel has stored before."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    tl.store(Y + offsets, tl.load(X + offsets, mask=mask), mask=mask)
    y = tl.load(Y + offsets, mask=mask)
    tl.store(Y + offsets, y + 1, mask=mask)


# case: restored_by_its_other_name
# expect: silent
"""One tensor for two parameters, of which one is restored."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["X"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(Y + offsets, tl.where(x >= 0, x, x * 0.5), mask=mask)


def launch(x):
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, x, n)
    return x


# case: two_tensors_for_two_parameters
# expect: silent
"""What is written is another tensor."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(Y + offsets, tl.where(x >= 0, x, x * 0.5), mask=mask)


def launch(x):
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, torch.empty_like(x), n)
    return x


# case: size_in_the_key
# expect: silent
"""The key has the width of the tile."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64})],
    key=["N", "WIDTH"],
)
@triton.jit
def kernel(A, V, O, N, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], dtype=tl.float32)
    for i in range(0, N, BLOCK):
        n = i + tl.arange(0, BLOCK)
        a = tl.load(A + row * N + n, mask=n < N, other=0.0)
        v = tl.load(V + n[:, None] * WIDTH + cols[None, :], mask=(n < N)[:, None], other=0.0)
        total += tl.sum(a[:, None] * v, axis=0)
    tl.store(O + row * WIDTH + cols, total)


def launch(a, v):
    m, n = a.shape
    o = torch.empty((m, v.shape[1]), device=a.device)
    kernel[(m,)](a, v, o, n, WIDTH=v.shape[1])
    return o


# case: output_is_new
# expect: silent
"""The output is memory of its own."""


@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["n"])
@triton.jit
def norm_kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + i, mask=i < n, other=0.0)
    tl.store(Y + row * n + i, x * 3.0 + tl.rsqrt(tl.sum(x * x, 0) / n + 1e-6), mask=i < n)


def norm(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    norm_kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
