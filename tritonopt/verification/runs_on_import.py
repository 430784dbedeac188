"""Statements of a file that try out its launchers as it is imported.

A script that ends in `print(test_softmax())` calls its launchers before anybody else can: on data
that nobody asked for, for as long as it takes, and where that fails there is no file to verify.
Such statements are left out, where nothing but their like rests on them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from tritonopt.source import Module
from tritonopt.source.trees import bound_in, walk

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Assert)


def left_out(old: Module, new: Module) -> dict[str, int]:
    """The texts of the statements that are left out of two versions, with the lines of the old one.

    What stands in one of them alone is a difference, and runs.
    """
    theirs = {new.text_of(statement) for statement in runs_on_import(new)}
    ours = {old.text_of(statement): statement.lineno for statement in runs_on_import(old)}
    return {text: line for text, line in ours.items() if text in theirs}


def notes_on(found: Mapping[str, int]) -> list[str]:
    """What a report says of them."""
    lines = [str(line) for line in found.values()]
    where = f"lines {', '.join(lines)}" if len(lines) > 1 else f"line {lines[0]}" if lines else ""
    said = "calls of launchers on import, skipped"
    return [f"{where}: {said}"] if lines else []


def runs_on_import(module: Module) -> list[ast.stmt]:
    """The statements at the top of a file that call its launchers, and those that read the results.

    None at all where something else reads them: a function, or a statement of another kind.
    """
    body, launching = module.tree.body, _launching(module)
    found: set[ast.stmt] = {
        s for s in body if isinstance(s, _SIMPLE) and not launching.isdisjoint(_called(s))
    }
    while True:
        bound = {name for statement in found for name in bound_in(statement)}
        reading = {s for s in body if s not in found and not bound.isdisjoint(_read(module, s))}
        if not all(isinstance(statement, _SIMPLE) for statement in reading):
            return []
        if not reading:
            return [statement for statement in body if statement in found]
        found |= reading


def runs_launchers(module: Module) -> bool:
    """Whether any statement at the top of a file calls its launchers where it stands."""
    launching, functions = _launching(module), (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    running = (s for s in module.tree.body if not isinstance(s, functions))
    return any(not launching.isdisjoint(_called(statement)) for statement in running)


def _launching(module: Module) -> set[str]:
    """The functions and classes at the top of a file that launch kernels, or call what does."""
    kernels = {kernel.name for kernel in module.kernels}
    calls = {
        statement.name: set(_called(statement))
        for statement in module.tree.body
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and statement.name not in kernels
    }
    found: set[str] = set()
    while True:
        more = {name for name, inside in calls.items() if inside & (found | kernels)} - found
        if not more:
            return found
        found |= more


def _called(statement: ast.stmt) -> Iterable[str]:
    """The names that are called: `f` in `f(x)`, `f.apply(x)` and `f[grid](x)`."""
    for call in walk(statement):
        if isinstance(call, ast.Call):
            root: ast.expr = call
            while isinstance(root, (ast.Call, ast.Attribute, ast.Subscript)):
                root = root.func if isinstance(root, ast.Call) else root.value
            if isinstance(root, ast.Name):
                yield root.id


def _read(module: Module, statement: ast.stmt) -> Iterable[str]:
    """The module's own names that a statement reads, in functions too."""
    scopes = module.names.scope_of
    for name in walk(statement):
        if not isinstance(name, ast.Name) or name not in scopes:
            continue
        if scopes[name].find(name.id) is module.names.module:
            yield name.id
