"""Complex numbers and rotary embeddings: real and imaginary parts take turns in memory.

tritonopt rewrite examples/complex_numbers.py --passes interleaved-access
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply_kernel(X, Y, Z, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n
    a = tl.load(X + 2 * k, mask=mask).to(tl.float32)
    b = tl.load(X + 2 * k + 1, mask=mask).to(tl.float32)
    c = tl.load(Y + 2 * k, mask=mask).to(tl.float32)
    d = tl.load(Y + 2 * k + 1, mask=mask).to(tl.float32)
    tl.store(Z + 2 * k, a * c - b * d, mask=mask)
    tl.store(Z + 2 * k + 1, a * d + b * c, mask=mask)


def multiply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The products of complex numbers, stored as pairs in the last axis of two tensors."""
    x, y = x.contiguous(), y.contiguous()
    z = torch.empty_like(x)
    n = x.numel() // 2
    multiply_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)
    return z


@triton.jit
def rotary_kernel(X, Angles, Y, heads, half, HEADS: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0)
    head = tl.arange(0, HEADS)
    k = tl.arange(0, HALF)
    angle = tl.load(Angles + token * half + k, mask=k < half, other=0.0).to(tl.float32)
    cos, sin = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
    mask = (head[:, None] < heads) & (k[None, :] < half)
    at = token * heads * 2 * half + head[:, None] * (2 * half) + 2 * k[None, :]
    even = tl.load(X + at, mask=mask).to(tl.float32)
    odd = tl.load(X + at + 1, mask=mask).to(tl.float32)
    tl.store(Y + at, even * cos - odd * sin, mask=mask)
    tl.store(Y + at + 1, even * sin + odd * cos, mask=mask)


def rotary(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Turn the pairs of each head of (tokens, heads, dimension) by angles of (tokens, pairs)."""
    tokens, heads, dimension = x.shape
    x, angles = x.contiguous(), angles.contiguous()
    y = torch.empty_like(x)
    rotary_kernel[(tokens,)](
        x,
        angles,
        y,
        heads,
        dimension // 2,
        HEADS=triton.next_power_of_2(heads),
        HALF=triton.next_power_of_2(dimension // 2),
    )
    return y


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    for n in (1, 100, 3000):
        x, y = torch.randn(2, n, 2, device=device)
        expected = torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(y))
        torch.testing.assert_close(multiply(x, y), expected, rtol=1e-4, atol=1e-5)
    for tokens, heads, dimension in [(1, 1, 2), (3, 5, 64), (2, 4, 96)]:
        x = torch.randn(tokens, heads, dimension, device=device)
        angles = torch.randn(tokens, dimension // 2, device=device)
        turns = torch.polar(torch.ones_like(angles), angles)[:, None, :]
        pairs = torch.view_as_complex(x.view(tokens, heads, -1, 2))
        expected = torch.view_as_real(pairs * turns).view_as(x)
        torch.testing.assert_close(rotary(x, angles), expected, rtol=1e-4, atol=1e-5)
    print(f"complex_numbers agrees with torch on {device}")


if __name__ == "__main__":
    main()
