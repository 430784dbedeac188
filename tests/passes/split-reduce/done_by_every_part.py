import torch
import triton
import triton.language as tl


# case: atomic_in_the_loop
# like: running_sum
# expect: not applied, done-by-every-part
"""A histogram beside the sum."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
#-        tl.store(Y + row, tl.sum(acc, axis=0))
#+        tl.atomic_add(Count + (x > 0).to(tl.int32), 1, mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, y, torch.zeros(2, dtype=torch.int32), x.stride(0), n, BLOCK=64)


# case: counted_before
# like: left_early
# expect: not applied, done-by-every-part
"""An atomic counts the programs."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
#-    if N == 0:
#-        return
#+    tl.atomic_add(Count, 1)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, y, torch.zeros(1, dtype=torch.int32), x.stride(0), n, BLOCK=64)


# case: printed
# like: running_sum
# expect: not applied, done-by-every-part
"""Each turn prints what it has."""
#         x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        tl.device_print("x", x)
#-        tl.store(Y + row, tl.sum(acc, axis=0))


# case: running_sum
# expect: not applied, done-by-every-part
"""The sum so far is stored in each turn."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += x
        tl.store(Y + row, tl.sum(acc, axis=0))
    tl.store(Y + row, tl.sum(acc, axis=0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: second_sweep_atomic
# like: second_sweep_exact
# expect: not applied, done-by-every-part
"""What an atomic adds in the second loop may come in any order."""
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.atomic_add(Y + row * stride + cols, x - largest, mask=cols < N)


# case: second_sweep_barrier
# like: second_sweep_exact
# expect: not applied, done-by-every-part
"""Threads meet in the second loop."""
#         tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.debug_barrier()


# case: second_sweep_stored_with_a_name
# like: second_sweep_exact
# expect: not applied, done-by-every-part
"""What is counted atomically is read by every part, and only one of them counts."""
#     largest = tl.max(most, axis=0)
#+    turn = tl.atomic_add(Y + row * stride, 1.0)
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.store(Y + row * stride + cols, x - turn, mask=cols < N)


# case: stored_before
# like: running_sum
# expect: not applied, done-by-every-part
"""Something is stored before the loop."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    tl.store(Y + row, 0.0)
#-        tl.store(Y + row, tl.sum(acc, axis=0))
#-    tl.store(Y + row, tl.sum(acc, axis=0))
#+    tl.store(Y + row, tl.load(Y + row) + tl.sum(acc, axis=0))


# case: stored_in_the_loop
# like: running_sum
# expect: not applied, done-by-every-part
"""The loop stores what it has read: another output."""
#-def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, Z, stride, N, BLOCK: tl.constexpr):
#-        tl.store(Y + row, tl.sum(acc, axis=0))
#+        tl.store(Z + row * stride + cols, x * 2, mask=cols < N)
#-    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, y, torch.empty_like(x), x.stride(0), n, BLOCK=64)
