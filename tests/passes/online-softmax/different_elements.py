import torch
import triton
import triton.language as tl


# case: computed_in_another_way
# like: logsumexp
# expect: not applied, different-elements
"""In real numbers the elements are the same, but of inf one way is NaN."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        x = x + x - x


# case: filler_is_summed
# like: zeros_are_summed
# expect: not applied, different-elements
"""Masked-off lanes are -inf for the maximum, and 0 for the sum."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))


# case: largest_magnitude
# like: zeros_are_summed
# expect: not applied, different-elements
"""The maximum is of magnitudes."""
#-        m = tl.maximum(m, tl.max(x, axis=0))
#+        m = tl.maximum(m, tl.max(tl.abs(x), axis=0))


# case: maximum_of_other_data
# expect: not applied, different-elements
"""The maximum is of another tensor than the sum."""


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(Z + row * N + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    tl.store(Y + row, m + tl.log(s))


def run(x: torch.Tensor, z: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, z.contiguous(), y, n, BLOCK=16)
    return y


# case: other_elements
# like: logsumexp
# expect: not applied, different-elements
"""The sum is of the next row."""
#     s = 0.0
#     for start in range(0, N, BLOCK):
#         cols = start + tl.arange(0, BLOCK)
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + N + cols, mask=cols < N, other=-float("inf"))
#     m, n = x.shape
#+    assert m > 1
#-    y = torch.empty(m, device=x.device)
#-    kernel[(m,)](x, y, n, BLOCK=16)
#+    y = torch.zeros(m, device=x.device)
#+    kernel[(m - 1,)](x, y, n, BLOCK=16)


# case: other_filler
# like: logsumexp
# expect: not applied, different-elements
"""Masked-off lanes are 0 for the maximum, and -inf for the sum."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=0.0)


# case: scaled_for_the_sum
# like: logsumexp
# expect: not applied, different-elements
"""Only what is summed is scaled."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp(x * 2.0 - m), axis=0)


# case: times_zero
# like: logsumexp
# expect: not applied, different-elements
"""What is multiplied by 0 is no matter in real numbers, but of inf it is NaN."""
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        x = x + x * 0.0
#-        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
