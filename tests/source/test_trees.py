"""Walking over trees: the nodes of `ast.walk`, in its order."""

from __future__ import annotations

import ast
from pathlib import Path

from tritonopt.source.trees import children, walk

MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


def test_it_is_what_ast_walks_without_contexts_and_operators() -> None:
    for path in (Path(__file__), *Path("passes").resolve().glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, MARKS)]


def test_children_are_those_of_ast_without_contexts_and_operators() -> None:
    for node in ast.walk(ast.parse("x[1:, -y] = not a < b < f(*c, d=e)")):
        expected = [child for child in ast.iter_child_nodes(node) if not isinstance(child, MARKS)]
        assert list(children(node)) == expected
