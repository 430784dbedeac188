import torch
import triton
import triton.language as tl


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out


# case: address_is_loaded
# like: volatile
# expect: unchanged
"""The index is loaded in every iteration."""
#-        x *= tl.load(W + row, volatile=True)
#+        x *= tl.load(W + tl.load(X + row * n + start).to(tl.int32))


# case: address_moves
# expect: unchanged
"""The address is the same name in every iteration, and another place."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        w = tl.load(W)
        tl.store(Out + row * n + start, w, mask=start < n)
        W += BLOCK
# shared: run


# case: binds_on_the_way
# expect: unchanged
"""The expression with the load binds a name that the loop reads before. Triton does not compile
it, the interpreter runs it."""


@triton.jit
def kernel(W, Out, n):
    place = 3
    for i in range(n):
        tl.store(Out + n + i, place)
        w = tl.load(W + (place := 5))
        tl.store(Out + i, w)


def run(w, n):
    out = torch.empty(2 * n)
    kernel[(1,)](w, out, n)
    return out


# case: descriptor_offsets
# expect: unchanged
"""The descriptor is the same, and the tile another."""


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    tiles = tl.make_tensor_descriptor(W, [n, n], [n, 1], [BLOCK, BLOCK])
    for start in range(0, n, BLOCK):
        tile = tiles.load([start, 0])
        tl.store(Out + start + tl.arange(0, BLOCK), tl.sum(tile, axis=0))
# shared: run
