import torch
import triton
import triton.language as tl


# case: maximum_goes_on
# like: rows_in_a_loop
# expect: not applied, accumulator-starts-elsewhere
"""The maximum goes on from the row before."""
#-    for row in range(tl.program_id(0), M, tl.num_programs(0)):
#-        m = -float("inf")
#+    m = -float("inf")
#+    for row in range(0, M):
#-        tl.store(Y + row, m + tl.log(s))
#+        tl.store(Y + row, s)
#-    kernel[(2,)](x, y, m, n, BLOCK=16)
#+    kernel[(1,)](x, y, m, n, BLOCK=16)


# case: starts_at_infinity
# like: logsumexp
# expect: not applied, accumulator-starts-elsewhere
"""The maximum starts with inf."""
#-    m = -float("inf")
#+    m = float("inf")


# case: starts_with_an_element
# like: logsumexp
# expect: not applied, accumulator-starts-elsewhere
"""The maximum starts with the first element, which may be NaN."""
#-    m = -float("inf")
#+    m = tl.load(X)
# def run(x: torch.Tensor):
#+    assert x.shape[1] > 0


# case: sum_starts_at_one
# like: logsumexp
# expect: not applied, accumulator-starts-elsewhere
"""The sum starts at 1."""
#-    s = 0.0
#+    s = 1.0
