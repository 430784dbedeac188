import torch
import triton
import triton.language as tl


# case: deviation_times_value
# like: absolute_deviation
# expect: not applied, digits-may-cancel
"""The sum of `d * x` equals the sum of squares on paper, and is another number as soon as
anything rounds."""
#-        acc2 += tl.abs(d)
#+        acc2 += d * x


# case: linear_maximum_replaced
# like: linear_entropy
# expect: not applied, digits-may-cancel
"""Where the maximum is -inf, the number is not."""
#-    lse = largest + tl.log(total)
#+    lse = tl.where(largest == -float("inf"), 0.0, largest) + tl.log(total + 1.0)


# case: linear_no_maximum
# like: linear_entropy
# expect: not applied, digits-may-cancel
"""Nothing that is close to the number is known in time."""
#-    lse = largest + tl.log(total)
#+    lse = tl.log(total)


# case: product_of_deviations
# like: mean_of_another
# expect: not applied, digits-may-cancel
"""A covariance: the deviations of x times those of y, each from its own mean."""
#-        d = tl.where(cols < N, x - mean_y, 0.0)
#-        acc2 += d * d
#+        d = tl.where(cols < N, x - mean, 0.0)
#+        y = tl.load(Y + cols, mask=cols < N, other=0.0)
#+        acc2 += d * tl.where(cols < N, y - mean_y, 0.0)
