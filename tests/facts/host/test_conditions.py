"""Which condition a statement leaves behind, and what the condition is made of."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.facts.host.truths import checked, conjuncts


def known(statement: str) -> list[tuple[str, bool]]:
    module = source.read(f"import torch\n\n{statement}\n")
    found = checked(module, module.tree.body[-1])
    return [] if found is None else [(ast.unparse(p), holds) for p, holds in conjuncts(*found)]


@pytest.mark.parametrize(
    ("statement", "parts"),
    [
        ("assert a == b", [("a == b", True)]),
        ("assert a and not b, 'text'", [("a", True), ("b", False)]),
        ("assert a or b", []),
        ("assert not (a or b)", [("a", False), ("b", False)]),
        ("torch._check(a, lambda: 'text')", [("a", True)]),
        ("if a or not b:\n    print(a)\n    raise ValueError", [("a", False), ("b", True)]),
        ("if a and b:\n    raise ValueError", []),
        ("if a:\n    raise ValueError\nelse:\n    b()", [("a", False)]),
        ("if a:\n    b()", []),
        ("if a:\n    raise ValueError\n    b()", []),
        ("check(a)", []),
    ],
)
def test_what_is_known_behind_a_statement(statement: str, parts: list[tuple[str, bool]]) -> None:
    assert known(statement) == parts
