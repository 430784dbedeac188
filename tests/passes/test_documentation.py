"""The example on a pass's manual page is what the pass really does."""

from __future__ import annotations

import inspect
import re
import textwrap

import pytest

from tritonopt import rewrite_source
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


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_the_example_is_real(name: str) -> None:
    page = inspect.getdoc(catalogue()[name]) or ""
    before, after = re.findall(r"```python\n(.*?)```", page.split("## Example")[1], re.DOTALL)[:2]
    result = rewrite_source(_kernel(before), passes=name)
    assert result.text == _kernel(after), [remark.message for remark in result.remarks]


def _kernel(example: str) -> str:
    """A file of the example, which is a whole kernel with its launcher or the body of one."""
    if example.startswith("@triton.jit"):
        return IMPORTS + example
    return IMPORTS + HEAD + textwrap.indent(example, "    ") + TAIL
