# options: block=32
"""What is said of statements, branches and headers stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):  # one program
    # Counted from nothing.
    above = 0
    below = 0
    # Over all of them.
    for i in range(n):  # one by one
        x = tl.load(X + i)
        if x > 1:  # above
            # One more.
            above += 1
        # Or else:
        elif x < -1:  # below
            below += 1  # one less
        else:  # in between
            x = 0
        # To be seen.
        tl.store(X + i, x)
    # The end.
    tl.store(Y, above)
    tl.store(Y + 1, below)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
