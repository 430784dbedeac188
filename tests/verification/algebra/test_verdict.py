"""What a verdict says of algebra: where tolerance hides a mistake, and where it does not apply."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.layers import everything, few
from tritonopt.reporting.json import verdict_report
from tritonopt.reporting.text import Style, verdict_lines
from tritonopt.verification import Verdict

GELU = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    tl.store(Y + row * N + cols, x * tl.sigmoid(2 * inner), mask=cols < N)

def gelu(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
TWO_HALVES = """
import torch
import triton
import triton.language as tl


@triton.jit
def copied(X, Y, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + offs, tl.load(X + offs, mask=offs < n), mask=offs < n)


@triton.jit
def averaged(X, Y, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(100):
        total += tl.load(X + offs, mask=offs < n)
    tl.store(Y + offs, total / 100, mask=offs < n)


def run(x: torch.Tensor, average: bool):
    y = torch.empty(x.shape, dtype=torch.float32, device=x.device)
    n = x.numel()
    kernel = averaged if average else copied
    kernel[(triton.cdiv(n, 16),)](x.contiguous(), y, n, BLOCK=16)
    return y
"""
NEARBY = GELU.replace("0.044715", "0.0447151")
REGROUPED = GELU.replace("2 * inner", "inner + inner").replace(
    "0.044715 * x * x * x", "x * x * x * 0.044715"
)


def test_a_constant_that_is_a_little_off_is_told(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(GELU, NEARBY, backend="interpreter", max_examples=4)
    assert verdict.verdict == "equivalent"
    assert verdict.algebra is not None and verdict.algebra.is_different
    assert "line 11: the constant 0.0447151, which the original has not" in verdict.algebra.text
    assert '"algebra": "different"' in verdict_report(verdict)
    assert any("not the same algebra" in line for line in verdict_lines(verdict, Style(False)))


def test_it_is_a_counterexample_where_algebra_is_required(
    of_texts: Callable[..., Verdict], tmp_path: Path
) -> None:
    verdict = of_texts(GELU, NEARBY, backend="interpreter", max_examples=4, require="algebra")
    assert verdict.verdict == "counterexample" and verdict.script is not None
    assert "another function of the inputs" in (verdict.counterexample or "")
    head, _, _ = verdict.script.partition("# That is all there is to read")
    assert len(head.splitlines()) < 60
    if not everything():
        return  # that a script shows the same is tested of another one
    script = tmp_path / "counterexample.py"
    script.write_text(verdict.script)
    shown = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert shown.returncode == 1, shown.stderr
    assert "another function of the inputs" in shown.stdout


def test_what_is_regrouped_is_the_same(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(GELU, REGROUPED, backend="interpreter", max_examples=4, require="algebra")
    assert verdict.verdict in ("identical", "equivalent")
    assert verdict.algebra is not None and verdict.algebra.is_same
    assert verdict.algebra.draws >= 4 and (verdict.algebra.bound or 1) < 1e-20


@pytest.mark.parametrize(
    ("limit", "answer"), few([("x <= 1000.0", "same"), ("x <= 1000.5", "not-applicable")], 1)
)
def test_a_limit_that_was_changed_is_told(
    of_texts: Callable[..., Verdict], limit: str, answer: str
) -> None:
    # No input lies between the two limits: neither numbers nor residues differ.
    original = GELU.replace("x * tl.sig", "tl.where(x > 1000.0, x, x * tl.sig")
    original = original.replace("2 * inner)", "2 * inner))")
    rewritten = original.replace("(x > 1000.0, x, x * tl.sigmoid(2 * inner))", "LIMITED")
    rewritten = rewritten.replace("LIMITED", f"({limit}, x * tl.sigmoid(2 * inner), x)")
    verdict = of_texts(original, rewritten, backend="interpreter", max_examples=4)
    assert verdict.algebra is not None and verdict.algebra.answer == answer, verdict
    assert answer == "same" or "compares floats with 1000" in verdict.algebra.text


@pytest.mark.parametrize(
    ("rewritten", "answer"),
    few(
        [
            ("tl.where(-x < 0.0, x,", "same"),
            ("tl.where(x * 1.000001 > 0.0, x,", "not-applicable"),
        ],
        1,
    ),
)
def test_what_decides_is_computed_by_both(
    of_texts: Callable[..., Verdict], rewritten: str, answer: str
) -> None:
    # What is chosen is the same on every input that was drawn.
    original = GELU.replace("x * tl.sig", "tl.where(x > 0.0, x, x * tl.sig").replace(
        "2 * inner)", "2 * inner))"
    )
    changed = original.replace("tl.where(x > 0.0, x,", rewritten)
    verdict = of_texts(original, changed, backend="interpreter", max_examples=4)
    assert verdict.algebra is not None and verdict.algebra.answer == answer, verdict
    assert (
        answer == "same"
        or "a value that the original version never computes" in verdict.algebra.text
    )


def test_what_torch_makes_of_a_result_is_not_followed(of_texts: Callable[..., Verdict]) -> None:
    original = GELU.replace("return y", "return torch.softmax(y, dim=-1)")
    rewritten = original.replace("2 * inner", "inner + inner")
    verdict = of_texts(original, rewritten, backend="interpreter", max_examples=4)
    assert verdict.algebra is not None and verdict.algebra.answer == "not-applicable"
    assert "softmax" in verdict.algebra.text


def test_sums_of_torch_are_followed(of_texts: Callable[..., Verdict]) -> None:
    original = GELU.replace("return y", "return y.sum(0) / y.shape[0]")
    rewritten = GELU.replace("return y", "return (y / 2).mean(dim=0) * 2")
    verdict = of_texts(original, rewritten, backend="interpreter", max_examples=4)
    assert verdict.algebra is not None and verdict.algebra.is_same, verdict


@pytest.mark.thorough(instead="test_a_constant_that_is_a_little_off_is_told")
def test_what_runs_in_long_calls_alone_is_compared_too(
    of_texts: Callable[..., Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half of the launcher takes long; it is there that they differ, by less than tolerance sees.
    monkeypatch.setattr("tritonopt.verification.coverage.requirements._MUCH_WORK", 400)
    nearby = TWO_HALVES.replace("total / 100", "total / 100.0001")
    verdict = of_texts(TWO_HALVES, nearby, backend="interpreter", max_examples=4)
    assert verdict.verdict == "equivalent"
    assert verdict.algebra is not None and verdict.algebra.is_different
