import torch
import triton
import triton.language as tl


# case: another_branch
# like: zeros_already
# expect: silent
"""The two kernels never run one behind the other."""
#-def launch(x: torch.Tensor):
#+def launch(x: torch.Tensor, whole: bool):
#-    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#-    return y
#+    if whole:
#+        partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    elif n > 4:
#+        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    return y, p
