import torch
import triton
import triton.language as tl


# case: decaying_maximum
# like: logsumexp
# expect: not applied, not-an-exponential
"""What is carried is no maximum."""
#-    m = -float("inf")
#+    m = 0.0
#-        m = tl.maximum(m, tl.max(x, axis=0))
#+        m = tl.maximum(m * 0.5, tl.max(x, axis=0))


# case: dropout
# like: logsumexp
# expect: not applied, not-an-exponential
"""Some of the exponentials are dropped, by chance."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, seed, BLOCK: tl.constexpr):
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        keep = tl.rand(seed, cols) > 0.5
#+        s += tl.sum(tl.where(keep, tl.exp(x - m), 0.25), axis=0)
#-    kernel[(m,)](x, y, n, BLOCK=16)
#+    kernel[(m,)](x, y, n, 7, BLOCK=16)


# case: guarded_iterations
# like: logsumexp
# expect: not applied, not-an-exponential
"""The maximum is taken of some tiles."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, K, BLOCK: tl.constexpr):
#-        m = tl.maximum(m, tl.max(x, axis=0))
#+        if start < K:
#+            m = tl.maximum(m, tl.max(x, axis=0))
#-    kernel[(m,)](x, y, n, BLOCK=16)
#+    kernel[(m,)](x, y, n, 20, BLOCK=16)


# case: maximum_is_a_factor
# like: logsumexp
# expect: not applied, not-an-exponential
"""The maximum is a factor of what is added, too."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp(x - m) * m, axis=0)


# case: minimum
# like: logsumexp
# expect: not applied, not-an-exponential
"""Differences to the minimum."""
#-    m = -float("inf")
#+    m = float("inf")
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#-        m = tl.maximum(m, tl.max(x, axis=0))
#+        x = tl.load(X + cols, mask=cols < N, other=float("inf"))
#+        m = tl.minimum(m, tl.min(x, axis=0))


# case: narrow_maximum
# like: tile_of_maxima
# expect: not applied, not-an-exponential
"""The maximum is kept in fp16."""
#-    lanes = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
#+    lanes = tl.full([BLOCK], -float("inf"), dtype=tl.float16)
#-        lanes = tl.maximum(lanes, x)
#+        lanes = tl.maximum(lanes, x).to(tl.float16)


# case: weighted
# expect: not applied, not-an-exponential
"""The exponentials are weighted."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        w = tl.load(W + cols, mask=cols < N, other=0.0)
        s += tl.sum(tl.exp(x - m) * w, axis=0)
    tl.store(Y + row, m + tl.log(s))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, w.contiguous(), y, n, BLOCK=16)
    return y
