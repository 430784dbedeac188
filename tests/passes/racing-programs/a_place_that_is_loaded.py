# expect: silent
"""Where each row goes is loaded, and may be another place for each."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Slots, Cache, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    place = Cache + tl.load(Slots + row) * N + cols
    tl.store(place, tl.load(place, mask=cols < N, other=0.0) + x, mask=cols < N)


def launch(x: torch.Tensor, slots: torch.Tensor, cache: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, slots, cache, n, BLOCK=triton.next_power_of_2(n))
