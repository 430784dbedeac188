import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y


# case: names_that_are_taken
# options: block=32
"""The names that the loop would get are taken, and so is that of the index."""


@triton.jit
def kernel(X, Y, n, start, mask):
    i = start + mask
    acc_tile = i * 2
    acc = 0
    for i in range(n):
        if i < mask:
            acc += tl.load(X + i) + start
    tl.store(Y, acc + acc_tile)


# tritonopt: x: i32[n] in -5..5, start: int in 1..3, mask: int in 0..300
def run(x: torch.Tensor, start: int, mask: int):
    y = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, x.numel(), start, mask)
    return y


# case: positions_counted
# options: block=32
"""A running count of the iterations, by which is stored."""


@triton.jit
def kernel(X, Y, n):
    pos = -1
    for i in range(n):
        x = tl.load(X + i)
        pos += 1
        tl.store(Y + pos, x if x > 0 else -i)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel())
    return y


# case: prefix_sum
# options: block=16
"""A running sum of integers, in place."""


@triton.jit
def kernel(Counts, num_experts):
    pid = tl.program_id(0)
    last_cnt = 0
    for i in range(1, num_experts + 1):
        token_cnt = tl.load(Counts + i * num_experts + pid)
        last_cnt = last_cnt + token_cnt
        tl.store(Counts + i * num_experts + pid, last_cnt)


# tritonopt: counts: i32[n + 1, n] in 0..9
def run(counts: torch.Tensor):
    n = counts.shape[1]
    counts = counts[: n + 1].contiguous()
    kernel[(n,)](counts, n)
    return counts


# case: prefix_sum_into_another
# like: prefix_sum_of_blocks
# options: block=32
"""A running sum of what is rounded up, into another buffer."""
#-def kernel(Counts, Ends, n, block_size: tl.constexpr):
#+def kernel(Counts, Ends, Total, n, block_size: tl.constexpr):
#-    tl.store(Ends, last_cumsum)
#+    tl.store(Total, last_cumsum)
#-    kernel[(1,)](counts, ends, n, block_size=4)
#-    return ends
#+    total = torch.empty(1, dtype=torch.int32, device=counts.device)
#+    kernel[(1,)](counts, ends, total, n, block_size=4)
#+    return ends, total


# case: prefix_sum_of_floats
# options: block=32
"""A running sum of floats, which rounds in another order."""


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    total = 0.0
    for i in range(n):
        total += tl.load(X + row * n + i)
        tl.store(Y + row * n + i, total)
# shared: run


# case: rows_around
# options: block=32
"""A loop over rows around the one over elements."""


@triton.jit
def kernel(X, Y, m, n):
    for r in range(m):
        acc = 0.0
        for i in range(n):
            x = tl.load(X + r * n + i)
            acc += x
            tl.store(Y + r * n + i, x * 2.0)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, m, n)
    return y


# case: same_value_anywhere
# options: block=32
"""All iterations store one value: whichever is the last does not matter."""


@triton.jit
def kernel(Ends, Expert, block_size: tl.constexpr):
    pid = tl.program_id(0)
    start_idx = tl.load(Ends + pid)
    end_idx = tl.load(Ends + pid + 1)
    for i in range(start_idx, end_idx, block_size):
        tl.store(Expert + i // block_size, pid)


# tritonopt: counts: i32[n] in 0..90
def run(counts: torch.Tensor):
    n = counts.numel()
    ends = torch.zeros(n + 1, dtype=torch.int32, device=counts.device)
    ends[1:] = torch.cumsum(counts * 4, 0)
    expert = torch.zeros(int(ends[-1]) // 4 + 1, dtype=torch.int32, device=counts.device)
    kernel[(n,)](ends, expert, block_size=4)
    return expert


# case: starts_with_a_number
# options: block=32
"""An accumulator that starts with a parameter, and over several lines."""


@triton.jit
def kernel(X, Y, n, bias):
    row = tl.program_id(0)
    acc = bias.to(tl.float32)
    for i in range(n):
        acc += tl.load(
            X + row * n + i,
        )
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, 0.5)
    return y


# case: sum_of_exponentials
# options: block=32
"""A sum of what is not 0 where nothing is loaded."""


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    acc = 1.0
    for i in range(0, n):
        acc = acc + tl.exp(tl.load(X + row * n + i))
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n] in -3..3
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n)
    return y


# case: sum_of_squares
# like: prefix_sum_of_floats
# options: block=32
"""A sum of floats, element by element."""
#-    total = 0.0
#+    acc = 0.0
#-        total += tl.load(X + row * n + i)
#-        tl.store(Y + row * n + i, total)
#+        x = tl.load(X + row * n + i)
#+        acc += x * x
#+    tl.store(Y + row, acc)
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)


# case: two_loops
# like: prefix_sum_of_floats
# options: block=32
"""Two loops over the same numbers: their names are the same, and so is the width."""
#-        tl.store(Y + row * n + i, total)
#+    mean = total / n
#+    for i in range(n):
#+        x = tl.load(X + row * n + i)
#+        tl.store(Y + row * n + i, x - mean)


# case: two_ways
# options: block=32
"""Both branches store, each under its own mask."""


@triton.jit
def kernel(X, Y, n):
    row = tl.program_id(0)
    for i in range(n):
        x = tl.load(X + row * n + i)
        if x > 0:
            y = x * 2.0
            tl.store(Y + row * n + i, y)
        else:
            # Nothing but the sign.
            tl.store(Y + row * n + i, -x)
# shared: run


# case: weights_under_a_condition
# options: block=32
"""What is loaded in some iterations only is loaded under their mask."""


@triton.jit
def kernel(Bins, Weights, Y, n):
    wanted = tl.program_id(0)
    acc = 0.0
    for i in range(n):
        val = tl.load(Bins + i).to(tl.int64)
        if val == wanted:
            w = tl.load(Weights + i).to(tl.float32)
            acc = acc + w
    tl.store(Y + wanted, acc)


# tritonopt: bins: i32[n] in 0..4, weights: f32[n]
def run(bins: torch.Tensor, weights: torch.Tensor):
    y = torch.empty(4, dtype=torch.float32, device=bins.device)
    kernel[(4,)](bins, weights, y, bins.numel())
    return y
