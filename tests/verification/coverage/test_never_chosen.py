"""Branches that no launch of the file leads to cannot run, and need not have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.never_chosen import never_chosen

BY_A_CODE = """import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, y_ptr, n, CODE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n)
    if CODE == 0:
        y = 2.0 * x
    elif CODE == 1:
        y = (2.0 * x.to(tl.float32)).to(tl.float16)
    else:
        y = x
    tl.store(y_ptr + cols, y, mask=cols < n)

def code_of(dtype):
    if dtype == torch.float32:
        return 0
    if dtype == torch.float16:
        return 1
    raise ValueError(f"unexpected: {dtype}")

def launch(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    code = code_of(x.dtype)
    kernel[(triton.cdiv(n, 16),)](x, y, n, CODE=code, BLOCK=16)
    return y
"""
BY_A_TABLE = BY_A_CODE.replace(
    "code_of(x.dtype)", "{torch.float32: 0, torch.float16: 1}[x.dtype]"
).replace("def code_of", "def another_code_of")
LAST = 14


def _dead(text: str) -> frozenset[int]:
    return never_chosen(source.read(text, "a.py").kernels[0])


def test_what_a_function_or_a_table_returns_settles_a_test() -> None:
    assert _dead(BY_A_CODE) == {LAST}
    assert _dead(BY_A_TABLE) == {LAST}
    local = BY_A_CODE.replace("code = code_of(x.dtype)", "code = 0 if n > 5 else 1")
    assert _dead(local) == {LAST}
    assert _dead(BY_A_CODE.replace("code_of(x.dtype)", "0")) == {11, 12, LAST}
    assert _dead(BY_A_CODE.replace("CODE=code, ", "").replace("CODE: tl.constexpr, BLOCK: tl.con"
        "stexpr", "BLOCK: tl.constexpr, CODE: tl.constexpr = 0")) == {11, 12, LAST}  # fmt: skip


def test_a_number_of_the_module_settles_a_test() -> None:
    named = BY_A_CODE.replace("code_of(x.dtype)", "CODE_OF_ALL").replace(
        "def launch", "CODE_OF_ALL = 1\n\ndef launch")  # fmt: skip
    assert _dead(named) == {10, LAST}
    assert not _dead(named.replace("def launch", "CODE_OF_ALL += 1\n\ndef launch"))
    assert not _dead(named + "\ndef other():\n    global CODE_OF_ALL\n    CODE_OF_ALL = 2\n")
    assert not _dead(named + "\nfrom .codes import *\n")
    assert not _dead(named + "\ndef other():\n    globals()['CODE_OF_ALL'] = 2\n")


UNKNOWN = {
    "a value that falls through": ("    raise ValueError(f\"unexpected: {dtype}\")\n", ""),
    "another value": ("        return 1\n", "        return 1\n    return 2\n"),
    "what a caller says": ("code = code_of(x.dtype)", "code = n % 3"),
    "a name bound in a loop": (
        "    code = code_of(x.dtype)", "    code = 0\n    for code in range(n):\n        pass"
    ),
    "a function that is replaced": ("def launch", "code_of = print\n\ndef launch"),
    "a name bound in the kernel": ("    if CODE == 0", "    CODE = n\n    if CODE == 0"),
    "another launch": (
        "    return y\n", "    kernel[(1,)](x, y, n, CODE=n, BLOCK=16)\n    return y\n"
    ),
    "a kernel that is passed on": ("    return y\n", "    register(kernel)\n    return y\n"),
    "a parameter that is no constant": ("CODE: tl.constexpr, BLOCK", "CODE, BLOCK"),
    "a function of the same name around the launch": (
        "def launch(x: torch.Tensor):\n",
        "def made(code_of):\n  def launch(x: torch.Tensor):\n    code = code_of(x.dtype)\n"
        "    kernel[(1,)](x, x, 1, CODE=code, BLOCK=16)\n\ndef launch(x: torch.Tensor):\n",
    ),
    "a function that a branch defines again": (
        "def launch", "if torch.cuda.is_available():\n    def code_of(dtype):\n        return 2\n\n"
        "def launch"
    ),
    "a function that a star import brings": ("def launch", "from .codes import *\n\ndef launch"),
    "a function that is replaced by its name in a text": (
        "def launch", "globals()['code_of'] = print\n\ndef launch"
    ),
    "a name that is imported in a branch": (
        "    code = code_of(x.dtype)",
        "    code = 0\n    if n > 3:\n        from .codes import code"
    ),
    "a name of an error": (
        "    code = code_of(x.dtype)",
        "    code = 0\n    try:\n        pass\n    except ValueError as code:\n        pass"
    ),
    "a function with the name of Python's own": (
        "    code = code_of(x.dtype)\n", "    bool = print\n    code = bool(n)\n"
    ),
    "a default among arguments that are packed": (
        "code_of(x.dtype)", "{torch.float32: 0, torch.float16: 1}.get(*given)"
    ),
    "a heuristic": (
        "@triton.jit", "@triton.heuristics({'CODE': lambda a: a['n'] % 3})\n@triton.jit"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_where_it_is_not_known_what_is_passed_nothing_is_settled(name: str) -> None:
    old, new = UNKNOWN[name]
    assert old in BY_A_CODE
    assert not _dead(BY_A_CODE.replace(old, new))


def test_a_table_that_is_changed_settles_nothing() -> None:
    changed = BY_A_TABLE.replace(
        "code = {torch.float32: 0, torch.float16: 1}[x.dtype]",
        "codes = {torch.float32: 0, torch.float16: 1}\n    code = codes[x.dtype]",
    )
    assert _dead(changed) == {LAST}
    assert not _dead(
        changed.replace("    code = codes", "    codes.update(more)\n    code = codes")
    )
    assert not _dead(changed.replace("    code = codes", "    codes[n] = 2\n    code = codes"))


def test_a_branch_that_cannot_run_is_a_note(of_texts: Callable[..., Verdict]) -> None:
    renamed = BY_A_CODE.replace("x = tl.load", "z = tl.load").replace("x)", "z)").replace(
        "* x", "* z").replace("y = x\n", "y = z\n").replace("x.to(tl", "z.to(tl")  # fmt: skip
    renamed = renamed.replace("torch.empty_like(z)", "torch.empty_like(x)")
    if everything():
        verdict = of_texts(BY_A_CODE, renamed)
        assert verdict.verdict == "identical", verdict.reason
        assert any("line 14 of the original version never ran" in n for n in verdict.notes)
    # One that a launch leads to has to run.
    more = [t.replace("    return 1\n", "    return 1\n    if dtype == torch.complex128:\n"
            "        return 2\n") for t in (BY_A_CODE, renamed)]  # fmt: skip
    verdict = of_texts(*more, max_examples=2)
    assert verdict.verdict == "unsupported"
    assert "line 14 of the original version never ran" in (verdict.reason or "")
