import torch
import triton
import triton.language as tl


# case: a_flag_behind
# expect: not applied, threads-exchange-data
"""An atomic behind the loop may tell others that all is stored."""


@triton.jit
def kernel(X, Y, Done, n):
    for i in range(n):
        tl.store(Y + i, tl.load(X + i))
    tl.atomic_xchg(Done, 1)


def run(x: torch.Tensor):
    y, done = torch.empty_like(x), torch.zeros(1, dtype=torch.int32)
    kernel[(1,)](x, y, done, x.numel())
    return y


# case: prefix_sum_of_blocks
# expect: not applied, threads-exchange-data
"""A running sum of what is rounded up, into another buffer."""


@triton.jit
def kernel(Counts, Ends, n, block_size: tl.constexpr):
    last_cumsum = 0
    for i in range(1, n + 1):
        token_cnt = tl.load(Counts + i - 1)
        last_cumsum = last_cumsum + tl.cdiv(token_cnt, block_size) * block_size
        tl.store(Ends + i, last_cumsum)
    tl.store(Ends, last_cumsum)


# tritonopt: counts: i32[n] in 0..9
def run(counts: torch.Tensor):
    n = counts.numel()
    ends = torch.zeros(n + 1, dtype=torch.int32, device=counts.device)
    kernel[(1,)](counts, ends, n, block_size=4)
    return ends


# case: stored_and_read_behind
# expect: not applied, threads-exchange-data
"""Another loop reads what this one stores, in other threads."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(X + i, tl.load(X + i) * 2)
    tl.store(Y, tl.load(X))


# case: stored_before
# like: type_of_a_load
# expect: not applied, threads-exchange-data
"""What the loop reads was stored by one thread."""
#-    total = tl.load(Y)
#+    tl.store(X, 0)
#+    total = 0
