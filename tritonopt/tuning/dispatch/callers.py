"""What else runs the code that a variant changes: nobody verified that, and nobody measured it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt import source
from tritonopt.source.decorators import AUTOTUNE
from tritonopt.source.launches import Elsewhere
from tritonopt.source.project.meanings import Defined
from tritonopt.verification.signature.launchers import (
    Launchers,
    differing_definitions,
    statements,
)

_NO_CALL = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def other_callers(
    old: source.Module, new: source.Module, launcher: str, program: source.Program | None
) -> Iterator[tuple[str, str]]:
    """Functions that differ and that something beside the launcher runs, each with what does.

    A kernel is none of them: it can have a copy. Neither is the launcher, which is verified itself.
    """
    launchers = Launchers.of(old)
    own = launchers.definition_of(launchers.named(launcher))
    kernels = {kernel.name for kernel in old.kernels}
    mine = launchers.reached(own)
    for name in sorted((differing_definitions(old, new) & mine) - kernels - {own}):
        for other, node in launchers.definitions.items():
            if other not in mine and name in _reached(launchers, node, own):
                yield name, f"`{other}`"
        for statement in _run_on_import(old):
            if name in _reached(launchers, statement, own) or name in _exported(statement):
                yield name, f"line {statement.lineno}"
        if program is not None:
            yield from ((name, file) for file in _files_with(program, old.real_path, name))


def kernels_used_elsewhere(
    old: source.Module, new: source.Module, launcher: str, program: source.Program | None
) -> frozenset[str]:
    """Kernels that differ and that another file of the program uses.

    And those that have other numbers where a launch gives none, which something else of the file
    launches: a pass leaves what a kernel does for it, and another tile may not.
    """
    differing = differing_definitions(old, new)
    found: set[str] = set()
    if program is not None:
        home = source.read(old.text, old.path, program)
        found = {k.name for k in home.kernels if home.uses_elsewhere(k) != Elsewhere()}
    launchers = Launchers.of(old)
    own = launchers.definition_of(launchers.named(launcher))
    mine = launchers.reached(own)
    others = [node for name, node in launchers.definitions.items() if name not in mine]
    run = set().union(*(_reached(launchers, n, own) for n in (*others, *_run_on_import(old))))
    numbers = {kernel.name: _numbers(kernel) for kernel in new.kernels}
    for kernel in old.kernels:
        after = numbers.get(kernel.name, {})
        changed = any(
            after.get(name, number) != number for name, number in _numbers(kernel).items()
        )
        if changed and kernel.name in run:
            found.add(kernel.name)
    return frozenset(found & differing)


def _numbers(kernel: source.Kernel) -> dict[str, str]:
    """What a kernel is launched with where a launch does not say it: defaults, and what a tuner
    has."""
    found = {p.name: ast.dump(p.default) for p in kernel.parameters if p.default is not None}
    tuners = zip(kernel.decorators, kernel.node.decorator_list, strict=True)
    return found | {name: ast.dump(node) for name, node in tuners if name == AUTOTUNE}


def _reached(launchers: Launchers, node: ast.AST, end: str) -> set[str]:
    """What runs where a piece of code does, without what one definition runs."""
    found: set[str] = set()
    waiting = [*launchers.references(node)]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            if at != end:
                waiting += launchers.references(launchers.definitions[at])
    return found


def _run_on_import(module: source.Module) -> Iterator[ast.stmt]:
    """Statements of the module itself, but for definitions and other names for them."""
    for statement in statements(module.tree.body):
        match statement:
            case ast.If() | ast.Try() | ast.Assign(value=ast.Name() | ast.Attribute()):
                continue  # what stands in a branch comes by itself
            case _ if not isinstance(statement, _NO_CALL):
                yield statement


def _exported(statement: ast.stmt) -> set[str]:
    """The names in an `__all__`."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
        return set()
    return {str(n.value) for n in ast.walk(statement) if isinstance(n, ast.Constant)}


def _files_with(program: source.Program, path: str, name: str) -> Iterator[str]:
    """Other files that may get a function of this one."""
    function, mentions = Defined(path, name), program.mentions
    for other in sorted({*mentions.imported(name), *mentions.below_star(name)} - {path}):
        imported = program.imported(name, other)
        if imported is None or function in imported:
            yield program.shown(other)
    for other in sorted({*mentions.attribute(name)} - {path}):
        module = program.module(other)
        read = () if module is None else module.mentioning(name)
        if module is not None and any(
            isinstance(each, ast.Attribute) and function in program.meaning(each, module).targets
            for each in read
        ):
            yield program.shown(other)
