import torch
import triton
import triton.language as tl


# case: helper_clears_to_another_number
# expect: silent
"""The call has the operation of its `tl.where`, but not its arguments."""


@triton.jit
def cleared(mask, x, other):
    return tl.where(mask, x, other + 1.0)


@triton.jit
def kernel(X, W, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(OUT + row, tl.sum(cleared(mask, x * w, 0.0)))


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, w, out, n, BLOCK=triton.next_power_of_2(n))
    return out
