import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The running sum is in every lane that is summed."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc = tl.sum(x + acc, axis=0)
    tl.store(Y + row, acc)
# shared: run


# case: bias_in_every_iteration
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The 1 would be added once for each lane."""
#-        acc = tl.sum(x + acc, axis=0)
#+        acc += tl.sum(x, axis=0) + 1.0


# case: decayed
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""A decaying sum: one statement scales, another one adds."""
#-        acc = tl.sum(x + acc, axis=0)
#+        acc *= 0.5
#+        acc += tl.sum(x, axis=0)


# case: index_of_the_largest
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The index goes with the value that it is of."""
#-    acc = 0.0
#+    best = 0
#+    m = float("-inf")
#-        acc = tl.sum(x + acc, axis=0)
#-    tl.store(Y + row, acc)
#+        top = tl.max(x, axis=0)
#+        place = tl.argmax(x, axis=0)
#+        best = tl.where(top > m, start + place, best)
#+        m = tl.maximum(m, top)
#+    tl.store(Y + row, best)


# case: index_with_the_largest
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The largest of a tile comes with its index."""
#-    acc = 0.0
#+    best = 0
#+    m = float("-inf")
#-        acc = tl.sum(x + acc, axis=0)
#-    tl.store(Y + row, acc)
#+        top, place = tl.max(x, axis=0, return_indices=True)
#+        better = top > m
#+        m = tl.where(better, top, m)
#+        best = tl.where(better, start + place, best)
#+    tl.store(Y + row, best)


# case: largest_of_sums
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The largest of the sums of tiles."""
#-        acc = tl.sum(x + acc, axis=0)
#+        acc = tl.maximum(acc, tl.sum(x, axis=0))


# case: largest_or_sum
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""One branch takes the maximum, the other one the sum."""
#-        acc = tl.sum(x + acc, axis=0)
#+        if N > 20:
#+            acc += tl.sum(x, axis=0)
#+        else:
#+            acc = tl.maximum(acc, tl.max(x, axis=0))


# case: reduction_before_the_loop
# expect: not applied, not-a-recurrence
"""The reduction is not in the loop."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    part = tl.sum(tl.load(X + row * N + lanes, mask=lanes < N, other=0.0).to(tl.float32), axis=0)
    acc = 0.0
    for turn in range(0, N):
        acc += part
    tl.store(Y + row, acc)
# shared: run


# case: sum_of_maxima
# like: added_in_every_lane
# expect: not applied, not-a-recurrence
"""The maxima of tiles are added up."""
#-        acc = tl.sum(x + acc, axis=0)
#+        acc += tl.max(x, axis=0)
