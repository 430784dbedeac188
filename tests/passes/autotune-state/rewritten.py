import torch
import triton
import triton.language as tl


# case: added_where_it_is_asked_for
# verify: no, it has no launcher
"""A flag says whether the result is added to what is there."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(A, C, N, BLOCK: tl.constexpr, ACCUMULATE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    c = tl.load(A + offsets, mask=mask) * 2
    if ACCUMULATE:
        c += tl.load(C + offsets, mask=mask)
    tl.store(C + offsets, c, mask=mask)


# case: configurations_by_name
# verify: no, it has no launcher
"""The configurations are a list of the module, the arguments positional, heuristics between."""

import triton
import triton.language as tl


CONFIGS = [triton.Config({"BLOCK": block}) for block in (256, 1024)]


@triton.autotune(CONFIGS, ["N"])
@triton.heuristics({"EVEN": lambda args: args["N"] % 2 == 0})
@triton.jit
def kernel(P, G, lr, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)


# case: configurations_from_a_function
# like: one_configuration_from_a_function
# verify: no, it has no launcher
"""The function makes two configurations."""
#-    return [triton.Config({"BLOCK": 128})]
#+    found = []
#+    for block in [128, 256]:
#+        found.append(triton.Config({"BLOCK": block}))
#+    return found


# case: leaky_relu_in_place
# verify: no, it has no launcher
"""A selection of which one side shrinks at each run."""

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
    tl.store(X + offsets, tl.where(x > 0, x, x * 0.1), mask=mask)


# case: lists_of_configurations_are_added
# verify: no, it has no launcher
"""Two lists with one configuration each are two."""

import triton
import triton.language as tl

SMALL = [triton.Config({"BLOCK": 256})]


@triton.autotune(configs=SMALL + [triton.Config({"BLOCK": 1024})], key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask)
    tl.store(X + offsets, x + 1.0, mask=mask)


# case: momentum_and_parameters
# verify: no, it has no launcher
"""The parameters are read after something else was stored, and are restored by nobody."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["M"],
)
@triton.jit
def kernel(P, G, M, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    m = tl.load(M + offsets, mask=mask) * 0.9 + tl.load(G + offsets, mask=mask)
    tl.store(M + offsets, m, mask=mask)
    p = tl.load(P + offsets, mask=mask)
    tl.store(P + offsets, p - lr * m, mask=mask)


# case: other_buffers_are_restored
# verify: no, it has no launcher
"""The buffer that is restored is another one."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    restore_value=["G"],
)
@triton.jit
def kernel(P, G, lr, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    p = tl.load(P + offsets, mask=mask)
    g = tl.load(G + offsets, mask=mask)
    tl.store(P + offsets, p - lr * g, mask=mask)


# case: parameters_in_place
# like: other_buffers_are_restored
"""A step of gradient descent."""
#-    restore_value=["G"],

#     tl.store(P + offsets, p - lr * g, mask=mask)
#+
#+
#+def launch(p, g):
#+    kernel[lambda meta: (triton.cdiv(p.numel(), meta["BLOCK"]),)](p, g, 0.5, p.numel())
#+    return p


# case: pointers_that_move
# verify: no, it has no launcher
"""The pointer moves in a loop, the types change, the sum is written with +=."""

from triton import Config, autotune, jit
from triton import language as tl


@autotune(configs=[Config({"BLOCK": 256}), Config({"BLOCK": 1024})], key=["N"], warmup=25)
@jit
def kernel(P, G, stride, N, BLOCK: tl.constexpr):
    P += tl.program_id(0) * stride
    G += tl.program_id(0) * stride
    offsets = tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        mask = start + offsets < N
        p = tl.load(P + offsets, mask=mask).to(tl.float32)
        p += tl.load(G + offsets, mask=mask)
        tl.store(P + offsets, p.to(tl.float16), mask=mask)
        P += BLOCK
        G += BLOCK


# case: prefix_sum_in_place
# verify: no, it has no launcher
"""The prefix sum of a prefix sum is another one."""


@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, tl.cumsum(x, axis=0), mask=offs < N)


# case: prefix_sum_over_a_loop
# verify: no, it has no launcher
"""Each element becomes the sum of those before and itself, with an unknown decay."""
from elsewhere import exp


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in [32, 64]],
    key=["N"],
)
@triton.jit
def kernel(H, G, N, BLOCK: tl.constexpr, DECAYS: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for step in range(N):
        place = H + step * 1024 + cols
        total += tl.load(place).to(tl.float32)
        if step > 0:
            tl.store(place, total)
        if DECAYS:
            total *= exp(tl.load(G + step))


# case: softmax_in_place
# verify: no, it has no launcher
"""The row is read three times, in three loops, and written in the last."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    row = X + tl.program_id(0) * N
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - largest), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(row + cols, mask=cols < N)
        tl.store(row + cols, tl.exp(x - largest) / total, mask=cols < N)


# case: split_along_k
# verify: no, it has no launcher
"""The result is stored in one case and added in the other."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"SPLIT": 1}), triton.Config({"SPLIT": 4})],
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


# case: sums_beside_a_store
# verify: no, it has no launcher
"""Something else is stored as well, and the other buffer is reset. The old sum is not used."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
    reset_to_zero=["Y"],
)
@triton.jit
def kernel(X, Y, S, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, tl.exp(x), mask=offsets < N)
    _ = tl.atomic_add(S, tl.sum(x, axis=0))


# case: sums_by_atomics
# verify: no, it has no launcher
"""Column sums are added up by atomics."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["N"],
)
@triton.jit
def kernel(X, S, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + cols, mask=cols < N, other=0.0)
    tl.atomic_add(S + cols, x, mask=cols < N)


# case: one_tensor_for_two_parameters
# verify: no, only tuning on a GPU runs it twice
"""A launch passes what is read as what is written."""


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
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, x, n)
    return x


# case: sum_into_zeros
"""The launcher makes the zeros that the kernel adds to."""


@triton.autotune([triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], ["n"])
@triton.jit
def total_kernel(X, Out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(Out, tl.sum(tl.load(X + i, mask=i < n, other=0.0)))


def total(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros((1,), device=x.device, dtype=torch.float32)
    total_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out


# case: output_may_be_the_input
"""The launcher passes the input for the output where it is asked to."""


@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["n"])
@triton.jit
def norm_kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + i, mask=i < n, other=0.0)
    tl.store(Y + row * n + i, x * 3.0 + tl.rsqrt(tl.sum(x * x, 0) / n + 1e-6), mask=i < n)


def norm(x: torch.Tensor, inplace: bool = False):
    m, n = x.shape
    x = x.contiguous()
    out = x if inplace else torch.empty_like(x)
    norm_kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: output_is_a_view
"""The output is a view of the input."""


@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["n"])
@triton.jit
def gelu_kernel(src, dst, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + i, mask=i < n)
    tl.store(dst + i, x * 0.5 + x * x, mask=i < n)


def gelu_(x: torch.Tensor):
    assert x.is_contiguous()
    n = x.numel()
    flat = x.view(-1)
    gelu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, flat, n)
    return x


# case: what_it_is_made_of_is_restored
# verify: no, it has no launcher
"""The maximum may be taken again, but the sum is made of the one that was there."""


@triton.autotune(
    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
    key=["n"],
)
@triton.jit
def kernel(X, M, L, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    largest = tl.load(M + rows)
    total = tl.load(L + rows)
    for i in range(n):
        x = tl.load(X + rows * n + i)
        larger = tl.maximum(largest, x)
        total = total * tl.exp(largest - larger) + tl.exp(x - larger)
        largest = larger
    tl.store(L + rows, total)
    tl.store(M + rows, largest)


# case: added_up_in_a_loop
# verify: no, its launches are not drawn: a list of tensors
"""Zeros are made once, and a launch that is tuned later would lose what was added before."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})],
    key=["n"],
)
@triton.jit
def kernel(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < n, other=0.0)
    tl.atomic_add(Out, tl.sum(x, axis=0))


def sums(tensors):
    out = torch.zeros(1, device=tensors[0].device)
    for x in tensors:
        n = x.numel()
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out
