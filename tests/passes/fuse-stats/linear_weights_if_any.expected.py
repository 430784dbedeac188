"""A branch that the compiler decides goes over to the first sweep."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, P, W, Loss, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    P += row * stride

    largest = -float("inf")
    total = 0.0
    loss = 0.0
    # The factor of (lse - reference), which is known after the loop.
    p_sum = 0.0
    reference = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), axis=0)
        largest = larger
        x = tl.where(cols < N, x, 0.0)
        p = tl.load(P + cols, mask=cols < N, other=0.0).to(tl.float32)
        if W is not None:
            p *= tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
        new_reference = tl.where(largest == -float("inf"), 0.0, largest)
        loss += (new_reference - reference) * p_sum
        reference = new_reference
        loss += tl.sum((reference - x) * p, axis=0)
        p_sum += tl.sum(p, axis=0)
    lse = largest + tl.log(total)

    loss += tl.where(N > 0, (lse - reference) * p_sum, 0.0)
    tl.store(Loss + row, loss)


# tritonopt: x: f32[m, n], p: f32[m, n], w: f32[n] | None
def run(x: torch.Tensor, p: torch.Tensor, w: torch.Tensor | None):
    m, n = x.shape
    x, p = x.contiguous(), p.contiguous()
    loss = torch.zeros(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, p, w, loss, x.stride(0), n, BLOCK=16)
    return loss
