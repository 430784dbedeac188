import torch
import triton
import triton.language as tl


# case: keywords_in_a_dict
# like: keywords_from_elsewhere
# expect: finding, state-is-not-restored
"""The keywords restore nothing."""
#-from elsewhere import keywords
#+
#+SUPPORTED = hasattr(triton, "knobs")
#+KEYWORDS = {"cache_results": True} if SUPPORTED else {}
#-@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **keywords)
#+@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **KEYWORDS)


# case: keywords_that_kernels_share
# like: keywords_from_elsewhere
# expect: finding, state-is-not-restored
"""Another kernel is given the same keywords, and has no X that they could restore."""
#     tl.store(X + offs, x * 2, mask=offs < N)
#+
#+
#+@triton.autotune(configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["N"], **keywords)
#+@triton.jit
#+def other(Y, N, BLOCK: tl.constexpr):
#+    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#+    tl.store(Y + offs, 0.0, mask=offs < N)


# case: key_of_nothing
# expect: finding, key-of-nothing
"""The key names a size as the launcher calls it."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 1024})],
    key=["length"],
)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    tl.store(Y + offsets, tl.load(X + offsets, mask=mask) * 2, mask=mask)


# case: size_that_is_not_in_the_key
# expect: finding, size-not-in-key
"""The tile is as wide as a matrix, of which the key has no size."""


@triton.autotune(
    configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64})],
    key=["N"],
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
