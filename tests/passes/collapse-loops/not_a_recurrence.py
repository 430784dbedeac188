import torch
import triton
import triton.language as tl


# case: last_value
# like: narrow_sum
# expect: not applied, not-a-recurrence
"""What the last turn leaves is used behind the loops."""
#     total = 0.0
#+    last = 0
#     for n in range(N):
#+        last = n
#-            total += tl.sum(x.to(tl.float16), axis=0)
#-    tl.store(Y + tl.program_id(0), total)
#+            total += tl.sum(x, axis=0)
#+    tl.store(Y + tl.program_id(0), total + last)


# case: maximum_keeps_nan
# like: largest
# expect: not applied, not-a-recurrence
"""The maximum keeps NaN, which the maximum of a tile drops: it matters which elements share one."""
#-            total = tl.maximum(total, tl.max(x, axis=0))
#+            total = tl.maximum(total, tl.max(x, axis=0), propagate_nan=tl.PropagateNan.ALL)


# case: running_maximum
# like: largest
# expect: not applied, not-a-recurrence
"""Each tile is scaled by the maximum so far."""
#-    total = float("-inf")
#+    top = float("-inf")
#+    total = 0.0
#-            total = tl.maximum(total, tl.max(x, axis=0))
#+            new = tl.maximum(top, tl.max(x, axis=0))
#+            total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), axis=0)
#+            top = new


# case: sum_is_stored_each_time
# like: one_element_for_all
# expect: not applied, not-a-recurrence
"""The sum so far is stored with each element."""
#     row = tl.program_id(0) * N * W
#+    total = 0.0
#-            tl.store(Y, n)
#+            total += tl.sum(x, axis=0)
#+            tl.store(Y + row + n * W + w, x + total, mask=w < W)
