import torch
import triton
import triton.language as tl


# case: bias_before_the_sum
# expect: not applied, masked-off-lanes-count
"""The first loop adds up `x + bias` under the name x, bound again after the load. The second
sweep centers x without the bias."""


@triton.jit
def kernel(X, Bias, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    bias = tl.load(Bias + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        x += bias
        acc += x
    mean = tl.sum(acc, axis=0) / N
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)


# tritonopt: x: f32[m, n], bias: f32[m]
def var_mean(x: torch.Tensor, bias: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    kernel[(m,)](x, bias, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean


# case: linear_one_lane
# like: linear_entropy
# expect: not applied, masked-off-lanes-count
"""Perhaps no lane is chosen, and then nothing is added."""
#-        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        loss += tl.sum((lse - x) * p, axis=0)
#+        loss += tl.sum(tl.where(cols == 3, lse - x, 0.0), axis=0)


# case: padding_cleared_too_early
# like: mean_shrunk
# expect: not applied, masked-off-lanes-count
"""The padding lanes are cleared before the mean is subtracted, which brings the mean back into
them."""
#-    mean = mean * 0.5

#-        d = tl.where(cols < N, x - mean, 0.0)
#+        d = tl.where(cols < N, x, 0.0) - mean


# case: padding_deviates_by_one
# like: mean_shrunk
# expect: not applied, different-elements
"""The `tl.where` sets the deviation of padding lanes to 1.0 rather than 0, so each of them
counts."""
#-    mean = mean * 0.5

#-        d = tl.where(cols < N, x - mean, 0.0)
#+        d = tl.where(cols < N, x - mean, 1.0)


# case: padding_is_one
# like: mean_shrunk
# expect: not applied, masked-off-lanes-count
"""The first load fills its padding lanes with 1.0, and they are added up with the rest."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N, other=1.0)
#-    mean = mean * 0.5


# case: padding_not_cleared
# like: mean_shrunk
# expect: not applied, masked-off-lanes-count
"""Nothing clears the padding lanes of the second loop: they hold 0 and add the square of the
mean each."""
#-    mean = mean * 0.5

#-        d = tl.where(cols < N, x - mean, 0.0)
#+        d = x - mean


# case: padding_undefined
# like: volatile_second
# expect: not applied, masked-off-lanes-count
"""The loads are masked but give no `other`, and nothing clears the lanes afterwards: what they
hold is undefined."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#-        d = tl.where(cols < N, x - mean, 0.0)
#+        x = tl.load(X + cols, mask=cols < N)
#+        d = x - mean


# case: residual_without_a_mask
# like: residual_in_moments
# expect: not applied, masked-off-lanes-count
"""The residual of lanes behind the row is added too."""
#-            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
#+            x += tl.load(R + cols).to(tl.float32)
#-            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
#+            x += tl.load(R + cols).to(tl.float32)
