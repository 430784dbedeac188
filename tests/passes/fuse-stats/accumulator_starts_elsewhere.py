import torch
import triton
import triton.language as tl


# case: linear_starts_at_one
# like: linear_entropy
# expect: not applied, accumulator-starts-elsewhere
"""The sum starts at 1."""
#-    loss = 0.0
#+    loss = 1.0


# case: squares_start_at_eps
# like: count_of_one_block
# expect: not applied, accumulator-starts-elsewhere
"""The sum of squares starts at an epsilon, to keep it off zero."""
#-    mean = total / BLOCK
#-    squares = 0.0
#+    mean = total / n_cols
#+    squares = 1e-6


# case: sum_goes_on
# like: count_of_one_block
# expect: not applied, accumulator-starts-elsewhere
"""The sum goes on from what an earlier launch left in memory."""
#-    total = 0.0
#+    total = tl.load(mean_ptr + row)
#-    mean = total / BLOCK
#+    mean = total / n_cols
#-    mean = x.new_empty(m)
#+    mean = x.new_ones(m)


# case: sum_over_all_rows
# expect: not applied, accumulator-starts-elsewhere
"""In a loop over rows the first accumulator is set to zero only once, before the loop: from the
second row on it starts with the rows before. The squares do start anew."""


@triton.jit
def kernel(X, Mean, Var, M, N, stride, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x_row = X + row * stride
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(x_row + cols, mask=cols < N, other=0.0)
        mean = tl.sum(acc, axis=0) / N
        acc2 = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0)
            d = tl.where(cols < N, x - mean, 0.0)
            acc2 += d * d
        tl.store(Mean + row, mean)
        tl.store(Var + row, tl.sum(acc2, axis=0) / N)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(min(m, 2),)](x, mean, var, m, n, x.stride(0), BLOCK=64)
    return var, mean


# case: sum_starts_at_one
# like: mean_shrunk
# expect: not applied, accumulator-starts-elsewhere
"""The first accumulator starts with ones, a prior of one observation in every lane."""
#-    acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    acc = tl.full([BLOCK], 1.0, dtype=tl.float32)
#-    mean = mean * 0.5
