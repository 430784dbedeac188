import torch
import triton
import triton.language as tl


# case: same_lane
# expect: silent
"""Each lane loads what it stored itself, under another mask."""


@triton.jit
def k(X, S, Y, n, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c, mask=c < n), mask=c < n)
    tl.store(Y + c, tl.load(S + c, mask=c < n - 1, other=0.0), mask=c < n)


# case: same_lane_written_otherwise
# expect: silent
"""The index is the same number."""


@triton.jit
def k(X, S, Y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    tl.store(S + at, tl.load(X + at))
    tl.store(Y + at, tl.load(S + j[None, :] + (i * N)[:, None]))


# case: barrier
# expect: silent
"""All warps wait for each other."""


@triton.jit
def k(X, S, Y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * N + j, tl.load(X + i * N + j))
    tl.debug_barrier()
    tl.store(Y + i * N + j, tl.load(S + j * N + i))


# case: barrier_in_a_helper
# like: barrier
# expect: silent
"""A helper waits."""
# @triton.jit
#+def wait():
#+    tl.debug_barrier()
#+
#+
#+@triton.jit
#-    tl.debug_barrier()
#+    wait()


# case: one_warp
# like: one_warp_in_each_configuration
# expect: silent
"""Each launch has one warp."""
#-@triton.autotune(configs=[triton.Config({"N": 16}, num_warps=1)], key=[])

#-    k[(1,)](x, s, y)
#+    k[(1,)](x, s, y, N=16, num_warps=1)


# case: one_warp_in_each_configuration
# expect: silent
"""The tuner has one warp to choose from."""


@triton.autotune(configs=[triton.Config({"N": 16}, num_warps=1)], key=[])
@triton.jit
def k(X, S, Y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * N + j, tl.load(X + i * N + j))
    tl.store(Y + i * N + j, tl.load(S + j * N + i))


def launch(x: torch.Tensor):
    s, y = torch.empty_like(x), torch.empty_like(x)
    k[(1,)](x, s, y)
    return y


# case: other_elements
# expect: silent
"""The first half is stored, the second loaded."""


@triton.jit
def k(S, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, c * 2.0)
    tl.store(Y + c, tl.load(S + BLOCK + c))


# case: masks_that_exclude_each_other
# expect: silent
"""Lanes of the second half store what no lane loads."""


@triton.jit
def k(S, Y):
    c = tl.arange(0, 64)
    tl.store(S + c, c * 2.0, mask=c >= 32)
    tl.store(Y + c, tl.load(S + (31 - c), mask=c < 32, other=0.0))


# case: one_of_two_branches
# expect: silent
"""No program comes to both."""


@triton.jit
def k(S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    if n > 0:
        tl.store(S + c, c * 2.0)
    else:
        tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)))


# case: returned_before
# expect: silent
"""The programs that store end there."""


@triton.jit
def k(S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    if tl.program_id(0) == n:
        tl.store(S + c, c * 2.0)
        return
    tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)))


# case: strides_that_may_be_one
# expect: silent
"""Where both strides are one number, each lane finds its own."""


@triton.jit
def k(X, S, Y, a, b, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * a + j, tl.load(X + i * N + j))
    tl.store(Y + i * N + j, tl.load(S + i * b + j))


# case: two_tensors
# expect: silent
"""The launch passes two tensors, of which nothing is known."""


@triton.jit
def k(S, T, Y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * N + j, i + j * 2.0)
    tl.store(Y + i * N + j, tl.load(T + j * N + i))


def launch(s: torch.Tensor, t: torch.Tensor):
    y = torch.empty_like(s)
    k[(1,)](s, t, y, N=16)
    return y


# case: two_halves_of_one_tensor
# like: two_tensors
# expect: silent
"""The parts have no element in common."""
#-def launch(s: torch.Tensor, t: torch.Tensor):
#-    y = torch.empty_like(s)
#-    k[(1,)](s, t, y, N=16)
#+def launch(x: torch.Tensor):
#+    y = torch.empty(16, 16, device=x.device)
#+    k[(1,)](x[:16], x[16:], y, N=16)


# case: atomic_between
# expect: silent
"""What atomics order is another matter."""


@triton.jit
def k(X, S, Lock, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c))
    tl.atomic_add(Lock, 1)
    tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)))


# case: state_of_a_loop
# expect: silent
"""Each iteration changes the numbers of its own lanes, and the tiles are side by side."""


@triton.jit
def k(X, S, T, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for t in range(T):
        for start in range(0, n, BLOCK):
            at = start + c
            s = tl.load(S + at, mask=at < n, other=0.0)
            x = tl.load(X + t * n + at, mask=at < n, other=0.0)
            tl.store(S + at, s * 0.5 + x, mask=at < n)


# case: tiles_of_two_loops
# expect: silent
"""The second loop reads the tiles of the first in other iterations, but in the same lanes."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for t in range(0, n, BLOCK):
        x = tl.load(X + t + c, mask=t + c < n)
        tl.store(Y + t + c, tl.exp(x), mask=t + c < n)
    for t in range(0, n, BLOCK):
        y = tl.load(Y + t + c, mask=t + c < n)
        tl.store(Y + t + c, y * 2.0, mask=t + c < n)


# case: halves_rotated_in_place
# expect: silent
"""Each half is loaded and stored in the lanes of the same number."""


@triton.jit
def k(X, Cos, Sin, HALF: tl.constexpr):
    c = tl.arange(0, HALF)
    a = tl.load(X + c)
    b = tl.load(X + HALF + c)
    cos, sin = tl.load(Cos + c), tl.load(Sin + c)
    tl.store(X + c, a * cos - b * sin)
    tl.store(X + HALF + c, b * cos + a * sin)


# case: scalars_alone
# expect: silent
"""The thread that stores is the one whose numbers count."""


@triton.jit
def k(X, Y, n):
    for i in range(1, n):
        tl.store(Y + i, tl.load(Y + i - 1) + tl.load(X + i))


# case: scalar_in_lane_0
# expect: silent
"""Lane 0 of the tile is loaded by the thread that stored the scalar."""


@triton.jit
def k(S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S, n)
    tl.store(Y + c, tl.load(S + c, mask=c == 0, other=0))


# case: pairs_split_in_place
# expect: silent
"""Who stores has got its numbers from those who loaded them."""


@triton.jit
def k(X, Cos, HALF: tl.constexpr):
    c = tl.arange(0, HALF)
    pairs = tl.reshape(tl.load(X + tl.arange(0, 2 * HALF)), [HALF, 2])
    a, b = tl.split(pairs)
    cos = tl.load(Cos + c)
    tl.store(X + 2 * c, a * cos)
    tl.store(X + 2 * c + 1, b * cos)


# case: sorted_in_place
# expect: silent
"""The same, of a sort."""


@triton.jit
def k(X, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.sort(tl.load(X + (BLOCK - 1 - c)))
    tl.store(X + c, x)


# case: rotated_into_another
# like: rotated_in_place
# expect: silent
"""The rows go to another tensor."""
#-def rotate_(x: torch.Tensor, cos: torch.Tensor):
#+def rotate(x: torch.Tensor, cos: torch.Tensor):
#-    rotate_kernel[(m,)](x, x, cos, D=128)
#-    return x
#+    y = torch.empty_like(x)
#+    rotate_kernel[(m,)](x, y, cos, D=128)
#+    return y
