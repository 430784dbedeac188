"""Loops that carry names; above each loop stands what is known of every name that it changes."""

import triton
import triton.language as tl


# loop iteration0 (range): cdiv(N, B) times
#   carries acc [B]: starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) <
#         N)
@triton.jit
def sum_of_tiles(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc += tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): cdiv(N, B) times
#   carries acc: starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) < N),
#         summed along axes (0,)
@triton.jit
def sum_in_the_loop(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = acc + tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0)
    tl.store(Y, acc)


# loop iteration0 (range): cdiv(N, B) times
#   carries acc [B]: starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) <
#         N) - X[iteration0*B + arange(0, B)]**2*(iteration0*B + arange(0, B) < N)
@triton.jit
def sum_that_subtracts(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc = acc + x
        acc -= x * x
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): cdiv(N, B) times
#   carries acc [B]: starts as 0, no recurrence: the loop does not carry acc as a sum, maximum or
#         minimum
@triton.jit
def subtracted_from(X, Y, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = tl.load(X + cols, mask=cols < N, other=0.0) - acc
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): cdiv(N, B) times
#   carries acc [B]: starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) <
#         N)
@triton.jit
def sum_as_inductor_prints_it(X, Y, N, B: tl.constexpr):
    acc = tl.full([B], 0, tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        mask = cols < N
        both = acc + tl.load(X + cols, mask=mask)
        acc = tl.where(mask, both, acc)
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): N times
#   carries acc: starts as 0, adds (0 < X[iteration0])*X[iteration0]
@triton.jit
def sum_under_a_condition(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        x = tl.load(X + i)
        if x > 0:
            acc += x
    tl.store(Y, acc)


# loop iteration0 (range): M times
#   carries acc [B]: starts as 0, adds X[iteration0*N + iteration1*B + arange(0, B)]*(iteration1*B +
#         arange(0, B) < N)
#   loop iteration1 (range): cdiv(N, B) times
#     carries acc [B]: starts as acc?, adds X[iteration0*N + iteration1*B + arange(0,
#         B)]*(iteration1*B + arange(0, B) < N)
@triton.jit
def sum_of_a_nest(X, Y, M, N, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for row in range(M):
        for start in range(0, N, B):
            cols = start + tl.arange(0, B)
            acc += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): M times
#   carries acc: starts as 0, adds sum(X[iteration0*N + iteration1])
#   loop iteration1 (range): N times
#     carries part: starts as 0, adds X[iteration0*N + iteration1]
@triton.jit
def sums_of_inner_sums(X, Y, M, N, B: tl.constexpr):
    acc = 0.0
    for row in range(M):
        part = 0.0
        for i in range(N):
            part += tl.load(X + row * N + i)
        acc += part
    tl.store(Y, acc)


# loop iteration0 (range): cdiv(N, B) times
#   carries mean: starts as 0, adds X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0, B) <
#         N), summed along axes (0,)
@triton.jit
def scaled_after_the_reduction(X, Y, N, B: tl.constexpr):
    mean = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        mean += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0), axis=0) / N
    tl.store(Y, mean)


# loop iteration0 (range): N times
#   carries acc: starts as 1, product of X[iteration0]
@triton.jit
def product(X, Y, N, B: tl.constexpr):
    acc = 1.0
    for i in range(N):
        acc *= tl.load(X + i)
    tl.store(Y, acc)


# loop iteration0 (range): N times
#   carries every: starts as -1, and of X[iteration0]
#   carries odd: starts as 0, xor of X[iteration0]
#   carries some: starts as 0, or of X[iteration0]
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


# loop iteration0 (range): N times
#   carries acc: starts as 0, no recurrence: the loop uses acc in several ways
@triton.jit
def affine(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc = acc * 0.5 + tl.load(X + i)
    tl.store(Y, acc)


# loop iteration0 (range): cdiv(N, B) times
#   carries low [B]: starts as inf, minimum of X[iteration0*B + arange(0, B)]*(iteration0*B +
#         arange(0, B) < N) + inf - inf*(iteration0*B + arange(0, B) < N)
#   carries top [B]: starts as -inf, maximum of X[iteration0*B + arange(0, B)]*(iteration0*B +
#         arange(0, B) < N) + -inf - -inf*(iteration0*B + arange(0, B) < N)
@triton.jit
def extremes_of_tiles(X, Y, N, B: tl.constexpr):
    top = tl.full([B], -float("inf"), tl.float32)
    low = tl.full([B], float("inf"), tl.float32)
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        top = tl.maximum(top, tl.load(X + cols, mask=cols < N, other=-float("inf")))
        low = tl.minimum(tl.load(X + cols, mask=cols < N, other=float("inf")), low)
    tl.store(Y, tl.max(top, axis=0) - tl.min(low, axis=0))


# loop iteration0 (range): cdiv(N, B) times
#   carries top: starts as -inf, maximum of reduce(max, lane, B, X[iteration0*B +
#         lane]*(iteration0*B + lane < N) + -inf - -inf*(iteration0*B + lane < N))
@triton.jit
def maximum_of_maxima(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=0))
    tl.store(Y, top)


# loop iteration0 (range): cdiv(N, B) times
#   carries top: starts as -inf, maximum of X[iteration0*B + arange(0, B)]*(iteration0*B + arange(0,
#         B) < N) + -inf - -inf*(iteration0*B + arange(0, B) < N)
@triton.jit
def maximum_inside_the_reduction(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        top = tl.max(tl.maximum(x, top), axis=0)
    tl.store(Y, top)


# loop iteration0 (range): cdiv(N, B) times
#   carries acc: starts as 0, no recurrence: the loop does not carry acc as a sum, maximum or
#         minimum
@triton.jit
def sum_inside_the_reduction(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for start in range(0, N, B):
        cols = start + tl.arange(0, B)
        acc = tl.sum(tl.load(X + cols, mask=cols < N, other=0.0) + acc, axis=0)
    tl.store(Y, acc)


# loop iteration0 (range): N times
#   carries top: starts as -inf, no recurrence: the loop propagates NaN in top
@triton.jit
def maximum_that_keeps_nan(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for i in range(N):
        top = tl.maximum(top, tl.load(X + i), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y, top)


# loop iteration0 (range): N times
#   carries acc: starts as 0, no recurrence: the loop uses acc in several ways
@triton.jit
def maximum_and_sum(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc = tl.maximum(acc + tl.load(X + i), 0.0)
    tl.store(Y, acc)


# loop iteration0 (range): N times
#   carries top: starts as -inf, maximum by comparison of X[iteration0]
@triton.jit
def chosen_extreme(X, Y, N, B: tl.constexpr):
    top = -float("inf")
    for i in range(N):
        x = tl.load(X + i)
        top = tl.where(x > top, x, top)
    tl.store(Y, top)


# loop iteration0 (range): cdiv(N, B) times
#   carries best: starts as 0, index of the maximum top
#   carries top: starts as -inf, maximum of call(part, 0, call(reshaped, ('max', ('axis',
#         'return_indices')), X[iteration0*B + lane]*(iteration0*B + lane < N) + -inf -
#         -inf*(iteration0*B + lane < N), B, 0, , 1, ), value, 21)
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


# loop iteration0 (range): cdiv(N, B) times
#   carries best: starts as 0, no recurrence: in the loop the addend of best depends on top, which
#         it carries from iteration to iteration
#   carries top: starts as -inf, maximum of call(part, 0, call(reshaped, ('max', ('axis',
#         'return_indices')), X[iteration0*B + lane]*(iteration0*B + lane < N) + -inf -
#         -inf*(iteration0*B + lane < N), B, 0, , 1, ), value, 21)
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


# loop iteration0 (range): cdiv(N, B) times
#   carries best: starts as 0, index of the maximum top
#   carries count: starts as 0, adds B
#   carries top: starts as -inf, maximum of call(part, 0, call(reshaped, ('max', ('axis',
#         'return_indices')), X[iteration0*B + lane]*(iteration0*B + lane < N) + -inf -
#         -inf*(iteration0*B + lane < N), B, 0, , 1, ), value, 22)
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


# loop iteration0 (range): cdiv(N, B) times
#   carries top: starts as -inf, maximum of reduce(max, lane, B, X[iteration0*B +
#         lane]*(iteration0*B + lane < N) + -inf - -inf*(iteration0*B + lane < N))
#   carries total: starts as 0, sum of exp below the maximum top
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


# loop iteration0 (range): cdiv(N, B) times
#   carries top [B]: starts as -inf, maximum of X[iteration0*B + arange(0, B)]*(iteration0*B +
#         arange(0, B) < N) + -inf - -inf*(iteration0*B + arange(0, B) < N)
#   carries total [B]: starts as 0, sum of exp2 below the maximum top, or below 0 where that is -inf
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


# loop iteration0 (range): cdiv(N, B) times
#   carries top: starts as -inf, maximum of reduce(max, lane, B, X[iteration0*B +
#         lane]*(iteration0*B + lane < N) + -inf - -inf*(iteration0*B + lane < N))
#   carries total: starts as 0, no recurrence: in the loop the addend of total depends on top, which
#         it carries from iteration to iteration
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


# loop iteration0 (range): N times
#   carries acc [B]: starts as 0, adds X[iteration0*stride + arange(0, B)]
#   carries places [B]: starts as X + arange(0, B), adds stride
@triton.jit
def pointers_that_move(X, Y, N, stride, B: tl.constexpr):
    places = X + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for _ in range(N):
        acc += tl.load(places)
        places += stride
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): N times
#   carries acc [B]: starts as 0, adds ?[iteration0*stride + X + stride + arange(0, B)]
#   carries places [B]: starts as X + arange(0, B), adds stride
@triton.jit
def moved_before_it_is_read(X, Y, N, stride, B: tl.constexpr):
    places = X + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for _ in range(N):
        places = places + stride
        acc += tl.load(places)
    tl.store(Y, tl.sum(acc, axis=0))


# loop iteration0 (range): N times
#   carries at: starts as 0, adds iteration0
@triton.jit
def step_that_varies(X, Y, N, B: tl.constexpr):
    at = 0
    for i in range(N):
        at += i
    tl.store(Y, at)


# loop iteration0 (range): N times
#   carries acc: starts as 0, adds (4 < seen?)*X[iteration0], no recurrence: in the loop the addend
#         of acc depends on seen, which it carries from iteration to iteration
#   carries seen: starts as 0, adds X[iteration0]
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


# loop iteration0 (range): N times
#   carries last: starts as 0, no recurrence: the loop gives last another value in each iteration,
#         and the last one is read
@triton.jit
def last_element(X, Y, N, B: tl.constexpr):
    last = 0.0
    for i in range(N):
        last = tl.load(X + i)
    tl.store(Y, last)


# loop iteration0 (range): N times
#   carries found: starts as -1, no recurrence: the loop gives found another value in each
#         iteration, and the last one is read
@triton.jit
def found_last(X, Y, N, B: tl.constexpr):
    found = -1
    for i in range(N):
        if tl.load(X + i) > 0:
            found = i
    tl.store(Y, found)


# loop iteration0 (while): an unknown number of times
#   carries acc: starts as 0, no recurrence: the loop does not carry acc as a sum, maximum or
#         minimum
#   carries at: starts as 0, sum of 1
@triton.jit
def left_early(X, Y, N, B: tl.constexpr):
    acc = 0.0
    at = 0
    while acc < N:
        acc += tl.load(X + at)
        at += 1
    tl.store(Y, acc)


# loop iteration0 (range): N times
#   carries acc: starts as 0, adds ?, no recurrence: in the loop the addend of acc is not
#         understood: result of a call not understood
@triton.jit
def helper_that_is_not_known(X, Y, N, B: tl.constexpr):
    acc = 0.0
    for i in range(N):
        acc += unknown(X, i)  # noqa: F821
    tl.store(Y, acc)
