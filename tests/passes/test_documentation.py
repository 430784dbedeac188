"""The example on a pass's manual page is what the pass really does."""

from __future__ import annotations

import inspect
import re
import textwrap

import pytest

from tritonopt import rewrite_source
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.protocol import Lint
from tritonopt.rewriting.registry import catalog

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


LINTS = sorted(
    name for name, found in catalog().items() if issubclass(found, Lint) and not found.fixes
)


@pytest.mark.parametrize("name", sorted(set(catalog()) - set(LINTS)))
def test_the_example_is_real(name: str) -> None:
    before, after = examples_of(page_of(name))
    result = rewrite_source(kernel_file(before), passes=name)
    assert result.text == kernel_file(after), [remark.message for remark in result.remarks]


@pytest.mark.parametrize("name", LINTS)
def test_one_example_is_reported_and_the_other_is_not(name: str) -> None:
    wrong, right = examples_of(page_of(name))
    assert [r.kind for r in rewrite_source(kernel_file(wrong), passes=name).remarks] == [
        RemarkKind.ANALYSIS
    ]
    assert not rewrite_source(kernel_file(right), passes=name).remarks


def page_of(name: str) -> str:
    return inspect.getdoc(catalog()[name]) or ""


def examples_of(page: str) -> list[str]:
    assert "## Example" in page, "heading `## Example` is missing"
    return re.findall(r"```python\n(.*?)```", page.split("## Example")[1], re.DOTALL)[:2]


def kernel_file(example: str) -> str:
    """A file of the example, which is a whole kernel with its launcher or the body of one."""
    if example.startswith("@triton."):
        return IMPORTS + example
    return IMPORTS + HEAD + textwrap.indent(example, "    ") + TAIL
