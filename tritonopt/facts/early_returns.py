"""Helpers that may return before their end, for a reason that is known at run time only.

Triton compiles a call of such a function, for which the function becomes several blocks of code,
but not where the call stands in a loop or under a condition at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tritonopt.facts.program_ids import callees
from tritonopt.source import Kernel
from tritonopt.source.trees import walk


def returning_early(kernel: Kernel, statements: Iterable[ast.stmt]) -> ast.Call | None:
    """A call in some statements of a kernel that reaches such a helper, directly or not."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                reached = callees(kernel, node)
                for helper in reached:  # it grows meanwhile
                    if any(map(_is_left_early, _decisions(helper))):
                        return node
                    calls = (n for n in helper.nodes if isinstance(n, ast.Call))
                    named = (inner for call in calls for inner in callees(helper, call))
                    reached += [inner for inner in named if inner not in reached]
    return None


def _decisions(helper: Kernel) -> list[ast.If]:
    """The conditions in a helper that the compiler does not decide, as far as names show it."""
    taken = {p.name for p in helper.parameters if not p.constexpr}
    bound = {n.id for n in helper.nodes if isinstance(n, ast.Name) and _is_bound(n)}
    return [
        node
        for node in helper.nodes
        if isinstance(node, ast.If) and not _asks_for_none(node.test)
        if any(isinstance(n, ast.Name) and n.id in taken | bound for n in walk(node.test))
        or any(isinstance(n, ast.Call) for n in walk(node.test))
    ]


def _is_bound(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _asks_for_none(test: ast.expr) -> bool:
    """`x is None`, which is known of every argument."""
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def _is_left_early(decision: ast.If) -> bool:
    return any(isinstance(node, ast.Return) for node in walk(decision))
