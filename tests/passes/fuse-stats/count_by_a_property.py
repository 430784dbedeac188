# expect: missed center-is-not-the-mean
"""The launch writes one property twice; it may change in between."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, MEAN, VAR, N, NF, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / NF
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = tl.sum(sq, axis=0) / NF
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
class Count:
    def __init__(self, n): self.n = n
    self.k = 0
    @property
    def next(self):
        self.k += 1
        return self.n * self.k

def run(x):
    m, n = x.shape
    c = Count(n)
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, c.next, c.next, BLOCK=16)
    return mean, var
