import torch
import triton
import triton.language as tl


# case: largest_of_all_rows
# expect: not applied, tile-is-spilled
"""The maxima of rows are spread over the columns, so each row takes in those of all."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * BLOCK + tl.arange(0, BLOCK)
    acc = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc = tl.max(tl.maximum(x, acc), axis=1)
    tl.store(Y + rows, acc, mask=rows < M)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 8),)](x, y, m, n, BLOCK=8)
    return y


# case: one_number_for_every_row
# like: keeps_a_tile_of_two_axes
# expect: not applied, shapes-differ
"""The sum of the whole tile is added to every row."""
#-        acc += tl.sum(tl.where(mask, x - 1.0, 0.0), axis=1)
#+        acc += tl.sum(x)


# case: other_axes
# like: largest_of_all_rows
# expect: not applied, tile-is-spilled
"""A square tile is summed along one axis, and then along the other."""
#-    acc = tl.full([BLOCK], -1e30, dtype=tl.float32)
#+    acc = tl.zeros([BLOCK], dtype=tl.float32)
#-        acc = tl.max(tl.maximum(x, acc), axis=1)
#+        acc += tl.sum(x, axis=1)
#+        acc += tl.sum(x * x, axis=0)


# case: other_tiles
# like: sum_of_squares
# expect: not applied, shapes-differ
"""Two branches reduce tiles of different lengths."""
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(x, axis=0)
#+        pairs = tl.load(X + row * N + start + tl.arange(0, 2), mask=start + 2 < N, other=0.0)
#+        acc += tl.sum(pairs, axis=0)
