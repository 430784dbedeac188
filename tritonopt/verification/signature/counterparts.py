"""What of the rewritten file answers to the original's launchers, and what no launcher reaches."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


# Kernels that no function of their own file launches: functions of the same package that do.


def in_its_package(module: source.Module) -> source.Module:
    """The file as a part of its package, where nothing in it launches its kernels.

    Of the package only the files count that name it and one of its kernels.
    """
    if not module.kernels or Launchers(module).found:
        return module
    home = Path(module.path).resolve()
    names = "|".join(re.escape(kernel.name) for kernel in module.kernels)
    mentions = re.compile(rf"\b{re.escape(home.stem)}\b(?s:.*)\b(?:{names})\b")
    paths = [path for path in _package_of(home) if path != home and _matches(mentions, path)]
    if not paths:
        return module
    return source.read(module.text, module.path, source.Program([Path(module.path), *paths]))


def _package_of(path: Path) -> Iterator[Path]:
    """The files of the outermost package around a file; of its folder, where there is none."""
    top = path.parent
    if not (top / "__init__.py").is_file():
        return iter(sorted(top.glob("*.py")))
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    return iter(sorted(top.rglob("*.py")))


def _matches(mentions: re.Pattern[str], path: Path) -> bool:
    try:
        return bool(mentions.search(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return False


@dataclass(frozen=True)
class Elsewhere:
    """A function of another file."""

    launchers: Launchers
    """All of its file."""
    launcher: Launcher
    kernels: frozenset[str]
    """That it reaches."""


def launched_elsewhere(module: source.Module) -> list[list[Elsewhere]]:
    """Of the functions of other files as few as launch every kernel that any of them launches.

    Each with others that launch as much of what the ones before do not, for not all can be called
    everywhere. What takes few parameters comes first, for it is found out most easily how to call
    that.
    """
    names: dict[str, tuple[source.Module, dict[str, str]]] = {}
    for kernel in module.kernels:
        for launch in module.uses_elsewhere(kernel).launches:
            function = launch.call.func
            base = function.value if isinstance(function, ast.Subscript | ast.Attribute) else None
            if isinstance(base, ast.Name):
                other = names.setdefault(launch.module.path, (launch.module, {}))
                other[1][base.id] = kernel.name
    candidates = []
    for other_module, imported in names.values():
        launchers = Launchers(other_module, frozenset(imported))
        for launcher in launchers.outermost():
            reached = launchers.reached(launchers.definition_of(launcher))
            nodes = [launchers.definitions[name] for name in reached]
            used = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
            kernels = frozenset(imported[name] for name in used & imported.keys())
            candidates.append(Elsewhere(launchers, launcher, kernels))
    chosen: list[list[Elsewhere]] = []
    covered: frozenset[str] = frozenset()
    candidates.sort(key=lambda c: len(c.launcher.parameters))
    for candidate in candidates:
        new = candidate.kernels - covered
        if new:
            others = (c for c in candidates if c is not candidate and new <= c.kernels)
            chosen.append([candidate, *others])
            covered |= candidate.kernels
    return chosen
