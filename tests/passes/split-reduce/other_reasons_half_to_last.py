import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(X + row * stride)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest + first, mask=cols < N)


# case: half_precision
# like: exact_bits
# expect: not applied, accumulator-is-narrow
"""What is added up in fp16 is rounded in each turn."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    half = tl.zeros([BLOCK], dtype=tl.float16)
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += x
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+        half += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float16)
#+    tl.store(Y + row, tl.sum(half, axis=0))


# case: unsigned
# expect: not applied, accumulator-is-narrow
"""A sum of unsigned integers."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.uint32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0).to(tl.uint32)
    tl.store(Y + row, tl.sum(acc, axis=0).to(tl.int32))


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: bias
# like: left_early
# expect: not applied, accumulator-starts-elsewhere
"""The sum begins with a bias, which each program would add."""
#-    if N == 0:
#-        return
#+    total = 1.0
#-        acc += x
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+        total += tl.sum(x, axis=0)
#+    tl.store(Y + row, total)


# case: largest_may_begin_with_nan
# like: counted_from_the_end
# expect: not applied, accumulator-starts-elsewhere
"""What is compared with begins with an element, which may be NaN."""
#-    top = -float("inf")
#+    top = tl.load(X + row * stride).to(tl.float32)
#-        best = tl.where(new > top, N - start - place, best)
#+        best = tl.where(new > top, start + place, best)


# case: tuned_tile
# like: left_early
# expect: not applied, arguments-are-not-seen
"""A tuner chooses the tile, so the launch does not know how often the loop turns."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["N"]
#+)
#-    if N == 0:
#-        return

#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, y, x.stride(0), n)


# case: axis_taken
# like: exact_bits
# expect: not applied, axis-is-taken
"""The kernel asks for its program along the axis that would be the new one."""
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+    if tl.program_id(1) == 0:
#+        tl.store(Y + row, tl.sum(acc, axis=0))


# case: three_axes
# like: left_early
# expect: not applied, axis-is-taken
"""A grid of three axes has no room for another one."""
#-    if N == 0:
#-        return

#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
#+    kernel[(m, 1, 1)](x, y, x.stride(0), n, BLOCK=64)


# case: second_sweep_counted
# expect: not applied, data-may-change
"""One part counts atomically what the others have looked up, before or after it."""


@triton.jit
def kernel(X, Y, Counts, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    turn = tl.load(Counts + row)
    most = tl.full([BLOCK], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-1e30).to(tl.float32)
        most = tl.maximum(most, x)
    largest = tl.max(most, axis=0)
    tl.atomic_add(Counts + row, 1.0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x - largest + turn, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    counts = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, counts, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_in_place
# expect: not applied, data-may-change
"""Another part may have stored to the row already, where the second kernel loads its first element."""
# shared: kernel


def launch(x: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, x, x.stride(0), n, BLOCK=64)
    return x


# case: second_sweep_to_an_argument
# expect: not applied, data-may-change
"""Whoever calls it may pass one tensor for both."""
# shared: kernel


def launch(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: left_early
# expect: not applied, early-exit
"""Rows that are empty leave before the loop."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    if N == 0:
        return
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: last_element
# like: left_early
# expect: not applied, last-value-is-used
"""What the last turn has loaded is read behind the loop."""
#-    if N == 0:
#-        return
#+    x = acc
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+    tl.store(Y + row, tl.sum(acc, axis=0) + tl.max(x, axis=0))


# case: last_value_in_a_branch
# like: left_early
# expect: not applied, last-value-is-used
# options: turns=1
"""A branch may replace what the last tile left: where it does not, that is stored."""
#-    if N == 0:
#-        return
#+    last = 0.0
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+        last = tl.max(x, axis=0)
#+    if N > 1000:
#+        last = 1.0
#+    tl.store(Y + row, tl.sum(acc, axis=0) + last)
