import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y


# case: both
# options: num_stages=4,unroll=2
"""Two turns in one, and loads ahead."""
# shared: row_sum
# shared: sums


# case: two_stages
# options: num_stages=2
"""Only one load ahead."""
# shared: row_sum
# shared: sums


# case: unrolled
# options: num_stages=0,unroll=4
"""Four turns in one, which asks for nothing but a counted loop."""
# shared: row_sum
# shared: sums


# case: unrolled_in_place
# like: in_place
# options: num_stages=0,unroll=4
"""The turns of an unrolled loop stay in their order, whatever they store."""
#-    scale[(m,)](x, x, n, BLOCK=64)
#+    y = x.clone().contiguous()
#+    scale[(m,)](y, y, n, BLOCK=64)
#+    return y
