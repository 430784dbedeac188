"""Kernels that no function of their own file launches: functions of the same package that do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tritonopt import source
from tritonopt.verification.signature.launchers import Launcher, Launchers


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
