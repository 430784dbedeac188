import torch
import triton
import triton.language as tl


# case: buffer_may_be_none
# expect: not applied, not-tunable
"""A tuner cannot copy a buffer that is not there."""


@triton.jit
def step(P, G, M, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(P + offsets, mask=offsets < N)
    g = tl.load(G + offsets, mask=offsets < N)
    if M is not None:
        m = tl.load(M + offsets, mask=offsets < N)
        tl.store(M + offsets, m + g, mask=offsets < N)
    tl.store(P + offsets, p - 0.5 * g, mask=offsets < N)


def steps(p: torch.Tensor, g: torch.Tensor, momentum: torch.Tensor | None):
    n = p.numel()
    step[(triton.cdiv(n, 128),)](p, g, momentum, n, BLOCK=128)
    return p


# case: buffer_under_a_flag
# like: buffer_may_be_none
# expect: not applied, not-tunable
"""Without the flag there may be no buffer."""
#-def step(P, G, M, N, BLOCK: tl.constexpr):
#+def step(P, G, M, N, HAS_M: tl.constexpr, BLOCK: tl.constexpr):
#-    if M is not None:
#+    if HAS_M:
#-    step[(triton.cdiv(n, 128),)](p, g, momentum, n, BLOCK=128)
#+    has = momentum is not None
#+    step[(triton.cdiv(n, 128),)](p, g, momentum, n, HAS_M=has, BLOCK=128)


# case: made_by_each_call
# expect: not applied, not-tunable
"""A tuner of a kernel within a function forgets what it measured when the function returns."""


def doubled(x: torch.Tensor):
    @triton.jit
    def double(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(Y + offsets, 2.0 * tl.load(X + offsets, mask=offsets < N), mask=offsets < N)

    y = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


# case: different_options
# like: two_launches
# expect: not applied, not-tunable
"""Somebody has chosen for each launch."""
#-    row_sum[(m,)](x, y, n, num_warps=8, BLOCK=512)
#+    row_sum[(m,)](x, y, n, BLOCK=256, num_warps=2)


# case: name_of_a_part
# expect: not applied, not-tunable
"""All rows are written through the first one, and a tuner would put back only that."""


@triton.jit
def halve(X, N, stride, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(X + tl.program_id(0) * stride + cols, 0.5 * x, mask=cols < N)


def halved(x: torch.Tensor):
    m, n = x.shape
    first = x[0]
    halve[(m,)](first, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
    return x


# case: part_of_a_tensor
# like: grid_is_a_function
# expect: not applied, not-tunable
"""The kernel may write beside the part that a tuner copies."""
#-    step[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](p, g, n, BLOCK=128, num_warps=1)
#+    step[(triton.cdiv(n, 128),)](p[1:], g, n, BLOCK=128)


# case: pointer_is_loaded
# expect: not applied, not-tunable
"""Which buffers are written stands in memory."""


@triton.jit
def fill(Pointers, N, BLOCK: tl.constexpr):
    target = tl.load(Pointers + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    cols = tl.arange(0, BLOCK)
    tl.store(target + cols, 0.0, mask=cols < N)


def filled(pointers: torch.Tensor, n: int):
    fill[(pointers.numel(),)](pointers, n, BLOCK=128)


# case: prints
# like: tile_and_warps
# expect: not applied, not-tunable
"""Nobody wants to read it a hundred times."""
#         total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+    tl.device_print("row", row)


# case: warps_are_computed
# expect: not applied, not-tunable
"""The launcher chooses the warps itself."""


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=1024, num_warps=4 if n < 4096 else 8)
    return y


# case: one_number_for_the_tile
# expect: not applied, not-tunable
"""The tile is the same at each launch, and two lanes may store to one element: it stays."""


@triton.jit
def scatter(X, At, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(At + offsets, mask=offsets < N, other=0)
    tl.store(Y + at, tl.load(X + offsets, mask=offsets < N), mask=offsets < N)


def scattered(x: torch.Tensor, at: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    tile = 256
    scatter[(triton.cdiv(n, tile),)](x, at, y, n, BLOCK=tile)
    return y


# case: by_its_place
# like: warps_are_computed
# expect: not applied, not-tunable
"""What is passed by its place stays."""
#-    row_sum[(m,)](x, y, n, BLOCK=1024, num_warps=4 if n < 4096 else 8)
#+    row_sum[(m,)](x, y, n, 512, num_warps=8)


# case: width_of_a_head
# expect: not applied, not-tunable
"""No mask tells how much a program does, and what it does is another number for each head."""


@triton.jit
def scale_rows(X, Y, C: tl.constexpr):
    cols = tl.arange(0, C)
    x = tl.load(X + tl.program_id(0) * C + cols).to(tl.float32)
    tl.store(Y + tl.program_id(0) * C + cols, x / tl.max(tl.abs(x)))


def scaled(x: torch.Tensor):
    m, n = x.shape
    assert n == triton.next_power_of_2(n)
    y = torch.empty_like(x)
    scale_rows[(m,)](x.contiguous(), y, C=n)
    return y


# case: tile_is_used_again
# like: warps_are_computed
# expect: not applied, not-tunable
"""The launcher uses the number for something else too, so it stays."""
#-    row_sum[(m,)](x, y, n, BLOCK=1024, num_warps=4 if n < 4096 else 8)
#+    block = 512
#+    assert n < 1000 * block
#+    row_sum[(m,)](x, y, n, BLOCK=block, num_warps=2)


# case: tile_of_the_row
# like: warps_are_computed
# expect: not applied, not-tunable
"""The tile is as long as the row, and stays."""
#-    row_sum[(m,)](x, y, n, BLOCK=1024, num_warps=4 if n < 4096 else 8)
#+    row_sum[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
