import torch
import triton
import triton.language as tl


# case: narrow_count
# expect: not applied, accumulator-is-narrow
"""A count in eight bits, which wraps."""


@triton.jit
def kernel(X, Y, n):
    count = tl.full([], 0, tl.int8)
    for i in range(n):
        if tl.load(X + i) == 3:
            count += 1
    tl.store(Y, count)


# case: called_with_tiles
# expect: not applied, called-from-a-kernel
"""Another kernel calls this one, maybe with tiles."""


@triton.jit
def total_of(X, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    return total


@triton.jit
def kernel(X, Y, n):
    tl.store(Y, total_of(X, n))


# case: comment_lost
# expect: not applied, comment-inside
"""A comment in an expression that is written on one line."""


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        x = tl.load(X + i)
        if x > 0:
            total += (
                x  # as it is
                * i
            )
    tl.store(Y, total)


# case: left_early
# expect: not applied, early-exit
"""A search that stops at the first."""


@triton.jit
def kernel(X, Y, n):
    found = -1
    for i in range(n):
        if tl.load(X + i) == 3:
            found = i
            break
    tl.store(Y, found)


# case: last_value
# expect: not applied, last-value-is-used
"""What the last iteration has loaded is used behind the loop."""


@triton.jit
def kernel(X, Y, n):
    x = tl.load(X)
    for i in range(n):
        x = tl.load(X + i)
    tl.store(Y, x)


# case: loop_with_else
# like: volatile
# expect: not applied, loop-is-not-plain
"""A loop with an `else`."""
#-        total += tl.load(X + i, volatile=True)
#+        total += tl.load(X + i)
#+    else:
#+        total += 1


# case: divided_by_a_load
# expect: not applied, may-divide-by-zero
"""A lane beyond the end would divide by whatever it holds."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, 100 // tl.load(X + i))


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel())
    return y


# case: counter_used_behind
# expect: not applied, name-is-bound-elsewhere
"""The variable of the loop is read behind it."""


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total + i)


# case: nan_is_kept
# expect: not applied, nan-is-propagated
"""A maximum that keeps NaN, which the reduction of a tile drops."""


@triton.jit
def kernel(X, Y, n):
    largest = float("-inf")
    for i in range(n):
        largest = tl.maximum(largest, tl.load(X + i), propagate_nan=tl.PropagateNan.ALL)
    tl.store(Y, largest)


# case: bits_of_all
# expect: not applied, not-a-recurrence
"""Bits of integers, of which there is no reduction in all versions."""


@triton.jit
def kernel(X, Y, n):
    bits = 0
    for i in range(n):
        bits |= tl.load(X + i)
    tl.store(Y, bits)


# case: last_of_the_largest
# like: stored_where_it_is_largest
# expect: not applied, not-a-recurrence
"""Of equal elements the last one's index."""
#     best = float("-inf")
#+    at = -1
#-        if x > best:
#+        if x >= best:
#-            tl.store(Y + i, x)
#+            at = i
#+    tl.store(Y, at)


# case: product
# expect: not applied, no-such-reduction
"""The language has no product of the lanes of a tile."""


@triton.jit
def kernel(X, Y, n):
    product = 1.0
    for i in range(n):
        product *= tl.load(X + i)
    tl.store(Y, product)


# case: print
# expect: not applied, opaque-value
"""A print in each iteration."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        x = tl.load(X + i)
        tl.device_print("x", x)
        tl.store(Y + i, x)


# case: compare_and_swap
# expect: not applied, opaque-value
"""An atomic of which the order shows."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.atomic_xchg(Y + tl.load(X + i), i)


# case: pinned_rounding
# expect: not applied, pinned-bits
"""Somebody has matched the bits of another library."""


@triton.jit
def kernel(X, Y, n):
    total = 0.0
    for i in range(n):
        total += tl.div_rn(tl.load(X + i), 3.0)
    tl.store(Y, total)


# case: order_is_promised
# like: type_of_a_load
# expect: not applied, safety
"""Somebody relies on the order of the sum."""
#-    total = tl.load(Y)
#+    # Bit-identical to the sum on the CPU.
#+    total = 0.0


# case: even_branches
# expect: not applied, shapes-differ
"""A name that is a tile after one branch only, which a runtime flag takes."""


@triton.jit
def kernel(X, Y, n, flag):
    for i in range(n):
        x = 0.0
        if flag > 0:
            x = tl.load(X + i)
        tl.store(Y + i, x)


# case: type_of_a_load
# expect: not applied, type-is-unknown
"""The accumulator is of the type of whatever is passed."""


@triton.jit
def kernel(X, Y, n):
    total = tl.load(Y)
    for i in range(n):
        total += tl.load(X + i)
    tl.store(Y, total)


# case: volatile
# expect: not applied, volatile-load
"""A volatile load."""


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n):
        total += tl.load(X + i, volatile=True)
    tl.store(Y, total)


# case: unrolled
# expect: not applied, loop-is-not-plain
"""A loop that the compiler unrolls, over a constexpr."""


@triton.jit
def kernel(X, Y, scale, H: tl.constexpr):
    row = tl.program_id(0)
    for j in tl.static_range(H):
        v = tl.load(X + row * H + j) * scale
        tl.store(Y + row * H + j, v)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, 0.5, H=n)
    return y
