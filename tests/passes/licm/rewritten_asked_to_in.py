import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n], b: f32[n] | None
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, b, out, m, n, b is not None, BLOCK=triton.next_power_of_2(n))
    return out


# case: asked_twice_by_a_flag
"""The branch that is left with nothing goes, and the other one reads what it read."""


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            b = tl.load(B + cols, mask=mask, other=0.0)
        x = x * 2.0
        if HAS_BIAS:
            x += b
        tl.store(Out + row * n + cols, x, mask=mask)
# shared: run


# case: assumed
# like: length_is_checked
# assume: disjoint(Scale, Out)
# assume: n >= 1
# verify: no, verify draws rows of no elements, which the assumption excludes
"""The caller's buffers are said to be different ones, and the rows not to be empty."""
#-# tritonopt: x: f32[m, n], scale: f32[m]
#-def run(x, scale):
#+# tritonopt: x: f32[m, n], scale: f32[m], out: f32[m, n]
#+def run(x, scale, out):
#-    assert n > 0
#-    out = torch.empty_like(x)


# case: bound_in_two_ways_by_a_flag
# like: flag_around_an_inner_loop
"""The name stands for two things, so what is loaded gets one of its own."""
#-            for i in range(0, 3):
#-                x += tl.load(B + cols, mask=mask, other=0.0)
#+            b = tl.load(B + cols, mask=mask, other=0.0)
#+        else:
#+            b = 1.0
#+        x *= b


# case: comments_move_along
"""A comment stays right above its load."""


@triton.jit
def kernel(X, Scale, Bias, Out, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    for step in range(tl.program_id(1), m, tl.num_programs(1)):
        # ---- One step ----
        # What the step multiplies by,
        # and what it adds.
        scale = tl.load(Scale + row)
        bias = tl.load(Bias + row)
        at = (row * m + step) * n + cols
        x = tl.load(X + at, mask=cols < n, other=0.0)
        tl.store(Out + at, x * scale + bias, mask=cols < n)


# tritonopt: x: f32[r, m, n], scale: f32[r], bias: f32[r]
def run(x, scale, bias):
    rows, m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(rows, min(m, 2))](x, scale, bias, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: derived
"""What is made of the loaded values moves with them, a name that is bound twice included."""


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        w = tl.load(W + cols, mask=cols < n, other=1.0)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        w = w.to(tl.float32)
        w += 1.0
        half = w * 0.5  # of the weight
        tl.store(Out + row * n + cols, x * half, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: divided_before
"""The divisor was divided by before the loop: by zero, nothing would come to it."""


@triton.jit
def kernel(X, B, Out, m, n, parts, BLOCK: tl.constexpr):
    part = tl.program_id(0) % parts
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(1), m, tl.num_programs(1)):
        b = tl.load(B + tl.program_id(0) // parts)
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + (part * m + row) * n + cols, x * b, mask=mask)


# tritonopt: x: f32[m, n], b: f32[2]
def run(x, b):
    m, n = x.shape
    out = torch.empty(2, m, n)
    kernel[(2, min(m, 2))](x, b, out, m, n, 2, BLOCK=triton.next_power_of_2(n))
    return out


# case: elif_of_a_flag
"""Every question on the way is asked again, in its order."""


@triton.jit
def kernel(X, B, Out, m, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if MODE == 0:
            x = -x
        elif MODE == 1:
            b = tl.load(B + cols, mask=mask, other=0.0)
            x += b
        else:
            x *= 2.0
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n], mode: 0|1|2
def run(x, b, mode):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, b, out, m, n, MODE=mode, BLOCK=triton.next_power_of_2(n))
    return out


# case: flag_around_an_inner_loop
"""Out of both loops, with the question on the way to it."""


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            for i in range(0, 3):
                x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)
# shared: run


# case: flag_of_the_kernel
# like: flag_is_a_value
"""A constant of the kernel, annotated as one, is known like a parameter."""
#-    wide = KIND > 1
#+    WIDE: tl.constexpr = KIND > 1
#-        if wide:
#+        if WIDE:
#-    kernel[(2,)](x, b, out, m, n, KIND=2, BLOCK=triton.next_power_of_2(n))
#+    kernel[(min(m, 2),)](x, b, out, m, n, KIND=2, BLOCK=triton.next_power_of_2(n))


# case: flags_of_two_loads
# like: flag_around_an_inner_loop
"""What the first load has put above the loop, the second one joins."""
#-            for i in range(0, 3):
#-                x += tl.load(B + cols, mask=mask, other=0.0)
#+            x += tl.load(B + cols, mask=mask, other=0.0)
#+            x *= tl.load(B + n - 1)


# case: guarded_loop
"""The condition around the loop shows that it runs."""


@triton.jit
def kernel(X, Scale, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * n
    if n > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            scale = tl.load(Scale + row)
            tl.store(Out + row * n + cols, tl.load(X + cols, mask=cols < n) * scale, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[m]
def run(x, scale):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, scale, out, n, BLOCK=16)
    return out


# case: helper_loads
"""A helper loads; the call moves as it stands."""


@triton.jit
def read(p, cols, n):
    return tl.load(p + cols, mask=cols < n, other=0.0)


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(0, 3):
        w = read(W, cols, n) + 1.0
        x = read(X + row * n, cols, n)
        tl.store(Out + row * n + cols, x * w, mask=(cols < n) & (row < m))


# tritonopt: x: f32[3, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(1,)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: in_an_expression
# verify: no, name_used_elsewhere is verified, and has new names too
"""The load has no name of its own and gets one, from the parameter."""


@triton.jit
def kernel(x_ptr, weight_ptr, out_ptr, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n + cols, mask=cols < n)
        x = x * tl.load(weight_ptr + cols, cols < n).to(tl.float32)
        tl.store(out_ptr + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(min(m, 2),)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out
