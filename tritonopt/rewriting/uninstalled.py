"""Passes that are written in the checkout and not installed, and what is to be done about one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tritonopt.source.parsing import parsed

FOLDER = Path(__file__).resolve().parent.parent / "passes"
"""The package of passes; in a checkout a link to the folder `passes` at its top."""

TABLE = '[project.entry-points."tritonopt.passes"]'
INSTALL = "run `pip install -e .` there"


def what_to_do(name: str) -> str:
    """`PATH:LINE:COLUMN: what is missing`; "" where no file of the checkout is to hold the pass."""
    folder = FOLDER.resolve()
    if not (folder.parent / "pyproject.toml").exists():
        return ""
    for path, found in _classes(folder):
        if _name_of(found) == name:
            place = f"{path}:{found.lineno}:{found.col_offset + 1}"
            entry = f'{name} = "tritonopt.passes.{path.stem}:{found.name}"'
            return f"{place}: {found.name} is not installed: {_missing(folder.parent, entry)}"
    path = folder / f"{name.replace('-', '_')}.py"
    if path.exists() and "_" not in name:
        return f'{path}:1:1: no class there says `name: ClassVar[str] = "{name}"`: name its pass so'
    return ""


def _missing(checkout: Path, entry: str) -> str:
    path = checkout / "pyproject.toml"
    if entry in path.read_text(encoding="utf-8").splitlines():
        return f"{path} names it, so {INSTALL}"
    return f"add `{entry}` below {TABLE} in {path}, and {INSTALL}"


def _classes(folder: Path) -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in sorted(folder.glob("*.py")):
        try:
            tree = parsed(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, SyntaxError):
            continue
        yield from ((path, node) for node in tree.body if isinstance(node, ast.ClassDef))


def _name_of(found: ast.ClassDef) -> str | None:
    """What a class calls itself, as a pass does."""
    for statement in found.body:
        match statement:
            case (
                ast.AnnAssign(target=ast.Name(id="name"), value=ast.Constant(value=str(said)))
                | ast.Assign(targets=[ast.Name(id="name")], value=ast.Constant(value=str(said)))
            ):
                return said
    return None
