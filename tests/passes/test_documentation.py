"""The example on a pass's manual page is what the pass really does."""

from __future__ import annotations

import inspect
import re
import textwrap

import pytest

from tritonopt import rewrite_source
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.protocol import Lint
from tritonopt.rewriting.registry import catalogue

IMPORTS = """\
import torch
import triton
import triton.language as tl


"""
HEAD = """\
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
"""
TAIL = "    tl.store(Y, var)\n"


LINTS = sorted(name for name, found in catalogue().items() if issubclass(found, Lint))


@pytest.mark.parametrize("name", sorted(set(catalogue()) - set(LINTS)))
def test_the_example_is_real(name: str) -> None:
    before, after = _examples(name)
    result = rewrite_source(_kernel(before), passes=name)
    assert result.text == _kernel(after), [remark.message for remark in result.remarks]


@pytest.mark.parametrize("name", LINTS)
def test_one_example_is_reported_and_the_other_is_not(name: str) -> None:
    wrong, right = _examples(name)
    assert [r.kind for r in rewrite_source(_kernel(wrong), passes=name).remarks] == [
        RemarkKind.ANALYSIS
    ]
    assert not rewrite_source(_kernel(right), passes=name).remarks


def _examples(name: str) -> list[str]:
    page = inspect.getdoc(catalogue()[name]) or ""
    return re.findall(r"```python\n(.*?)```", page.split("## Example")[1], re.DOTALL)[:2]


def _kernel(example: str) -> str:
    """A file of the example, which is a whole kernel with its launcher or the body of one."""
    if example.startswith("@triton."):
        return IMPORTS + example
    return IMPORTS + HEAD + textwrap.indent(example, "    ") + TAIL
