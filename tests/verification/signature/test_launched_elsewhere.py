"""Kernels that only functions of other files launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.layers import everything
from tritonopt.verification import Verdict, VerificationError, verify

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, value * 2, mask=at < n)


@triton.jit
def other_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)
"""
CALLS = """
import torch
import triton

from .kernels import twice_kernel as kernel


def twice(x):
    assert x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 16),)](x, y, x.numel(), BLOCK=16)
    return y


def unrelated(x):
    return x
"""
ABSENT = """
from .kernels import twice_kernel


def dispatched(x):
    raise RuntimeError("no implementation here")
    twice_kernel[(1,)](x, x, 1, BLOCK=16)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package_of_two"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "calls.py").write_text(CALLS)
    return folder


def _verified(package: Path, *change: str) -> Verdict:
    text = KERNELS.replace(*change) if change else KERNELS
    path = package / "kernels.py"
    return verify(path, path, text=text, backend="interpreter", max_examples=2)


def test_the_launcher_of_another_file_is_called_with_both_versions(package: Path) -> None:
    verdict = _verified(package, "value * 2", "value + value")
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert any(note.startswith("twice was called") for note in verdict.notes)
    verdict = _verified(package, "value * 2", "value * 3")
    assert verdict.verdict == "counterexample", verdict


def test_files_that_begin_with_a_byte_order_mark(package: Path) -> None:
    for file in package.glob("*.py"):
        file.write_text("\ufeff" + file.read_text(), encoding="utf-8")
    verdict = verify(
        package / "kernels.py", package / "kernels.py", backend="interpreter", max_examples=2
    )
    assert verdict.verdict == "identical", verdict


def test_what_nothing_there_launches_is_no_yes(package: Path) -> None:
    verdict = _verified(package, "1.0", "2.0")
    assert verdict.verdict == "unsupported", verdict
    assert "no verified call runs: `other_kernel`" in str(verdict.reason)


def test_two_programs_have_to_run_there_too(package: Path) -> None:
    calls = CALLS.replace("    y = torch", "    assert x.numel() <= 16\n    y = torch")
    (package / "calls.py").write_text(calls)
    verdict = _verified(package, "value * 2", "value + value")
    assert verdict.verdict == "unsupported" and "only one program" in str(verdict.reason), verdict


def test_nobody_launches_them(package: Path) -> None:
    (package / "calls.py").unlink()
    with pytest.raises(VerificationError, match="no function launches"):
        _verified(package, "value * 2", "value * 3")


def test_another_one_is_called_where_the_first_cannot_be(package: Path) -> None:
    (package / "absent.py").write_text(ABSENT)
    if everything():
        verdict = _verified(package, "value * 2", "value + value")
        assert verdict.verdict in ("identical", "equivalent"), verdict
        assert any(note.startswith("twice was called") for note in verdict.notes)
    verdict = _verified(package, "value * 2", "value * 3")
    assert verdict.verdict == "counterexample", verdict
    (package / "calls.py").unlink()
    with pytest.raises(VerificationError, match="`dispatched` cannot all be read"):
        _verified(package, "value * 2", "value * 3")
