import torch
import triton
import triton.language as tl


# case: compaction
# expect: not applied, not-a-recurrence
"""Where an element goes depends on those before it."""


@triton.jit
def kernel(X, Y, n):
    pos = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            tl.store(Y + pos, x)
            pos += 1


# case: found_at_the_start
# expect: not applied, not-a-recurrence
"""0 says that nothing was found, and also that the first was."""


@triton.jit
def kernel(X, Y, n):
    found = 0
    for i in range(n):
        if found == 0 and tl.load(X + i) > 3:
            found = i
    tl.store(Y, found)


# case: largest_after_the_first
# expect: not applied, not-a-recurrence
"""It begins with an element that may be NaN."""


@triton.jit
def kernel(X, Y, n):
    best = tl.load(X).to(tl.float32)
    at = 0
    for i in range(1, n):
        x = tl.load(X + i)
        if x > best:
            best = x
            at = i
    tl.store(Y, at)


# case: payload_of_the_last
# expect: not applied, last-value-is-used
"""What is kept of the last one neither rises nor falls."""


@triton.jit
def kernel(X, Y, n):
    kept = -1
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            kept = x
    tl.store(Y, kept)


# case: pointer_that_moves
# like: volatile
# expect: not applied, not-a-recurrence
"""A pointer that goes on in each iteration."""
#-        total += tl.load(X + i, volatile=True)
#+        total += tl.load(X)
#+        X += 1


# case: records
# like: stored_where_it_is_largest
# expect: not applied, not-a-recurrence
"""How often a new largest element was found depends on the order."""
#     best = float("-inf")
#+    records = 0
#-            tl.store(Y + i, x)
#+            records += 1
#+    tl.store(Y, records)


# case: recurrence
# expect: not applied, not-a-recurrence
"""An iteration computes with what the one before has left."""


@triton.jit
def kernel(X, Y, n):
    state = 0.0
    for i in range(n):
        state = state * 0.5 + tl.load(X + i)
    tl.store(Y, state)


# case: stored_where_it_is_largest
# expect: not applied, not-a-recurrence
"""A store wherever an element is larger than all before."""


@triton.jit
def kernel(X, Y, n):
    best = float("-inf")
    for i in range(n):
        x = tl.load(X + i)
        if x > best:
            best = x
            tl.store(Y + i, x)


# case: sum_before_it_is_added_to
# like: counter_used_behind
# expect: not applied, not-a-recurrence
"""The sum of all before: it is stored first and loaded then."""
#     for i in range(n):
#+        tl.store(Y + i, total)
#-    tl.store(Y, total + i)


# case: sum_of_what_is_above_the_sum
# like: volatile
# expect: not applied, not-a-recurrence
"""What is added depends on the sum so far."""
#-        total += tl.load(X + i, volatile=True)
#+        x = tl.load(X + i)
#+        if x > total:
#+            total += x


# case: sum_or_product
# expect: not applied, not-a-recurrence
"""A name that is added to, and multiplied."""


@triton.jit
def kernel(X, Y, n):
    value = 1.0
    for i in range(n):
        x = tl.load(X + i)
        value += x
        value *= x
    tl.store(Y, value)


# case: last_that_is
# expect: not applied, last-value-is-used
# options: block=32
"""The last element of a kind: a search is no reduction."""


@triton.jit
def kernel(Offsets, Y, n):
    t = tl.program_id(0)
    i_n = 0
    for i in tl.range(0, n, 1):
        i_n = tl.where(tl.load(Offsets + i + 1) <= t, i + 1, i_n)
    tl.store(Y + t, i_n)


# tritonopt: offsets: i32[n + 1] in 0..6
def run(offsets: torch.Tensor):
    n = offsets.numel() - 1
    y = torch.empty(6, dtype=torch.int32, device=offsets.device)
    kernel[(6,)](offsets, y, n)
    return y


# case: any_and_all
# expect: not applied, not-a-recurrence
"""Whether any element is so, and whether all are: no sum, and no extreme."""


@triton.jit
def kernel(X, Y, n):
    some = False
    every = True
    for i in range(n):
        x = tl.load(X + i)
        some = some | (x == 3)
        every &= x > -4
    tl.store(Y, some)
    tl.store(Y + 1, every)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
