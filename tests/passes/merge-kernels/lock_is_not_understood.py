import torch
import triton
import triton.language as tl


# case: another_lock_is_given_back
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Another lock is given back than was taken."""
#-    tl.atomic_xchg(Lock + group, 0)
#+    tl.atomic_xchg(Lock + group + 1, 0)


# case: begun_with_the_second
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""The flag is asked the wrong way round."""
#-    if begun == 0:
#+    if begun == 1:


# case: difference_below_a_lock
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock what stands there is subtracted from."""
#-        total += tl.load(P + group * N + cols, mask=mask)
#+        total = tl.load(P + group * N + cols, mask=mask) - total


# case: flag_of_another
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""The flag is that of another group."""
#-    begun = tl.load(Lock + GROUPS + group)
#+    begun = tl.load(Lock + GROUPS)


# case: largest_group
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""The second kernel takes the largest of the groups' sums."""
#-    tl.debug_barrier()

#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#-    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
#+        acc = tl.maximum(acc, tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0))
#+    tl.store(Y + cols, tl.max(acc, axis=0), mask=cols < N)


# case: mask_of_the_sum
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Some of what stands there is not added to."""
#-        total += tl.load(P + group * N + cols, mask=mask)
#+        total += tl.load(P + group * N + cols, mask=cols < N - 1)


# case: more_below_a_lock
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock something else is stored."""
#-    tl.debug_barrier()
#+    tl.store(X + row, 0.0)


# case: product_below_a_lock
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Under the lock rows are multiplied."""
#-        total += tl.load(P + group * N + cols, mask=mask)
#+        total *= tl.load(P + group * N + cols, mask=mask)


# case: read_behind_the_lock
# like: below_a_lock
# expect: not applied, lock-is-not-understood
"""Behind the lock the sum so far is used."""
#     tl.atomic_xchg(Lock + group, 0)
#+    tl.store(X + row * stride + cols, total, mask=mask)
