"""What of the rewritten file answers to the original's launchers, and what no launcher reaches."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator

from tritonopt import source
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.launchers import (
    Launcher,
    Launchers,
    differing_definitions,
    method,
    statements,
)


def check_counterpart(launcher: Launcher, new: source.Module) -> None:
    """Raise VerificationError where the rewritten file cannot be called as the original is."""
    bound = set(_bound(new))
    if launcher.name not in bound and "*" not in bound:
        near = difflib.get_close_matches(launcher.name, bound, n=1)
        hint = f" Did you mean `{near[0]}`? " if near else " "
        raise VerificationError(
            f"{new.path}: there is no `{launcher.name}`, which is what is called of the original."
            f"{hint}Give it the original's name and parameters, or name a launcher that both "
            "files have with --launcher."
        )
    function = _function(launcher, new)
    if function is None:
        return
    other = Launcher(launcher.name, function, function, launcher.autograd, False)
    ours, theirs = _names(launcher), _names(other)
    added = [n for n in theirs[len(ours) :] if n not in other.defaults]
    # An autograd function is called by position, whatever the names are.
    same = len(theirs) >= len(ours) if launcher.by_position else theirs[: len(ours)] == ours
    if not same or added:
        raise VerificationError(
            f"{new.path}:{function.lineno}:{function.col_offset + 1}: `{launcher.name}` takes "
            f"({', '.join(theirs)}), and the original's takes ({', '.join(ours)}): who calls the "
            "one cannot call the other. Keep the parameters, their names and their order; new "
            "ones stand last and have a default."
        )


def left_out(old: Launchers, new: source.Module, verified: Iterable[str]) -> list[str]:
    """Kernels, and what launches some, that differ although nothing verified reaches them.

    Verified are launchers, or kernels, by their names.
    """
    others = Launchers(new)
    covered: set[str] = set()
    for name in verified:
        for launchers in (old, others):
            definition = launchers.aliases.get(name, name)
            if definition in launchers.definitions:
                covered |= launchers.reached(definition)
    # Of a kernel in a class it is the class.
    kernels = {k.qualname.partition(".")[0] for k in old.module.kernels}
    found = differing_definitions(old.module, new) & old.definitions.keys() - covered
    plain = ((n.partition("#")[0], n) for n in found)
    return sorted(name for name, n in plain if name in kernels or _launches(old, n))


def _launches(launchers: Launchers, name: str) -> bool:
    node = launchers.definitions[name]
    if isinstance(node, ast.FunctionDef) and name not in launchers.found:
        # A demonstration that brings its own inputs: what it shows is nobody's result.
        return False
    return bool(launchers.reached(name) & launchers.launching)


def _names(launcher: Launcher) -> list[str]:
    return [p.arg for p in launcher.parameters]


def _function(launcher: Launcher, new: source.Module) -> ast.FunctionDef | None:
    """The function whose parameters are the arguments, where the file shows it."""
    nodes = [n for n in statements(new.tree.body) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    found = [n for n in nodes if n.name == launcher.definition_name]
    if len(found) != 1:
        return None
    node = found[0]
    if isinstance(node, ast.ClassDef):
        return method(node, "forward") if launcher.autograd else None
    return None if launcher.autograd or node.args.vararg or node.args.kwarg else node


def _bound(module: source.Module) -> Iterator[str]:
    """Every name that a statement of the module gives a meaning; `*` for those of others."""
    for statement in statements(module.tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from ((a.asname or a.name).partition(".")[0] for a in statement.names)
        else:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
