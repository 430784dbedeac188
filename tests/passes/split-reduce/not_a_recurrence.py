import torch
import triton
import triton.language as tl


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: alternating
# like: running_sum
# expect: not applied, not-a-recurrence
"""Each turn changes the sign of what was before."""
#-        acc += x
#-        tl.store(Y + row, tl.sum(acc, axis=0))
#+        acc = x - acc


# case: counted_from_the_end
# expect: not applied, not-a-recurrence
"""The index counts from the end: the first of several is not the least."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    best = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, N - start - place, best)
        top = tl.maximum(top, new)
    tl.store(Y + row, best)
# shared: reduced


# case: decayed
# like: left_early
# expect: not applied, not-a-recurrence
"""What comes to the sum depends on another accumulator."""
#-    if N == 0:
#-        return
#+    last = 0.0
#-        acc += x
#+        last = tl.maximum(last, tl.max(x, axis=0))
#+        acc += x * last


# case: index_from_a_count
# expect: not applied, not-a-recurrence
"""The index comes from a count that is stored too: each part would begin the count at 0."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    best = 0
    count = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, count + place, best)
        top = tl.maximum(top, new)
        count += 64
    tl.store(Y + 2 * row, best)
    tl.store(Y + 2 * row + 1, count)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, 2, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y


# case: index_of_another
# like: counted_from_the_end
# expect: not applied, not-a-recurrence
"""The index is chosen by a maximum that grows by other elements too."""
#-        best = tl.where(new > top, N - start - place, best)
#-        top = tl.maximum(top, new)
#+        best = tl.where(new > top, start + place, best)
#+        top = tl.maximum(top, new * 0.5)


# case: last_of_equals
# like: counted_from_the_end
# expect: not applied, not-a-recurrence
"""Of several that are equal the index of the last one."""
#-        best = tl.where(new > top, N - start - place, best)
#+        best = tl.where(new >= top, start + place, best)


# case: moved_before_it_is_read
# like: moved_pointer
# expect: not applied, not-a-recurrence
"""Each turn moves the pointers first, by a step that would be longer."""
#-        acc += tl.load(X, mask=cols < N, other=0.0).to(tl.float32)

#         X += BLOCK
#+        acc += tl.load(X, mask=cols < N - BLOCK, other=0.0).to(tl.float32)


# case: moved_by_more_each_time
# like: moved_pointer
# expect: not applied, not-a-recurrence
"""The step of the pointers grows from turn to turn."""
#-        X += BLOCK
#+        X += start


# case: moved_in_some_turns
# like: moved_pointer
# expect: not applied, not-a-recurrence
"""Only some turns move the pointers."""
#-        X += BLOCK
#+        if start > BLOCK:
#+            X += BLOCK


# case: online_rows_from_one
# like: online_rows
# expect: not applied, not-a-recurrence
"""What is subtracted where all is -inf is no 0: such a part would have to be scaled."""
#-        shift = tl.where(new == -float("inf"), 0.0, new)
#+        shift = tl.where(new == -float("inf"), 1.0, new)


# case: other_base
# expect: not applied, not-a-recurrence
"""The sum is rescaled by another exponential than it is made of."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -1e30
    l = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp2(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    tl.store(Y + row, m + tl.log(l))
# shared: reduced


# case: random_by_turn
# like: random_by_place
# expect: not applied, not-a-recurrence
"""Random numbers that are counted from turn to turn."""
#     acc = tl.zeros([BLOCK], dtype=tl.float32)
#+    drawn = 0
#-        acc += tl.where(tl.rand(seed, row * N + cols) > 0.5, x, 0.0)
#+        acc += tl.where(tl.rand(seed, drawn + tl.arange(0, BLOCK)) > 0.5, x, 0.0)
#+        drawn += tl.sum((cols < N).to(tl.int32), axis=0)


# case: read_in_the_loop
# like: running_sum
# expect: not applied, not-a-recurrence
"""A turn scales by what the sum is so far."""
#-        tl.store(Y + row, tl.sum(acc, axis=0))
#+        acc = acc * 0.5
