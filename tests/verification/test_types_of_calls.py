"""Which types are drawn, and what a call is worth for which the original does not compile."""

from __future__ import annotations

from collections.abc import Callable

from tests.layers import everything
from tritonopt.verification import Verdict

_HEAD = """
import torch
import triton
import triton.language as tl
"""

_KEPT = f"""{_HEAD}
@triton.jit
def twice(X, T, Y, N, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.load(X + o, mask=o < N, other=0.0) * 3.0
    tl.store(T + o, h, mask=o < N)
    tl.store(Y + o, h + 1.0, mask=o < N)

def launch(x: torch.Tensor, t: torch.Tensor, y: torch.Tensor):
    n = x.numel()
    twice[(triton.cdiv(n, 16),)](x, t, y, n, BLOCK=16)
"""


def test_a_tensor_narrower_than_the_others_is_drawn(of_texts: Callable[..., Verdict]) -> None:
    changed = _KEPT.replace("    tl.store(Y", "    h = tl.load(T + o, mask=o < N)\n    tl.store(Y")
    verdict = of_texts(_KEPT, changed, max_examples=12)
    assert verdict.verdict == "counterexample", verdict
    assert "t = f16" in (verdict.counterexample or "")


_AS = f"""{_HEAD}
@triton.jit
def scaled(X, Y, N, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(X + o, mask=o < N, other=0.0).to(tl.float32) * 0.1
    tl.store(Y + o, v, mask=o < N)

def launch(x: torch.Tensor, dtype=torch.float32):
    n = x.numel()
    y = torch.empty(n, dtype=dtype, device=x.device)
    scaled[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""


def test_other_types_than_the_default_are_drawn(of_texts: Callable[..., Verdict]) -> None:
    changed = _AS.replace("dtype=dtype", "dtype=torch.float32")
    verdict = of_texts(_AS, changed, max_examples=12)
    assert verdict.verdict == "counterexample", verdict
    assert "dtype = torch." in (verdict.counterexample or "")


_DOT = f"""{_HEAD}
@triton.jit
def product(A, B, C, K, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    acc = tl.zeros((16, 16), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        j = k + tl.arange(0, BLOCK)
        x = tl.load(A + i[:, None] * K + j[None, :], mask=j[None, :] < K, other=0.0)
        y = tl.load(B + j[:, None] * 16 + i[None, :], mask=j[:, None] < K, other=0.0)
        acc += tl.dot(x, y)
    tl.store(C + i[:, None] * 16 + i[None, :], acc)

# tritonopt: a: f32|f16|f64[16, k], b: f32|f16|f64[k, 16]
def launch(a, b):
    c = torch.empty((16, 16), device=a.device)
    product[(1,)](a, b, c, a.shape[1], BLOCK=16)
    return c
"""


def test_what_the_original_does_not_compile_for_is_no_evidence(
    of_texts: Callable[..., Verdict],
) -> None:
    """With float64 its loop leaves `acc` as another type; the rewritten one fails at once."""
    changed = _DOT.replace("acc += tl.dot(x, y)", "acc = tl.dot(x, y, acc)")
    if everything():
        verdict = of_texts(_DOT, changed, max_examples=12)
        assert verdict.verdict in ("identical", "equivalent"), verdict.counterexample
    only = ("f32|f16|f64", "f64")
    verdict = of_texts(_DOT.replace(*only), changed.replace(*only), max_examples=12)
    assert verdict.verdict == "unsupported", verdict


def test_a_product_of_narrow_numbers_may_be_rounded_elsewhere(
    of_texts: Callable[..., Verdict],
) -> None:
    """What `tl.dot` computes has no oracle; `p` is rounded to the type of `b` in either version."""
    old = _DOT.replace("f32|f16|f64[k", "f16[k").replace("f32|f16|f64", "f32")
    old = old.replace("tl.dot(x, y)", "tl.dot((x * 0.3).to(y.dtype), y) / 0.3")
    changed = old.replace("(x * 0.3)", "(x * 0.7)").replace("/ 0.3", "/ 0.7")
    if everything():
        verdict = of_texts(old, changed, max_examples=12)
        assert verdict.verdict == "equivalent", verdict.counterexample
    wrong = old.replace("/ 0.3", "/ 0.3003")
    assert of_texts(old, wrong, max_examples=12).verdict == "counterexample"


_WHOLE = f"""{_HEAD}
@triton.jit
def thrice(X, Y, N, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + o, mask=o < N, other=0)
    tl.store(Y + o, x * 3 + 1, mask=o < N)

# tritonopt: x: i64[n]
def launch(x):
    y = torch.empty_like(x)
    thrice[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


def test_whole_numbers_that_a_narrower_type_does_not_hold(of_texts: Callable[..., Verdict]) -> None:
    changed = _WHOLE.replace("x * 3 + 1", "x.to(tl.int32) * 3 + 1")
    verdict = of_texts(_WHOLE, changed, max_examples=12)
    assert verdict.verdict == "counterexample", verdict
