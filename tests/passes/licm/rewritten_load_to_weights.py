import torch
import triton
import triton.language as tl


# case: load_then_branch
# with: loop-unswitch
"""Once the flag is loaded above the loop, so is the branch on it."""


@triton.jit
def kernel(X, Flag, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, 64, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if tl.load(Flag) > 0.5:
            x = x + 1.0
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], flag: f32[1]
def run(x, flag):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, flag, out, n, BLOCK=16)
    return out


# case: mask_says_enough
"""Where no lane of the mask is on, the loop does not run either."""


@triton.jit
def kernel(X, W, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for i in range(0, tl.cdiv(n, BLOCK)):
        cols = i * BLOCK + lanes
        first = tl.load(W + lanes, mask=lanes < n, other=0.0)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x + first, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=16)
    return out


# case: name_used_elsewhere
"""Another loop has the same name for a tile of its own; a third carries it to the next iteration."""


@triton.jit
def kernel(X, W, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        w = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, w, mask=cols < n)
    for i in range(0, 3):
        w = tl.load(W + row)  # one number
        tl.store(Out + row * n + i, w + i, mask=i < n)
    before = 0.0
    for i in range(0, 3):
        tl.store(Out + row * n + i, before, mask=i + 3 < n)
        before = tl.load(W + row)


# tritonopt: x: f32[m, n], w: f32[m]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=16)
    return out


# case: nest_of_loops
"""Out of both loops, from the middle of the inner one."""


@triton.jit
def kernel(X, Scale, Out, m, n, BLOCK: tl.constexpr):
    for row in range(0, 3):
        for start in range(0, 64, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            mask = (cols < n) & (row < m)
            x = tl.load(X + row * n + cols, mask=mask)
            # One number for all.
            s = tl.load(Scale)
            tl.store(Out + row * n + cols, x / s, mask=mask)


# tritonopt: x: f32[m, n], scale: f32[1]
def run(x, scale):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(1,)](x, scale, out, m, n, BLOCK=16)
    return out


# case: pointer_bound_under_a_flag
# like: flag_around_an_inner_loop
"""The pointer has a value where the flag is on, and only there."""
#     mask = cols < n
#+    if HAS_BIAS:
#+        bias = B + cols
#-            for i in range(0, 3):
#-                x += tl.load(B + cols, mask=mask, other=0.0)
#+            x += tl.load(bias, mask=mask, other=0.0)


# case: runs_for_sure
# verify: no, branch_then_load is verified, and its load moves for the same reason
"""The loop has a fixed number of iterations, so no mask is needed."""


@triton.jit
def kernel(X, Scale, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for part in tl.range(0, 4, num_stages=2):
        cols = part * BLOCK + tl.arange(0, BLOCK)
        scale = tl.load(Scale)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x * scale, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[1]
def run(x, scale):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, scale, out, n, BLOCK=16)
    return out


# case: ternary_of_a_flag
"""One side changes with the row and stays; the other is read once."""


@triton.jit
def kernel(X, B, Out, m, n, BY_ROW: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        g = tl.load(B + row) if BY_ROW else tl.load(B)
        x *= g
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[m], by_row: bool
def run(x, b, by_row):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, b, out, m, n, BY_ROW=by_row, BLOCK=triton.next_power_of_2(n))
    return out


# case: two_flags
# like: asked_twice_by_a_flag
"""The second load goes where the first one is, and what is computed from both with it."""
#-def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
#+def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, SCALED: tl.constexpr, BLOCK: tl.constexpr):
#-        x = x * 2.0
#-        if HAS_BIAS:
#+            if SCALED:
#+                s = tl.load(B)
#+                b = b * s
#-    kernel[(min(m, 2),)](x, b, out, m, n, b is not None, BLOCK=triton.next_power_of_2(n))
#+    kernel[(min(m, 2),)](x, b, out, m, n, b is not None, SCALED=True, BLOCK=triton.next_power_of_2(n))


# case: under_a_flag
# like: flag_around_an_inner_loop
"""Without a bias there is none to read: what the compiler knows goes with the load."""
#-            for i in range(0, 3):
#-                x += tl.load(B + cols, mask=mask, other=0.0)
#+            # One for each column.
#+            b = tl.load(B + cols, mask=mask, other=0.0).to(tl.float32)
#+            x += b


# case: under_none
"""A pointer that is None is asked for before the loop as well."""


@triton.jit
def kernel(X, B, Out, m, n, scale, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if B is not None:
            x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n] | None
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, b, out, m, n, 2.0, BLOCK=triton.next_power_of_2(n))
    return out


# case: under_the_else_of_a_flag
# like: under_none
"""The contrary of what was asked."""
#-def kernel(X, B, Out, m, n, scale, BLOCK: tl.constexpr):
#+def kernel(X, B, Out, m, n, NO_BIAS: tl.constexpr, BLOCK: tl.constexpr):
#-        if B is not None:
#+        if NO_BIAS:
#+            x = -x
#+        else:
#-    kernel[(min(m, 2),)](x, b, out, m, n, 2.0, BLOCK=triton.next_power_of_2(n))
#+    kernel[(min(m, 2),)](x, b, out, m, n, b is None, BLOCK=triton.next_power_of_2(n))


# case: weights
"""The weights are the same for every row."""


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        cols = tl.arange(0, BLOCK)
        mask = cols < n
        # The weights, in full precision.
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)  # once a row
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x * w, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: a_row_for_each_program
# like: programs_skip_rows
"""No launch starts more programs than there are rows, so the loop runs in each."""
#-    for row in range(tl.program_id(0) * 2, m, tl.num_programs(0)):
#+    for row in range(tl.program_id(0), m, tl.num_programs(0)):
#-def run(x, w):
#+# tritonopt: x: f32[m, n], w: f32[n]
#+def run(x, w, few=False):
#-    kernel[(m,)](x, w, out, m, n, BLOCK=64)
#+    if few:
#+        kernel[(min(3, m),)](x, w, out, m, n, BLOCK=64)
#+    else:
#+        kernel[(m,)](x, w, out, m, n, BLOCK=64)


# case: length_is_checked
"""The launcher has checked that rows have elements."""


@triton.jit
def kernel(X, Scale, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        scale = tl.load(Scale + row)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x * scale, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[m]
def run(x, scale):
    m, n = x.shape
    assert n > 0
    out = torch.empty_like(x)
    kernel[(m,)](x, scale, out, n, BLOCK=16)
    return out
