"""Helpers that have to do with block pointers, and are used by other files."""

from __future__ import annotations

from pathlib import Path

from tritonopt import source
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import RewriteResult, rewrite_source

HEAD = "import triton\nimport triton.language as tl\n"
GETS = """
@triton.jit
def helper(block):
    return tl.load(block, boundary_check=(0,))
"""
RETURNS = """
@triton.jit
def helper(X, n, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
"""
HANDS = """
@triton.jit
def {name}(X, n, B: tl.constexpr):
    block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    tl.store(block, helper(block), boundary_check=(0,))
"""
CALLS = """
@triton.jit
def {name}(X, n, B: tl.constexpr):
    block = helper(X, n, B)
    tl.store(block, tl.load(block, boundary_check=(0,)), boundary_check=(0,))
"""


def rewritten(tmp_path: Path, first: str, other: str) -> list[RewriteResult]:
    """Both files, each as part of one program."""
    texts = {"first.py": HEAD + first, "other.py": HEAD + other}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    program = source.Program(tuple(source.find_python_files([tmp_path])))
    return [
        rewrite_source(text, "block-pointer", path=str(tmp_path / name), program=program)
        for name, text in texts.items()
    ]


def reasons(result: RewriteResult) -> set[str]:
    return {r.reason for r in result.remarks if r.kind is RemarkKind.MISSED}


def test_a_helper_of_another_file_stays_as_it_is(tmp_path: Path) -> None:
    for helper, calls in ((GETS, HANDS), (RETURNS, CALLS)):
        kernels = "from first import helper\n" + calls.format(name="kernel")
        first, other = rewritten(tmp_path, helper, kernels)
        assert not first.changed and not other.changed
        assert reasons(other) <= {"block-pointer-is-lost"}
        assert reasons(other)


def test_a_helper_that_another_file_calls_stays_as_it_is(tmp_path: Path) -> None:
    for helper, calls in ((GETS, HANDS), (RETURNS, CALLS)):
        kernels = "from first import helper\n" + calls.format(name="kernel")
        first, _ = rewritten(tmp_path, helper + calls.format(name="own"), kernels)
        assert not first.changed
        assert reasons(first) <= {"block-pointer-is-lost"}


def test_a_helper_that_another_file_does_not_touch_changes(tmp_path: Path) -> None:
    for helper, calls in ((GETS, HANDS), (RETURNS, CALLS)):
        first, _ = rewritten(tmp_path, helper + calls.format(name="own"), "other = 1\n")
        assert "block_ptr" not in first.text and not reasons(first)
