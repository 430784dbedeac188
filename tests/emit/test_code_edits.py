"""Code of expressions in which something is replaced, indexed, masked or passed besides."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.writing import NotExpressible
from tritonopt.source import apply


def edited(text: str, **edits: str) -> str:
    """The text with each name `x` replaced, and an argument added to each call of `f`."""
    module = source.read(text)
    made = CodeEdits(module)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == "x":
            for kind, code in edits.items():
                if kind != "added":
                    getattr(made, kind)[node] = code
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "f" and "added" in edits:
            made.added[node] = [edits["added"]]
    assert made
    return apply(module, list(made.changes(module.tree)))


@pytest.mark.parametrize(
    ("text", "edits", "written"),
    [
        ("a = x + 1\n", {"instead": "y"}, "a = y + 1\n"),
        ("a = x * 2\n", {"instead": "y + z"}, "a = (y + z) * 2\n"),
        ("a = x\n", {"behind": "[:, None]"}, "a = x[:, None]\n"),
        ("a = x\n", {"before": "m"}, "a = m & x\n"),
        ("a = f(x)\n", {"added": "k=3"}, "a = f(x, k=3)\n"),
        ("a = f(x,)\n", {"added": "k=3"}, "a = f(x, k=3,)\n"),
        ("a = f(x)\n", {"instead": "y", "added": "k=3"}, "a = f(y, k=3)\n"),
        ("a = f'{b}' + x\n", {"instead": "y"}, "a = f'{b}' + y\n"),
    ],
)
def test_edits(text: str, edits: dict[str, str], written: str) -> None:
    assert edited(text, **edits) == written


@pytest.mark.parametrize(
    ("text", "edits", "why"),
    [
        ("a = f'{x} rows'\n", {"instead": "y"}, "a string in line 1 holds what changes"),
        ("a = f(\n    x  # rows\n)\n", {"added": "k=3"}, "a comment is where k=3 would"),
    ],
)
def test_what_cannot_be_written(text: str, edits: dict[str, str], why: str) -> None:
    with pytest.raises(NotExpressible, match=why):
        edited(text, **edits)
