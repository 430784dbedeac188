"""Statements that run in every program of a launch, whatever its arguments: known without a look.

What stands in a kernel itself, before anything that may end it, in no branch and in no loop that
could take no turn, runs wherever a program does. So do the functions of the file that it calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt.verification.coverage.text_differences import Body, Version

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda, ast.ListComp, ast.GeneratorExp)
"""Expressions of which a part may not be evaluated."""


def always_run(version: Version) -> dict[int, frozenset[str]]:
    """By line, the kernels of which every program runs the statement there.

    A kernel whose name several functions have is left out: of these, launches do not tell which.
    """
    functions = (n for n in ast.walk(version.module.tree) if isinstance(n, ast.FunctionDef))
    names = [function.name for function in functions]
    found: dict[int, frozenset[str]] = {}
    for body in version.bodies.values():
        name = body.node.name
        if names.count(name) == 1 and version.module.kernel(name) is not None:
            for line in _lines(version, body):
                found[line] = found.get(line, frozenset()) | {name}
    return found


def _lines(version: Version, kernel: Body) -> set[int]:
    found: set[int] = set()
    seen, waiting = {kernel.name}, [kernel]
    while waiting:
        for statement in _straight(waiting.pop().node.body):
            found.add(statement.lineno)
            for callee in _called(version, statement):
                if callee.name not in seen:
                    seen.add(callee.name)
                    waiting.append(callee)
    return found


def _straight(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that nothing keeps from running, once the block begins."""
    for statement in block:
        yield statement
        if isinstance(statement, ast.For) and _has_turns(statement.iter):
            yield from _straight(statement.body)
        if any(isinstance(node, _LEAVING) for node in ast.walk(statement)):
            # What stands in an inner loop may leave this one only; in doubt it leaves all.
            return


def _has_turns(iterable: ast.expr) -> bool:
    """Whether the text shows that a loop over it takes a turn."""
    if isinstance(iterable, (ast.Tuple, ast.List)):
        return bool(iterable.elts)
    if not isinstance(iterable, ast.Call) or iterable.keywords:
        return False
    name = ast.unparse(iterable.func).rpartition(".")[2]
    if name not in ("range", "static_range") or not 0 < len(iterable.args) < 4:
        return False
    values = [n.value for n in iterable.args if isinstance(n, ast.Constant)]
    numbers = [n for n in values if type(n) is int]
    return len(numbers) == len(iterable.args) and len(range(*numbers)) > 0


def _called(version: Version, statement: ast.stmt) -> Iterator[Body]:
    """The functions of the file that a statement calls in any case, those inside it left out."""
    waiting: list[ast.AST] = [
        part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)
    ]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _SOMETIMES):
            continue
        if isinstance(part, ast.Call):
            callees = version.called.get(ast.unparse(part.func), ())
            if len(callees) == 1:
                yield callees[0]
        waiting += ast.iter_child_nodes(part)
