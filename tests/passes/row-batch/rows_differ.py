import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: and_of_the_row
# like: keeps_its_axis
# expect: not applied, rows-differ
"""`and` of scalars, one of which is of the row."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, stride, N, flag, BLOCK: tl.constexpr):
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    if flag > 0 and row > 2:
#+        x = x * 2.0
#+    tl.store(Y + row * stride + cols, x - tl.max(x, 0), mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, x.stride(0), n, 1, BLOCK=triton.next_power_of_2(n))


# case: asserts_behind_a_return
# like: leaves_by_a_number
# expect: not applied, rows-differ
"""What is asserted of all rows is not asked where they leave."""
#-    if tl.load(W + row):
#+    if row >= M:
#     tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
#+    tl.device_assert(N > 0)


# case: begins_as_something_else
# expect: not applied, rows-differ
"""What a loop carries begins as a number that is computed."""


@triton.jit
def kernel(X, Y, stride, N, least, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = least * 2.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))
    tl.store(Y + row, largest)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, 0.5, BLOCK=16)
    return y


# case: branch_on_the_sum
# like: keeps_its_axis
# expect: not applied, rows-differ
"""Whether a row is scaled, its own sum says."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    total = tl.sum(x)
#+    if total > 1.0:
#+        x = x / total
#+    tl.store(Y + row * stride + cols, x, mask=cols < N)


# case: bumped_in_the_loop
# like: keeps_its_axis
# expect: not applied, rows-differ
"""A pointer that all rows share goes to the row in a loop."""
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    for turn in range(2):
#+        X += row * stride
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        tl.store(Y + row, tl.sum(x) + turn)
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)


# case: carried_from_a_branch
# expect: not applied, rows-differ
"""What a loop carries is bound in one branch only, to a tile of one row."""


@triton.jit
def kernel(X, Y, stride, N, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FLAG:
        total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        if FLAG:
            total += x
        tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    if FLAG:
        tl.store(Y + row * stride, tl.sum(total))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, FLAG=True, BLOCK=16)
    return y


# case: chosen_by_the_row
# like: keeps_its_axis
# expect: not applied, rows-differ
"""An expression chooses by the row, and Triton asks for one truth there."""
#-    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0, keep_dims=True), mask=cols < N)
#+    scale = 2.0 if row % 2 == 0 else 3.0
#+    tl.store(Y + row * stride + cols, x * scale / tl.sum(x), mask=cols < N)


# case: chosen_load
# like: chosen_quotient
# expect: not applied, rows-differ
"""Of a row of zeros nothing is loaded."""
#-    scale = row if row == 0 else N // row
#+    total = tl.sum(x)
#+    scale = total if total == 0 else tl.load(W + row)


# case: chosen_quotient
# expect: not applied, rows-differ
"""A division of integers, which rows of zero must not do."""


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    scale = row if row == 0 else N // row
    tl.store(Y + row * stride + cols, x * scale, mask=cols < N)
# shared: run


# case: comment_in_a_choice
# like: chosen_quotient
# expect: not applied, comment-inside
"""The `tl.where` that chooses for each row has no place for the comment."""
#-    scale = row if row == 0 else N // row
#-    tl.store(Y + row * stride + cols, x * scale, mask=cols < N)
#+    total = tl.sum(x)
#+    total = (
#+        1.0  # of a row of zeros
#+        if total == 0
#+        else total
#+    )
#+    tl.store(Y + row * stride + cols, x / total, mask=cols < N)


# case: either_at_run_time
# expect: not applied, rows-differ
"""A scale of the row, or 1.0 for all rows, as the launch has it at run time."""


@triton.jit
def kernel(X, S, Y, stride, N, has_s, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if has_s:
        scale = tl.load(S + row)
    else:
        scale = tl.load(S)
    tl.store(Y + row * stride + cols, x * scale - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, s, y, x.stride(0), n, has_s=m > 1, BLOCK=block)
    return y


# case: either_in_a_loop
# expect: not applied, rows-differ
"""What a loop carries is one for each row before it, and in it, or in one place only."""


@triton.jit
def kernel(X, S, Y, stride, N, FIRST: tl.constexpr, OTHERS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if FIRST:
        scale = tl.load(S + row)
    else:
        scale = tl.load(S)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        total += tl.sum(x * scale)
        if OTHERS:
            scale = tl.load(S + row)
        else:
            scale = tl.load(S)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, s, y, x.stride(0), n, FIRST=True, OTHERS=False, BLOCK=16)
    return y


# case: leaves_before_its_tile
# expect: not applied, rows-differ
"""Where there are no columns all rows leave before the tile of no lanes, which cannot be made."""


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row * N >= M * N:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: leaves_by_a_number
# expect: not applied, rows-differ
"""What is asked is no truth: a number that is zero."""


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(W + row):
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
# shared: run


# case: leaves_in_a_branch
# like: leaves_by_a_number
# expect: not applied, rows-differ
"""Rows leave only where a number asks for it."""
#-    if tl.load(W + row):
#-        return
#+    if N > 4:
#+        if tl.load(W + row) < 0:
#+            return


# case: leaves_or_goes_on
# like: leaves_by_a_number
# expect: not applied, rows-differ
"""One way leaves, the other one stores."""
#-    if tl.load(W + row):
#+    if tl.load(W + row) < 0:
#         return
#+    else:
#+        tl.store(Y + row * stride, 1.0)


# case: number_of_64_bits
# expect: not applied, rows-differ
"""A number that a loop carries is too small for 32 bits, so it is carried in 64."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 1e-300
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0))
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y


# case: ragged_rows
# expect: not applied, rows-differ
"""How many tiles a row has, it says itself."""


@triton.jit
def kernel(X, Starts, Y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(Starts + row)
    behind = tl.load(Starts + row + 1)
    total = 0.0
    for start in range(first, behind, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < behind, other=0.0))
    tl.store(Y + row, total)


def run(x: torch.Tensor, starts: torch.Tensor):
    m = starts.shape[0] - 1
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, starts, y, BLOCK=16)
    return y


# case: stores_and_leaves
# like: leaves_by_a_number
# expect: not applied, rows-differ
"""A row of padding is filled before it is left."""
#-    if tl.load(W + row):
#+    cols = tl.arange(0, BLOCK)
#+    if tl.load(W + row) < 0:
#+        tl.store(Y + row * stride + cols, 0.0, mask=cols < N)
#-    cols = tl.arange(0, BLOCK)


# case: weights_behind_a_return
# like: leaves_by_a_number
# expect: not applied, rows-differ
"""Weights that all rows share are not read where all rows leave."""
#-    if tl.load(W + row):
#+    if row >= M:
#-    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
#+    weights = tl.load(W + cols, mask=cols < N, other=0.0)
#+    tl.store(Y + row * stride + cols, x * weights, mask=cols < N)
#-# tritonopt: x: f32[m, n], w: f32[m]
#+# tritonopt: x: f32[m, n], w: f32[n]
