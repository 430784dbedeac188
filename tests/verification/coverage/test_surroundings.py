"""What cannot be seen by running: a file that queries the device, and calls that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.layers import few
from tritonopt.verification import Verdict

DOUBLE = """
import os
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


def double(x: torch.Tensor):
    assert x.dim() < 9
    y = torch.empty_like(x)
    n = x.numel()
    double_kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""
_LAUNCH = "    double_kernel["
ASKING = {
    "variables": ("y = torch.empty_like(x)", "y = x + len(os.environ.get('CI', 'no'))"),
    "the kernel": (_LAUNCH, "    y += isinstance(double_kernel, triton.JITFunction)\n" + _LAUNCH),
    "on import": ("@triton.jit", "HERE = os.getenv('TRITON_INTERPRET')\n\n\n@triton.jit"),
}


@pytest.mark.parametrize("name", few(ASKING, 2))
def test_where_it_runs(name: str, of_texts: Callable[..., Verdict]) -> None:
    old, new = ASKING[name]
    given = {"args": "x: f32[n]", "max_examples": 1}
    verdict = of_texts(DOUBLE, DOUBLE.replace(old, new), **given)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "queries the device" in verdict.reason
    both = of_texts(DOUBLE.replace(old, new), DOUBLE.replace(old, new) + "\n", **given)
    assert both.verdict == "identical", both.reason


HELPER = """
def finish(y, n):
    return y{choice}
"""


@pytest.mark.parametrize(
    ("choice", "answer"),
    [(" if n <= 3000 else y / n", "unsupported"), (" * 1", "identical")],
    ids=["decides", "computes"],
)
def test_a_file_that_one_version_imports(
    tmp_path: Path, choice: str, answer: str, of_texts: Callable[..., Verdict]
) -> None:
    (tmp_path / "own_helper.py").write_text(HELPER.format(choice=choice))
    new = DOUBLE.replace("import os", "import own_helper").replace(
        "    return y", "    return own_helper.finish(y, n)"
    )
    verdict = of_texts(DOUBLE, new, args="x: f32[n]", max_examples=1)
    assert verdict.verdict == answer, verdict
    assert answer == "identical" or "`own_helper.py`" in str(verdict.reason)


def test_what_one_version_refuses_is_said(of_texts: Callable[..., Verdict]) -> None:
    bold = DOUBLE.replace("    assert x.dim() < 9\n", "")
    verdict = of_texts(DOUBLE, bold, args="x: f32[n]", max_examples=1)
    assert verdict.verdict == "identical", verdict.reason
    assert any("line 15 of the original version (assert x.dim() < 9)" in n for n in verdict.notes)
    torch_alone = DOUBLE.replace(_LAUNCH, "    return x * 2\n" + _LAUNCH)
    verdict = of_texts(DOUBLE, torch_alone, args="x: f32[n]", max_examples=1)
    assert "the rewritten version launched no kernel" in verdict.notes
