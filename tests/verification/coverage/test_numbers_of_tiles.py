"""A limit on a number of tiles is reached, though other calls have used up those for sizes."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict

_ORIGINAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def product(A, B, C, M, N, K, T: tl.constexpr):
    rm = tl.program_id(0) * T + tl.arange(0, T)
    rn = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        rk = k + tl.arange(0, T)
        a = tl.load(A + rm[:, None] * K + rk[None, :],
                    mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(B + rk[:, None] * N + rn[None, :],
                    mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        total += tl.dot(a, b)
    tl.store(C + rm[:, None] * N + rn[None, :], total.to(C.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


def multiplied(a: torch.Tensor, b: torch.Tensor):
    a, b = a.contiguous(), b.contiguous()
    M, K = a.shape
    K2, N = b.shape
    assert K == K2 and a.dtype == b.dtype == torch.float16
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    product[(triton.cdiv(M, 16), triton.cdiv(N, 16))](a, b, c, M, N, K, T=16)
    return c
"""
_TILES = """    per = 4 * tl.cdiv(N, T)
    first = tl.program_id(0) // per * 4
    size = tl.minimum(tl.cdiv(M, T) - first, 4)
    rm = (first + tl.program_id(0) % per % size) * T + tl.arange(0, T)
    rn = tl.program_id(0) % per // size * T + tl.arange(0, T)
"""


def test_tiles_in_groups_of_four(of_texts: Callable[..., Verdict]) -> None:
    start, end = _ORIGINAL.index("    rm = "), _ORIGINAL.index("    total = ")
    rewritten = _ORIGINAL[:start] + _TILES + _ORIGINAL[end:]
    grid = "(triton.cdiv(M, 16), triton.cdiv(N, 16))"
    rewritten = rewritten.replace(grid, "(triton.cdiv(M, 16) * triton.cdiv(N, 16),)")
    verdict = of_texts(_ORIGINAL, rewritten, backend="interpreter", max_examples=2)
    assert verdict.verdict == "identical", verdict
