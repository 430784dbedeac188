"""Loops that carry names; above each loop stands what is known of every name that it changes."""

import triton
import triton.language as tl


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N)
@triton.jit
def sum_of_tiles(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc += tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N), summed along
#     axes (0,)
@triton.jit
def sum_in_the_loop(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = acc + tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y, acc)


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N) -
#     X[iteration0*B + arange(0, B)]**2*(iteration0*B + arange(0, B) < N)
@triton.jit
def sum_that_subtracts(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc = acc + x
        acc -= x * x
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: not-a-recurrence (what the loop makes of acc depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as 0, not a sum
@triton.jit
def subtracted_from(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = tl.load(X + cols, mask=cols < N, other=0.0) - acc
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N)
@triton.jit
def sum_as_inductor_prints_it(X, Y, N, B: tl.constexpr):
    acc = tl.full([B], 0, tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        mask = cols < N
        both = acc + tl.load(X + cols, mask=mask)
        acc = tl.where(mask, both, acc)
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: sum
#   starts as 0, adds (0 < X[iteration0])*X[iteration0]
@triton.jit
def sum_under_a_condition(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        x = tl.load(X + i)
        if x > 0:
            acc += x
    tl.store(Y, acc)


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*N + iteration1*B + arange(0, B)]*(iteration1*B + arange(0, B) <
#     N)
# loop 1, acc: sum
#   starts as acc?, adds X[iteration0*N + iteration1*B + arange(0, B)]*(iteration1*B + arange(0, B)
#     < N)
@triton.jit
def sum_of_a_nest(X, Y, M, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for row in range(M):
        for start in range(0, N, B):
            cols = start + tl.arange(0, B)
            acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: sum
#   starts as 0, adds sum(X[iteration0*N + iteration1])
# loop 1, part: sum
#   starts as 0, adds X[iteration0*N + iteration1]
@triton.jit
def sums_of_inner_sums(X, Y, M, N, B: tl.constexpr):
    acc = 0.0
    for row in range(M):
        part = 0.0
        for i in range(N):
            part += tl.load(X + row * N + i)
        acc += part
    tl.store(Y, acc)


# loop 0, mean: sum
#   starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N), summed along
#     axes (0,)
@triton.jit
def scaled_after_the_reduction(X, Y, N, B: tl.constexpr):
    mean = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        mean += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0) / N
    tl.store(Y, mean)


# loop 0, acc: no-such-reduction (the loop multiplies acc, which is no sum and no extreme)
#   starts as 1, not a sum
@triton.jit
def product(X, Y, N, B: tl.constexpr):
    acc = 1.0
    for i in range(N):
        acc *= tl.load(X + i)
    tl.store(Y, acc)


# loop 0, every: not-a-recurrence (what the loop makes of every depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as -1, not a sum
# loop 0, odd: not-a-recurrence (what the loop makes of odd depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as 0, not a sum
# loop 0, some: not-a-recurrence (what the loop makes of some depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as 0, not a sum
@triton.jit
def bits(X, Y, N, B: tl.constexpr):
    every = -1
    some = 0
    odd = 0
    for i in range(N):
        x = tl.load(X + i)
        every &= x
        some = some | x
        odd ^= x
    tl.store(Y, every + some + odd)


# loop 0, acc: no-such-reduction (the loop multiplies acc, which is no sum and no extreme)
#   starts as 0, not a sum
@triton.jit
def affine(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc = acc * 0.5 + tl.load(X + i)
    tl.store(Y, acc)


# loop 0, low: minimum
#   starts as inf, not a sum
# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def extremes_of_tiles(X, Y, N, B: tl.constexpr):
    top = tl.full([B], -float("inf"), tl.float32)
    low = tl.full([B], float("inf"), tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        top = tl.maximum(top, tl.load(X + cols, mask=cols < N, other=-float("inf")))
        low = tl.minimum(tl.load(X + cols, mask=cols < N, other=float("inf")), low)
    tl.store(Y, tl.max(top, axis=0) - tl.min(low, axis=0))


# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def maximum_of_maxima(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=0))
    tl.store(Y, top)


# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def maximum_inside_the_reduction(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.max(tl.maximum(x, top), axis=0)
    tl.store(Y, top)


# loop 0, acc: not-a-recurrence (what the loop makes of acc depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as 0, not a sum
@triton.jit
def sum_inside_the_reduction(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = tl.sum(tl.load(X + cols, mask=cols < N, other=0.0) + acc, axis=0)
    tl.store(Y, acc)


# loop 0, top: nan-is-propagated (the loop asks for NaN to be kept in top)
#   starts as -inf, not a sum
@triton.jit
def maximum_that_keeps_nan(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for i in range(N):
        top = tl.maximum(top, tl.load(X + i), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y, top)


# loop 0, acc: not-a-recurrence (the loop does several things with acc)
#   starts as 0, not a sum
@triton.jit
def maximum_and_sum(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc = tl.maximum(acc + tl.load(X + i), 0.0)
    tl.store(Y, acc)


# loop 0, top: maximum, chosen
#   starts as -inf, not a sum
@triton.jit
def chosen_extreme(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for i in range(N):
        x = tl.load(X + i)
        top = tl.where(x > top, x, top)
    tl.store(Y, top)


# loop 0, best: first index of the maximum top
#   starts as 0, not a sum
# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def first_of_the_largest(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    best = 0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, start + place, best)
        top = tl.maximum(top, new)
    tl.store(Y, top + best)


# loop 0, best: not-a-recurrence (in the loop what comes to best depends on top, which it carries
#     from turn to turn)
#   starts as 0, not a sum
# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def last_of_the_largest(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    best = 0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new >= top, start + place, best)
        top = tl.maximum(top, new)
    tl.store(Y, top + best)


# loop 0, best: not-a-recurrence (in the loop what comes to best depends on top, which it carries
#     from turn to turn)
#   starts as 0, not a sum
# loop 0, count: sum
#   starts as 0, adds B
# loop 0, top: maximum
#   starts as -inf, not a sum
@triton.jit
def index_from_a_count_that_is_read(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    best = 0
    count = 0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, count + place, best)
        top = tl.maximum(top, new)
        count += B
    tl.store(Y, best)
    tl.store(Y + 1, count)


# loop 0, top: maximum
#   starts as -inf, not a sum
# loop 0, total: sum of exp below the maximum top
#   starts as 0, not a sum
@triton.jit
def sum_of_exponentials(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    total = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), axis=0)
        top = new
    tl.store(Y, top + tl.log(total))


# loop 0, top: maximum
#   starts as -inf, not a sum
# loop 0, total: sum of exp2 below the maximum top (guarded)
#   starts as 0, not a sum
@triton.jit
def guarded_exponentials(X, Y, N, B: tl.constexpr):
    top = tl.full([B], -float("inf"), tl.float32)
    total = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new = tl.maximum(top, x)
        least = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp2(top - least) + tl.exp2(x - least)
        top = new
    tl.store(Y, tl.sum(total, axis=0))


# loop 0, top: maximum
#   starts as -inf, not a sum
# loop 0, total: not-a-recurrence (in the loop what comes to total depends on top, which it carries
#     from turn to turn)
#   starts as 0, not a sum
@triton.jit
def exponentials_of_the_old_maximum(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    total = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - top), axis=0)
        top = new
    tl.store(Y, total)


# loop 0, acc: sum
#   starts as 0, adds X[iteration0*stride + arange(0, B)]
# loop 0, places: sum, moves
#   starts as X + arange(0, B), adds stride
@triton.jit
def pointers_that_move(X, Y, N, stride, B: tl.constexpr):
    places = X + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for _ in range(N):
        acc += tl.load(places)
        places += stride
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, acc: not-a-recurrence (in the loop what comes to acc depends on places, which it carries
#     from turn to turn)
#   starts as 0, adds ?[iteration0*stride + X + stride + arange(0, B)]
# loop 0, places: sum
#   starts as X + arange(0, B), adds stride
@triton.jit
def moved_before_it_is_read(X, Y, N, stride, B: tl.constexpr):
    places = X + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for _ in range(N):
        places = places + stride
        acc += tl.load(places)
    tl.store(Y, tl.sum(acc, axis=0))


# loop 0, at: sum
#   starts as 0, adds iteration0
@triton.jit
def step_that_varies(X, Y, N, B: tl.constexpr):
    at = 0
    for i in range(N):
        at += i
    tl.store(Y, at)


# loop 0, acc: not-a-recurrence (in the loop what comes to acc depends on seen, which it carries
#     from turn to turn)
#   starts as 0, adds (4 < seen?)*X[iteration0]
# loop 0, seen: sum
#   starts as 0, adds X[iteration0]
@triton.jit
def condition_of_another_sum(X, Y, N, B: tl.constexpr):
    acc = 0.0
    seen = 0.0
    for i in range(N):
        x = tl.load(X + i)
        if seen > 4:
            acc += x
        seen += x
    tl.store(Y, acc)
    tl.store(Y + 1, seen)


# loop 0, last: last-value-is-used (the loop gives last another value in each turn, and the last one
#     is read)
#   starts as 0, not a sum
@triton.jit
def last_element(X, Y, N, B: tl.constexpr):
    last = 0.0
    for i in range(N):
        last = tl.load(X + i)
    tl.store(Y, last)


# loop 0, found: last-value-is-used (the loop gives found another value in each turn, and the last
#     one is read)
#   starts as -1, not a sum
@triton.jit
def found_last(X, Y, N, B: tl.constexpr):
    found = -1
    for i in range(N):
        if tl.load(X + i) > 0:
            found = i
    tl.store(Y, found)


# loop 0, acc: not-a-recurrence (what the loop makes of acc depends on what the turn before has
#     left, but is no sum and no extreme)
#   starts as 0, not a sum
# loop 0, at: sum
#   starts as 0, not a sum
@triton.jit
def left_early(X, Y, N, B: tl.constexpr):
    acc = 0.0
    at = 0
    while acc < N:
        acc += tl.load(X + at)
        at += 1
    tl.store(Y, acc)


# loop 0, acc: opaque-value (in the loop what comes to acc is not understood: result of a call not
#     understood)
#   starts as 0, adds ?
@triton.jit
def helper_that_is_not_known(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc += unknown(X, i)  # noqa: F821
    tl.store(Y, acc)
