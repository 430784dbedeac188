import torch
import triton
import triton.language as tl


# case: cast_from_a_wider_type
# like: sum_of_squares
# expect: not applied, reduction-is-cast
"""A tile of fp64 cannot be added to an accumulator of fp32."""
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(x.to(tl.float64), axis=0).to(tl.float32)


# case: cast_to_an_integer
# like: booleans_subtracted
# expect: not applied, reduction-is-cast
"""The sum of each tile is cut off to an integer."""
#-        acc += tl.sum(x > 0, axis=0) - tl.sum(x < 0, axis=0)
#+        acc += tl.sum(x, axis=0).to(tl.int32)


# case: narrow_cast
# like: sum_of_squares
# expect: not applied, reduction-is-cast
"""The sum of each tile is rounded to bf16."""
#-        acc += tl.sum(x * x, axis=0)
#+        acc += tl.sum(x, axis=0).to(tl.bfloat16)


# case: summed_in_another_type
# like: sum_of_squares
# expect: not applied, reduction-is-cast
"""The tile is made fp32 by the sum only, and may be fp64."""
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += tl.sum(x * x, axis=0)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
#+        acc += tl.sum(x, axis=0, dtype=tl.float32)
