# verify: no, it differs from cases that are verified in its layout alone
"""The condition is loaded before the loop. Two blanks to a level, and the language by another
name."""

import torch
import triton.language as lang
from triton import jit
from triton.language import constexpr


@jit
def kernel(X, Flag, Out, n, BLOCK: constexpr):
  row = lang.program_id(0)
  chosen = lang.load(Flag + row)
  best = lang.zeros([BLOCK], dtype=lang.float32)
  for start in range(0, n, BLOCK):
    cols = start + lang.arange(0, BLOCK)
    x = lang.load(
        X + row * n + cols,
        mask=cols < n,
        other=0.0,
    )
    if (
        chosen > 0
        and n > 20
    ):
      best = lang.where(
          best > x,
          best,
          x,
      )
    else:
      best = best + x
  lang.store(Out + row * BLOCK + lang.arange(0, BLOCK), best)


# tritonopt: x: f32[m, n], flag: i32[m] in 0..2
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, flag, out, n, BLOCK=16)
    return out
