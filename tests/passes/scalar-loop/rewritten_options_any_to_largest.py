import torch
import triton
import triton.language as tl


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y


# case: backwards
# options: block=32
"""From the last element to the first."""


@triton.jit
def kernel(X, Y, n):
    total = 0
    for i in range(n - 1, -1, -1):
        x = tl.load(X + i)
        total += x * i
        tl.store(X + i, x + 1)
    tl.store(Y, total)
# shared: run


# case: behind_a_barrier
# options: block=32
"""Where a barrier stands between, other threads may read what the loop stored."""


@triton.jit
def kernel(X, Y, n):
    for i in range(n):
        tl.store(Y + i, tl.load(X + i) * 2)
    tl.debug_barrier()
    total = 0
    for i in range(n):
        total += tl.load(Y + (n - 1 - i)) * i
    tl.debug_barrier()
    tl.store(Y + n, total)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(n + 1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y


# case: bound_is_loaded
# options: block=32
"""How often the loop turns is loaded; the end gets a name."""


@triton.jit
def kernel(X, Lengths, Y, n):
    row = tl.program_id(0)
    acc = 0
    for i in range(tl.load(Lengths + row)):
        acc += tl.load(X + row * n + i)
    tl.store(Y + row, acc)


# tritonopt: x: i32[m, n] in -9..9, lengths: i32[m] in 0..300
def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, torch.clamp(lengths, 0, n), y, n)
    return y


# case: chosen_on_the_way
# like: prefix_sum_of_floats
# options: block=32
"""A name that is bound again in some iterations."""
#-    total = 0.0

#-        total += tl.load(X + row * n + i)
#-        tl.store(Y + row * n + i, total)
#+        x = tl.load(X + row * n + i)
#+        y = x
#+        if x < 0:
#+            y = -x
#+            if x < -1:
#+                y += 1.0
#+        tl.store(Y + row * n + i, y)


# case: comments
# options: block=32
"""What is said of statements, branches and headers stays."""


@triton.jit
def kernel(X, Y, n):  # one program
    # Counted from nothing.
    above = 0
    below = 0
    # Over all of them.
    for i in range(n):  # one by one
        x = tl.load(X + i)
        if x > 1:  # above
            # One more.
            above += 1
        # Or else:
        elif x < -1:  # below
            below += 1  # one less
        else:  # in between
            x = 0
        # To be seen.
        tl.store(X + i, x)
    # The end.
    tl.store(Y, above)
    tl.store(Y + 1, below)
# shared: run


# case: count_of_truths
# options: block=32
"""A truth value added up, and another one taken away."""


@triton.jit
def kernel(X, Y, n):
    above = 0
    below = 0
    for i in range(n):
        x = tl.load(X + i)
        above += x > 1
        below -= x < -1
    tl.store(Y, above)
    tl.store(Y + 1, below)
# shared: run


# case: count_under_a_condition
# options: block=32
"""A count of the elements that are one number."""


@triton.jit
def kernel(X, Y, n):
    count = 0
    for i in range(n):
        val = tl.load(X + i)
        if val == 3:
            count = count + 1
    tl.store(Y, count)
# shared: run


# case: elementwise
# like: prefix_sum_of_floats
# options: block=32
"""One element after the other, in a row."""
#-    total = 0.0

#-        total += tl.load(X + row * n + i)
#-        tl.store(Y + row * n + i, total)
#+        # Each element by itself.
#+        x = tl.load(X + row * n + i)
#+        tl.store(Y + row * n + i, x * x + 1.0)  # never below 1


# case: gathered
# options: block=32
"""What is loaded from a loaded index; only stores must not meet."""


@triton.jit
def kernel(X, Index, Y, n, k):
    for i in range(n):
        j = tl.load(Index + i)
        x = tl.load(X + j, mask=j < k, other=7)
        tl.store(Y + i, x)


# tritonopt: x: i32[k], index: i32[n] in 0..9
def run(x: torch.Tensor, index: torch.Tensor):
    y = torch.empty_like(index)
    kernel[(1,)](x, index, y, index.numel(), x.numel())
    return y


# case: in_steps
# options: block=32
"""A step that is a parameter, and an index that is divided by it."""


@triton.jit
def kernel(X, Y, n, step):
    for i in range(1, n, step):
        tl.store(Y + i, tl.load(X + i) + step)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    y = torch.zeros_like(x)
    kernel[(1,)](x, y, x.numel(), 3)
    return y


# case: largest
# like: prefix_sum_of_floats
# options: block=32
"""The largest element, which is the same in any order."""
#-    total = 0.0
#+    largest = float("-inf")
#-        total += tl.load(X + row * n + i)
#-        tl.store(Y + row * n + i, total)
#+        largest = tl.maximum(largest, tl.load(X + row * n + i))
#+    tl.store(Y + row, largest)
#-    y = torch.empty_like(x)
#+    y = torch.empty(m, dtype=torch.float32, device=x.device)


# case: largest_and_its_index
# options: block=32
"""The largest element and where it is; of equal ones the first."""


@triton.jit
def kernel(X, Y, At, n):
    row = tl.program_id(0)
    best = -1000000.0
    at = -1
    for i in range(n):
        x = tl.load(X + row * n + i)
        if x > best:
            best = x
            at = i
    tl.store(Y + row, best)
    tl.store(At + row, at)


# tritonopt: x: f32[m, n] in -3..3
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    at = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, at, n)
    return y, at
