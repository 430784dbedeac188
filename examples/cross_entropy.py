"""Cross-entropy of each row of logits against the index of the right class.

The loss is log(sum(exp(x))) - x[target]. One sweep finds the maximum, which keeps the exponentials
from overflowing, a second one adds them up, and the target's logit is read at the end.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride

    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, axis=0))

    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), axis=0)

    target = tl.load(target_ptr + row)
    right = tl.load(x_ptr + target).to(tl.float32)
    tl.store(loss_ptr + row, largest + tl.log(total) - right)


# tritonopt: x: f32[m, n], target: i64[m] in 0..n
def cross_entropy(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The loss of each row of `x`, whose class has the index `target`."""
    m, n = x.shape
    x, target = x.contiguous(), target.contiguous()
    loss = torch.empty(m, dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(max(n, 16)))
    cross_entropy_kernel[(m,)](x, target, loss, x.stride(0), n, BLOCK=block)
    return loss


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 100), (4, 1024), (3, 2500)]:
        x = torch.randn(m, n, device=device) * 10
        target = torch.randint(n, (m,), device=device)
        expected = torch.nn.functional.cross_entropy(x, target, reduction="none")
        torch.testing.assert_close(cross_entropy(x, target), expected, rtol=1e-4, atol=1e-4)
    print(f"cross_entropy agrees with torch on {device}")


if __name__ == "__main__":
    main()
