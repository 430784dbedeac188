"""Where a file shows how its launchers are called: commands that make such calls.

First those of the file itself: its `__main__` part, what a script runs as it stands there, its
tests. Then benchmarks and tests that stand where projects have them, and import it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tritonopt import source
from tritonopt.source.parsing import parsed
from tritonopt.verification.runs_on_import import runs_launchers

Command = tuple[str, ...]
_FOLDERS = ("", "test", "tests", "benchmark", "benchmarks")
"""Beside a file, and beside the packages that it is in."""
_NAMES = (
    *("bench_{}", "benchmark_{}", "{}_bench", "{}_benchmark"),
    *("test_{}", "{}_test", "tests_{}"),
)
"""Benchmarks first: tests are made of small sizes."""
_ROOT = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What stands in the folder of a project, above which nobody looks."""
_MOST_FOLDERS = 5


def commands_of(module: source.Module) -> Iterator[Command]:
    """What may make calls of the launchers of a file: the nearest first."""
    own = own_command(module)
    if own is not None:
        yield own
    path = Path(module.path).resolve()
    for beside in _beside(path):
        try:
            tree = parsed(beside.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError, SyntaxError):
            continue
        if _imports(tree, path.stem):
            is_tested = "test" in beside.stem and not _is_main(tree)
            yield _tests(str(beside)) if is_tested else (sys.executable, str(beside))


def own_command(module: source.Module) -> Command | None:
    """What runs the launches that the file itself has."""
    if _is_main(module.tree) or runs_launchers(module):
        return sys.executable, module.path
    if any(isinstance(s, ast.FunctionDef) and s.name.startswith("test") for s in module.tree.body):
        return _tests(module.path)
    return None


def _tests(path: str) -> Command:
    return sys.executable, "-m", "pytest", "-q", path


def _is_main(tree: ast.Module) -> bool:
    return any(isinstance(s, ast.If) and "__main__" in ast.unparse(s.test) for s in tree.body)


def _beside(path: Path) -> list[Path]:
    """Files of benchmarks and tests that are named after this one."""
    folders = list(_folders(path.parent))
    places = [f / f"{name.format(path.stem)}.py" for name in _NAMES for f in folders]
    return [place for place in places if place != path and place.is_file()]


def _folders(folder: Path) -> Iterator[Path]:
    for _ in range(_MOST_FOLDERS):
        yield from (folder / name for name in _FOLDERS)
        if folder == folder.parent or any((folder / name).exists() for name in _ROOT):
            return
        folder = folder.parent


def _imports(tree: ast.Module, name: str) -> bool:
    """Whether it imports a module of this name, from wherever."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(alias.name for alias in node.names)]
        else:
            continue
        if any(name == each.rpartition(".")[2] for each in names):
            return True
    return False
