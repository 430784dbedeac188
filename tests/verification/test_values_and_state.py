"""Values at their ends, one place for all, memory that is kept, and files beside the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict, verify

HEAD = """
import torch
import triton
import triton.language as tl


"""
PRODUCT = (
    HEAD
    + """@triton.jit
def dot_kernel(A, B, Y, k, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.int32)
    for start in range(0, k, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(A + row * k + at, mask=at < k, other=0).to(tl.int32)
        b = tl.load(B + at, mask=at < k, other=0).to(tl.int32)
        total += a * b
    tl.store(Y + row, tl.sum(total))


def dot(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    y = torch.empty(m, dtype=torch.int32, device=a.device)
    dot_kernel[(m,)](a, b, y, k, BLOCK=64)
    return y
"""
)
ROUTED = (
    HEAD
    + """@triton.jit
def scale_kernel(X, order, first, count, S, Y, room):
    e = tl.program_id(0) // room
    i = tl.program_id(0) % room
    if i < tl.load(count + e):
        t = tl.load(order + tl.load(first + e) + i)
        tl.store(Y + t, tl.load(X + t) * tl.load(S + e))


def routed(x: torch.Tensor, expert: torch.Tensor, s: torch.Tensor):
    t, n = x.shape[0], s.shape[0]
    order = torch.argsort(expert, stable=True)
    count = torch.bincount(expert, minlength=n)
    first = torch.cumsum(count, 0) - count
    room = t
    y = torch.zeros_like(x)
    scale_kernel[(n * room,)](x, order, first, count, s, y, room)
    return y
"""
)
TWICE = (
    HEAD
    + """@triton.jit
def double_kernel(X, P, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(P + at, 2 * tl.load(X + at, mask=at < n), mask=at < n)


_kept = {}


def twice(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty(m * n, dtype=x.dtype, device=x.device)
    double_kernel[(triton.cdiv(m * n, 16),)](x, p, m * n, BLOCK=16)
    return p[: m * n].clone()
"""
)


def test_products_of_the_largest_whole_numbers(of_texts: Callable[..., Verdict]) -> None:
    changed = PRODUCT.replace("tl.int32)\n    for", "tl.float32)\n    for")
    changed = changed.replace("tl.sum(total)", "tl.sum(total).to(tl.int32)")
    verdict = of_texts(PRODUCT, changed, args="a: i8[m, k], b: i8[k]", max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


@pytest.mark.thorough
def test_all_to_one_place(of_texts: Callable[..., Verdict]) -> None:
    changed = ROUTED.replace("room = t", "room = 2 * triton.cdiv(t, n) + 8")
    args = "x: f32[t], expert: i64[t] in 0..e, s: f32[e]"
    verdict = of_texts(ROUTED, changed, args=args, max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


def test_memory_that_is_kept_has_an_end(of_texts: Callable[..., Verdict]) -> None:
    """That of an earlier call, which was shorter."""
    keep = "p = _kept.setdefault(n, torch.empty(m * n, dtype=x.dtype, device=x.device))"
    allocate = "p = torch.empty(m * n, dtype=x.dtype, device=x.device)"
    verdict = of_texts(TWICE, TWICE.replace(allocate, keep), args="x: f32[m, n]", max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


def test_each_version_has_its_own_neighbors(tmp_path: Path) -> None:
    paths = []
    for name, number in (("before", 1.0), ("after", 2.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "own_factor.py").write_text(f"FACTOR = {number}\n")
        path = tmp_path / name / "kernel.py"
        text = TWICE.replace("_kept = {}", "from own_factor import FACTOR")
        path.write_text(text.replace(".clone()", " * FACTOR"))
        paths.append(path)
    verdict = verify(*paths, backend="interpreter", args="x: f32[m, n]", max_examples=1)
    assert verdict.verdict == "counterexample", verdict.reason


def test_a_layout_that_the_original_gets_wrong_is_said(of_texts: Callable[..., Verdict]) -> None:
    changed = TWICE.replace("    m, n = x.shape\n", "    x = x.contiguous()\n    m, n = x.shape\n")
    verdict = of_texts(TWICE, changed, args="x: f32[m, n]", max_examples=1)
    said = [note for note in verdict.notes if "returns other values than for their" in note]
    assert said and "transposed" in said[0], verdict.notes


MULTIPLIED = (
    HEAD
    + """@triton.jit
def square_kernel(X, Y, m, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.arange(0, BLOCK)
    on = (rows < m)[:, None] & (cols < n)[None, :]
    x = tl.load(X + rows[:, None] * n + cols, mask=on, other=0.0).to(tl.float32)
    y = tl.dot(x, tl.trans(x), input_precision="ieee")
    tl.store(Y + rows[:, None] * BLOCK + cols, y, mask=(rows < m)[:, None])


def square(x: torch.Tensor):
    m, n = x.shape
    assert n <= 16
    y = torch.empty((m, 16), dtype=torch.float32, device=x.device)
    square_kernel[(triton.cdiv(m, 16),)](x, y, m, n, BLOCK=16)
    return y
"""
)


@pytest.mark.parametrize(
    ("dtype", "changed", "answer"),
    [
        ("f32", "", "counterexample"),
        ("f32", ', input_precision="tf32x3"', "equivalent"),
        ("f16", "", "identical"),
    ],
    ids=["dropped", "another", "exact"],
)
def test_products_as_a_gpu_rounds_them(
    of_texts: Callable[..., Verdict], dtype: str, changed: str, answer: str
) -> None:
    rewritten = MULTIPLIED.replace(', input_precision="ieee"', changed)
    args = f"x: {dtype}[m, n], n <= 16"
    verdict = of_texts(MULTIPLIED, rewritten, args=args, max_examples=4, backend="interpreter")
    assert verdict.verdict == answer, verdict
