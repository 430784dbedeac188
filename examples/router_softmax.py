"""Softmax over the experts of a router: the textbook kernel, a row to a program.

The tile holds a whole row, and the launcher says how long that gets, so `tritonopt rewrite
examples/router_softmax.py` knows that rows are short, and lets a program take several.
Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * stride + cols, y, mask=mask)


# tritonopt: logits: f32[m, n]
def router_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Probabilities of the experts, for each token."""
    m, n = logits.shape
    assert n <= 128, "at most 128 experts"
    logits = logits.contiguous()
    y = torch.empty_like(logits)
    BLOCK = triton.next_power_of_2(n)
    softmax_kernel[(m,)](logits, y, logits.stride(0), n, BLOCK=BLOCK)
    return y


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for m, n in [(1, 1), (5, 8), (70, 60), (33, 128)]:
        x = torch.randn(m, n, device=device) * 10
        torch.testing.assert_close(router_softmax(x), torch.softmax(x, dim=1))
    print(f"router_softmax agrees with torch on {device}")


if __name__ == "__main__":
    main()
