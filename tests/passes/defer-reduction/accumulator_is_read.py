import torch
import triton
import triton.language as tl


# case: condition_of_the_loop
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""The loop ends when the sum is large enough."""
#     row = tl.program_id(0)
#+    start = 0
#-    for start in range(0, N, BLOCK):
#+    while (start < N) & (acc < 3.0):
#-        acc = tl.max(x + acc, axis=0)
#+        acc += tl.sum(x, axis=0)
#+        start += BLOCK


# case: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""A maximum over what the running one was added to."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc = tl.max(x + acc, axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: read_in_the_loop
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""A running sum is stored in every iteration."""
#-        acc = tl.max(x + acc, axis=0)
#-    tl.store(Y + row, acc)
#+        acc += tl.sum(x, axis=0)
#+        tl.store(Y + row, acc)


# case: read_under_another_name
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""The sum so far is an offset in the next iteration."""
#-        acc = tl.max(x + acc, axis=0)
#+        seen = acc
#+        acc += tl.sum(x, axis=0)
#+        tl.store(Y + row, seen)


# case: reduction_used_twice
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""The sum of a tile is stored, too."""
#-        acc = tl.max(x + acc, axis=0)
#+        part = tl.sum(x, axis=0)
#+        tl.store(Y + row, part)
#+        acc += part


# case: started_anew
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""Some iterations start from 0 again."""
#-        acc = tl.max(x + acc, axis=0)
#+        if start == 32:
#+            acc = 0.0
#+        acc += tl.sum(x, axis=0)


# case: subtracted_from
# like: largest_of_a_sum
# expect: not applied, accumulator-is-read
"""An alternating sum: the accumulator is what is subtracted."""
#-        acc = tl.max(x + acc, axis=0)
#+        acc = tl.sum(x, axis=0) - acc
