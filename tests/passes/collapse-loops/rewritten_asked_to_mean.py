import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: asked_by_the_compiler
"""An `if` that the compiler decides, with a load of one element."""


@triton.jit
def kernel(X, S, Y, N, W, HAS_SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            if HAS_SHIFT:
                x = tl.where(w < W, x - tl.load(S), 0.0)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], s: f32[1], shifted: bool
def run(x: torch.Tensor, s: torch.Tensor, shifted: bool):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, s, y, n, w, HAS_SHIFT=shifted, BLOCK=16)
    return y


# case: comments
# like: narrow_sum
"""What is said of statements stays."""
#             w = start + tl.arange(0, BLOCK)
#+            # One tile.
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            # To the total.
#+            total += tl.sum(x, axis=0)  # in fp32


# case: counted
# like: narrow_sum
"""A number of elements: integers, so exact."""
#-    total = 0.0
#+    total = 0
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum((x > 0).to(tl.int32), axis=0)
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, dtype=torch.int32, device=x.device)


# case: counts_from_elsewhere
"""The outer loop counts from where the group of a program begins."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    total = 0.0
    for n in range(group * N, (group + 1) * N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    tl.store(Y + group, total)
# shared: run


# case: counts_from_one
"""A loop between others counts from 1, so its number of turns has parentheses."""


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_h, BLOCK: tl.constexpr):
    total = 0.0
    for n in range(N):
        for h in range(1, H):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                offsets = n * stride_n + h * stride_h + w
                x = tl.load(X + offsets, mask=w < W, other=0.0).to(tl.float32)
                total += tl.sum(x, axis=0)
    tl.store(Y, total)


# tritonopt: x: f32[n, h, w]
def run(x: torch.Tensor):
    n, h, w = x.shape
    x = x.contiguous()
    y = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, n, h, w, x.stride(0), x.stride(1), BLOCK=16)
    return y


# case: functions_of_filled_lanes
# like: quotient_is_chosen
"""All that is computed of what the lanes are filled with is finite."""
#-            z = tl.load(Z + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
#+            z = tl.load(Z + row + n * W + w, mask=w < W, other=1.0).to(tl.float32)
#+            total += tl.sum(x / (1.0 + tl.exp(-x)) + x * tl.log(z) + x / (z + 0.5), axis=0)


# case: in_place
"""Each element is stored where it was loaded; rows lie side by side."""


@triton.jit
def kernel(X, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            tl.store(X + row + n * W + w, 2.0 * x, mask=w < W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    kernel[(m,)](x, n, w, BLOCK=16)
    return x


# case: in_place_again
"""A loop around the nest comes to each element again, in the lane that held it before."""


@triton.jit
def kernel(X, T, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    for t in range(0, T, 2):
        for n in range(N):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(X + row + n * W + w, mask=w < W, other=0.0)
                tl.store(X + row + n * W + w, x * 0.5 + 1.0, mask=w < W)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    kernel[(m,)](x, 3, n, w, BLOCK=16)
    return x


# case: indices_are_stored
# like: one_element_for_all
"""What is stored are the indices, to rows that lie side by side."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            tl.store(Y, n)
#+            tl.store(Y + row + n * W + w, n * 1000 + w, mask=w < W)


# case: inner_two_of_three
"""The outermost loop does more; the two inner ones become one."""


@triton.jit
def kernel(X, Y, N, H, W, BLOCK: tl.constexpr):
    m = tl.program_id(0)
    for n in range(N):
        total = 0.0
        for h in range(H):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(X + ((m * N + n) * H + h) * W + w, mask=w < W, other=0.0).to(tl.float32)
                total += tl.sum(x, axis=0)
        tl.store(Y + m * N + n, total)


# tritonopt: x: f32[m, n, h, w]
def run(x: torch.Tensor):
    m, n, h, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, h, w, BLOCK=16)
    return y


# case: largest
"""The largest element: exact."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = float("-inf")
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=float("-inf"))
            total = tl.maximum(total, tl.max(x, axis=0))
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: loads_ahead
# like: narrow_sum
"""The options of the inner loop stay."""
#-        for start in range(0, W, BLOCK):
#+        for start in tl.range(0, W, BLOCK, num_stages=3):
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: mean_and_deviations
"""Two nests, the second with what the first has found."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    m = tl.program_id(0)
    X += m * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    mean = total / (N * W)
    squares = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            d = tl.where(w < W, x - mean, 0.0)
            squares += tl.sum(d * d, axis=0)
    tl.store(Y + m, squares / (N * W))
# shared: run
