"""The vocabulary of operations: whatever is compared with one, or made, is declared."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from tritonopt.facts.algebra.form_rules import RULES
from tritonopt.facts.values import Op

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tritonopt/facts", "tritonopt/rewriting", "tritonopt/transforms", "passes")


def declared() -> set[str]:
    def leaves(alias: Any) -> Iterator[str]:
        for argument in get_args(alias):
            yield from (argument,) if isinstance(argument, str) else leaves(argument)

    return set(leaves(Op))


def is_operation(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "op"


def words(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def compared(tree: ast.AST) -> Iterator[str]:
    """The words that `value.op` is compared with, by `==`, `in` or `match`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(is_operation, sides)):
                for side in sides:
                    if isinstance(side, ast.Constant | ast.Tuple | ast.Set | ast.List):
                        yield from words(side)
        elif isinstance(node, ast.Match) and is_operation(node.subject):
            for case in node.cases:
                yield from words(case.pattern)


def test_every_operation_that_is_asked_for_is_declared() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = {word for path in paths for word in compared(ast.parse(path.read_text("utf-8")))}
    assert len(found) > 40, "the places are found"
    assert not found - declared()


def test_every_operation_is_explained() -> None:
    page = ast.get_docstring(ast.parse((ROOT / "tritonopt/facts/values.py").read_text("utf-8")))
    assert page is not None
    own = page.partition("Operations,")[2].replace(",", " ").split()
    operators = {"mul", "div", "floordiv", "mod", "pow", "and", "or", "xor", "shl", "shr"}
    operators |= {"neg", "pos", "invert", "not", "gt", "ge", "eq", "ne"}
    assert not {word for op in declared() - operators for word in op.split()} - set(own)


def test_what_has_no_form_is_known() -> None:
    assert declared() - set(RULES) == {"block_pointer", "opaque", "widened"}
