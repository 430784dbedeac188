import torch
import triton
import triton.language as tl


# case: transposed_through_memory
"""A tile is stored by rows and loaded by columns."""


@triton.jit
def k(X, S, Y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * N + j, tl.load(X + i * N + j) + 1.0)
    y = tl.load(S + j * N + i)
    tl.store(Y + i * N + j, y)


# tritonopt: x: f32[16, 16]
def launch(x: torch.Tensor):
    s, y = torch.empty_like(x), torch.empty_like(x)
    k[(1,)](x, s, y, N=16)
    return y


# case: unknown_strides
# verify: no, it has no launcher
"""Whatever the strides are, the element of row 0 and column 1 is another lane's afterwards."""


@triton.jit
def k(X, S, Y, a, b, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(S + i * a + j * b, tl.load(X + i * N + j))
    y = tl.load(S + j * a + i * b)
    tl.store(Y + i * N + j, y)


# case: reversed
# verify: no, it has no launcher
"""The last lane loads what the first one stored, however many there are."""


@triton.jit
def k(X, S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c, mask=c < n, other=0.0))
    tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)), mask=c < n)


# case: neighbor_with_other_masks
"""Each lane loads what its neighbor stored, whatever the masks are."""


@triton.jit
def k(X, S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < n, other=0.0)
    tl.store(S + c, x, mask=c < n)
    before = tl.load(S + c - 1, mask=(c > 0) & (c < n), other=0.0)
    tl.store(Y + c, x - before, mask=c < n)


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    s, y = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()
    k[(1,)](x, s, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: flat_after_rows
# verify: no, it has no launcher
"""A tile of rows is loaded as one row."""


@triton.jit
def k(X, S, Y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    flat = tl.arange(0, M * N)
    tl.store(S + i * N + j, tl.load(X + i * N + j))
    tl.store(Y + flat, tl.load(S + flat))


# case: window_moved_in_place
"""The lanes that load the next element are others than those that overwrite it."""


@triton.jit
def k(X, S, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    old = tl.load(S + c + 1, mask=c + 1 < n, other=0.0)
    x = tl.load(X)
    tl.store(S + c, tl.where(c + 1 < n, old, x), mask=c < n)


# tritonopt: x: f32[1], s: f32[n]
def launch(x: torch.Tensor, s: torch.Tensor):
    n = s.numel()
    k[(1,)](x, s, n, BLOCK=triton.next_power_of_2(n))


# case: next_iteration
"""An iteration takes what other lanes stored in the one before."""


@triton.jit
def k(S, Y, T, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for t in range(T):
        acc += tl.load(S + (BLOCK - 1 - c))
        tl.debug_barrier()
        tl.store(S + c, acc)
    tl.store(Y + c, acc)


# tritonopt: x: f32[64]
def launch(x: torch.Tensor):
    s, y = x.clone(), torch.empty_like(x)
    k[(1,)](s, y, 3, BLOCK=64)
    return y


# case: loop_after_loop
# verify: no, it has no launcher
"""The tiles of the second loop are mirrored."""


@triton.jit
def k(X, S, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for t in range(4):
        tl.store(S + t * BLOCK + c, tl.load(X + t * BLOCK + c))
    for t in range(4):
        y = tl.load(S + t * BLOCK + (BLOCK - 1 - c))
        tl.store(Y + t * BLOCK + c, y)


# case: one_tensor_for_two
"""The launch passes a view of one tensor for both parameters."""


@triton.jit
def k(X, Y, Z, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(X + i * N + j, (i + j * 2).to(tl.float32))
    tl.store(Z + i * N + j, tl.load(Y + j * N + i))


# tritonopt: x: f32[16, 16]
def launch(x: torch.Tensor):
    z = torch.empty_like(x)
    flat = x.view(-1)
    k[(1,)](x, flat, z, N=16)
    return z


# case: in_a_branch_of_all_lanes
"""A branch is taken by all lanes or by none: the barrier is in front of it."""


@triton.jit
def k(X, S, Y, flip, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    tl.store(S + c, x)
    if flip > 0:
        x = tl.load(S + (BLOCK - 1 - c))
    tl.store(Y + c, x)


# tritonopt: x: f32[64], flip: int in 0..1
def launch(x: torch.Tensor, flip: int):
    # Where a GPU reads too early, it finds the same values, so that both versions agree.
    s, y = x.clone(), torch.empty_like(x)
    k[(1,)](x, s, y, flip, BLOCK=64)
    return y


# case: scalar_for_a_tile
"""One thread stores the scalar, and every thread multiplies by it."""


@triton.jit
def k(X, S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S, n * 2)
    scale = tl.load(S)
    tl.store(Y + c, tl.load(X + c, mask=c < n) * scale, mask=c < n)


# tritonopt: x: f32[n]
def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    s = torch.empty(1, dtype=torch.int32, device=x.device)
    n = x.numel()
    k[(1,)](x, s, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: scalars_for_a_tile
# verify: no, it has no launcher
"""Each result is stored by one thread, and the row of them is loaded by all."""


@triton.jit
def k(X, S, Y, m, stride, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for i in range(m):
        x = tl.load(X + i * stride)
        tl.store(S + i, x * x)
    tl.store(Y + c, tl.load(S + c, mask=c < m), mask=c < m)


# case: stored_by_a_helper
"""The barrier comes before the call that loads."""


@triton.jit
def put(S, x, c):
    tl.store(S + c, x)


@triton.jit
def get(S, c):
    return tl.load(S + c)


@triton.jit
def k(X, S, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    put(S, tl.load(X + c), c)
    y = get(S, BLOCK - 1 - c)
    tl.store(Y + c, y)


# tritonopt: x: f32[64]
def launch(x: torch.Tensor):
    s, y = torch.empty_like(x), torch.empty_like(x)
    k[(1,)](x, s, y, BLOCK=64)
    return y


# case: after_a_reduction
"""What a reduction does to order the lanes is the compiler's own affair."""


@triton.jit
def k(X, S, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    tl.store(S + c, x)
    total = tl.sum(x, 0)
    tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)) / total)


# tritonopt: x: f32[64]
def launch(x: torch.Tensor):
    s, y = torch.empty_like(x), torch.empty_like(x)
    k[(1,)](x, s, y, BLOCK=64)
    return y


# case: load_in_a_constexpr_branch
"""The barrier stands in the branch, where it is needed."""


@triton.jit
def k(X, S, Y, Z, BLOCK: tl.constexpr, TWICE: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c))
    y = tl.load(X + c)
    if TWICE:
        y *= 2.0
        y += tl.load(S + (BLOCK - 1 - c))
        z = y + tl.load(S + (c + 1) % BLOCK)
        tl.store(Z + c, z)
    tl.store(Y + c, y)


# tritonopt: x: f32[64], twice: bool
def launch(x: torch.Tensor, twice: bool):
    s, y, z = torch.empty_like(x), torch.empty_like(x), torch.zeros_like(x)
    k[(1,)](x, s, y, z, BLOCK=64, TWICE=twice)
    return y, z


# case: load_in_a_constexpr_branch_and_after_it
# like: load_in_a_constexpr_branch
"""One barrier before the branch is for both loads, whichever branch is compiled."""
#-    tl.store(Y + c, y)
#+    tl.store(Y + c, y + tl.load(S + (BLOCK - 1 - c)))


# case: load_in_a_branch_of_run_time
"""Only a constexpr is surely the same for all threads, so that all come to the barrier."""


@triton.jit
def k(X, S, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c))
    if n > 4:
        tl.store(Y + c, tl.load(S + (BLOCK - 1 - c)))


# tritonopt: x: f32[64], n: int in 0..8
def launch(x: torch.Tensor, n: int):
    s, y = torch.empty_like(x), torch.zeros_like(x)
    k[(1,)](x, s, y, n, BLOCK=64)
    return y


# case: new_token_is_read_back
# verify: no, no length is drawn that fits the cache
"""The token is stored by one tile of lanes, and all tokens are read by others."""


@triton.jit
def decode_kernel(Q, Knew, K, Out, lens, stride_b, D: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    length = tl.load(lens + b)
    tl.store(K + b * stride_b + (length - 1) * D + d, tl.load(Knew + b * D + d))
    q = tl.load(Q + b * D + d)
    acc = tl.zeros([D], tl.float32)
    for start in range(0, length, BLOCK):
        n = start + tl.arange(0, BLOCK)
        k = tl.load(K + b * stride_b + n[:, None] * D + d[None, :], mask=(n < length)[:, None], other=0.0)
        acc += tl.sum(tl.sum(k * q[None, :], 1)[:, None] * k, 0)
    tl.store(Out + b * D + d, acc)


def decode(q: torch.Tensor, knew: torch.Tensor, k: torch.Tensor, lens: torch.Tensor):
    out = torch.empty_like(q)
    decode_kernel[(q.shape[0],)](q, knew, k, out, lens, k.stride(0), D=64, BLOCK=32)
    return out


# case: rotated_in_place
"""Each lane reads half a row further on, and the rows are overwritten."""


@triton.jit
def rotate_kernel(X, Y, cos, D: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, D)
    x = tl.load(X + row * D + i)
    other = tl.load(X + row * D + (i + D // 2) % D)
    c = tl.load(cos + i)
    tl.store(Y + row * D + i, x * c + other)


def rotate_(x: torch.Tensor, cos: torch.Tensor):
    m, d = x.shape
    assert x.is_contiguous() and d == 128
    rotate_kernel[(m,)](x, x, cos, D=128)
    return x


# case: gathered_from_what_was_stored
# verify: no, no index is drawn that fits
"""Any lane may take what any other one has stored."""


@triton.jit
def permute_kernel(X, S, Perm, Y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(S + i, tl.load(X + i) * 2)
    p = tl.load(Perm + i)
    tl.store(Y + i, tl.load(S + p))


def permute(x: torch.Tensor, perm: torch.Tensor):
    s = torch.empty_like(x)
    y = torch.empty_like(x)
    permute_kernel[(1,)](x, s, perm, y, N=512)
    return y


# case: gathered
# verify: no, no index is drawn that fits
"""Which elements come is in memory."""


@triton.jit
def k(X, Index, S, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(S + c, tl.load(X + c))
    tl.store(Y + c, tl.load(S + tl.load(Index + c)))


# case: block_read_across
# verify: no, it has no launcher
"""The second block pointer has the axes the other way round."""


@triton.jit
def k(X, Y, N: tl.constexpr):
    rows = tl.make_block_ptr(X, (N, N), (N, 1), (0, 0), (N, N), (1, 0))
    across = tl.make_block_ptr(X, (N, N), (1, N), (0, 0), (N, N), (0, 1))
    tl.store(rows, tl.load(rows) * 2)
    x = tl.load(across)
    tl.store(tl.make_block_ptr(Y, (N, N), (N, 1), (0, 0), (N, N), (1, 0)), x)


# case: starts_of_experts_gathered
# verify: no, no index is drawn that fits
"""Each lane reads the start that another one stored; the index of inactive lanes is 0."""


@triton.jit
def k(ids, S, Y, N, E: tl.constexpr, BLOCK: tl.constexpr):
    e = tl.arange(0, E)
    tl.store(S + e, e * 8)
    for first in range(0, N, BLOCK):
        i = first + tl.arange(0, BLOCK)
        expert = tl.load(ids + i, mask=i < N, other=0)
        start = tl.load(S + expert, mask=i < N)
        tl.store(Y + i, start, mask=i < N)


def launch(ids: torch.Tensor):
    starts = torch.empty(64, dtype=torch.int32, device=ids.device)
    y = torch.empty_like(ids)
    k[(1,)](ids, starts, y, ids.numel(), E=64, BLOCK=64)
    return y


# case: butterfly
# verify: no, it has no launcher
"""In each step a lane reads what its neighbor stored in the one before."""


@triton.jit
def k(S, Y, N: tl.constexpr, STEPS: tl.constexpr):
    i = tl.arange(0, N)
    for step in range(STEPS):
        x = tl.load(S + (i ^ (1 << step)))
        tl.store(S + i, x + 1)


def launch(s):
    k[(1,)](s, s, N=64, STEPS=6)
