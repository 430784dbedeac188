import torch
import triton
import triton.language as tl


# case: another_name
# like: two_axes
# expect: not applied, program-ids-are-not-plain
"""The row has another name, which would stay what it was."""
#     pid_n = tl.program_id(1)
#+    first = pid_m
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    tl.store(C + rows[:, None] * N + cols[None, :], acc + first, mask=c_mask)


# case: asked_again
# like: two_axes
# expect: not applied, program-ids-are-not-plain
"""The id is asked for again."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    tl.store(C + rows[:, None] * N + cols[None, :], acc + tl.program_id(0), mask=c_mask)


# case: asked_by_a_helper
# like: two_axes
# expect: not applied, program-ids-are-not-plain
"""A helper asks for the id too."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def own_number(x):
#+    return x + tl.program_id(0)
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    tl.store(C + rows[:, None] * N + cols[None, :], own_number(acc), mask=c_mask)


# case: divided_by_a_helper
# like: one_axis_without_names
# expect: not applied, program-ids-are-not-plain
"""A helper divides: what stands there is no division."""
# @triton.jit
#+def quotient(a, b):
#+    return a // b
#+
#+
#+@triton.jit
#-    pid_m = tl.program_id(0) // tl.cdiv(N, BN)
#+    pid_m = quotient(tl.program_id(0), tl.cdiv(N, BN))


# case: id_is_used_again
# like: one_axis
# expect: not applied, program-ids-are-not-plain
"""What a program stores for itself would go with the tile of another."""
#-    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
#+    tl.store(C + rows[:, None] * N + cols[None, :], acc + pid, mask=c_mask)


# case: no_names
# like: two_axes
# expect: not applied, program-ids-are-not-plain
"""There is nothing that a permutation could be bound to."""
#-    pid_m = tl.program_id(0)
#-    pid_n = tl.program_id(1)
#-    rows = pid_m * BM + tl.arange(0, BM)
#-    cols = pid_n * BN + tl.arange(0, BN)
#+    rows = tl.program_id(0) * BM + tl.arange(0, BM)
#+    cols = tl.program_id(1) * BN + tl.arange(0, BN)


# case: used_before_both_are_known
# like: two_axes
# expect: not applied, program-ids-are-not-plain
"""The rows are computed before the column is known."""
#     pid_m = tl.program_id(0)
#+    top = pid_m * BM
#-    rows = pid_m * BM + tl.arange(0, BM)
#+    rows = top + tl.arange(0, BM)
