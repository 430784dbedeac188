import torch
import triton
import triton.language as tl


# case: one_turn
# like: plain_range
# expect: silent
"""There is nothing to load ahead of a single turn."""
#-    for start in range(0, N, BLOCK):
#+    for start in range(0, BLOCK, BLOCK):


# case: range_is_another
# like: plain_range
# expect: silent
"""`range` is a function of the file."""
# import triton.language as tl
#+
#+
#+def range(first, last, step):
#+    return tl.range(first, last, step)


# case: same_tile_each_time
# like: plain_range
# expect: silent
"""The compiler moves the load out of the loop."""
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    cols = tl.arange(0, BLOCK)
#+    for _ in range(4):


# case: stages_are_given
# like: plain_range
# expect: silent
"""Its author has said it."""
#-    for start in range(0, N, BLOCK):
#+    for start in tl.range(0, N, BLOCK, num_stages=2):


# case: static_range
# like: plain_range
# expect: silent
"""An unrolled loop is no loop when loops are pipelined."""
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#+    for i in tl.static_range(4):
#+        cols = i * BLOCK + tl.arange(0, BLOCK)
