import torch
import triton
import triton.language as tl


# case: every_other_row
# like: narrow_sum
# expect: silent
"""The outer loop counts in steps of two."""
#-    for n in range(N):
#+    for n in range(0, N, 2):
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: rows_one_by_one
# like: one_element_for_all
# expect: silent
"""Each row has a sum of its own: the outer loop goes from row to row."""
#     for n in range(N):
#+        total = 0.0
#-            tl.store(Y, n)
#+            total += tl.sum(x, axis=0)
#+        tl.store(Y + tl.program_id(0) * N + n, total)
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
