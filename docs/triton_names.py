"""Writes tritonopt/facts/triton_names.json: which names `triton.language` has, by version.

    python docs/triton_names.py WHEEL...    # of wheels or installed folders; others stay

Nothing is imported: the names are those that the files bind.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import zipfile
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "tritonopt" / "facts" / "triton_names.json"


def bound(text: str) -> set[str]:
    """The names that a module binds."""
    found: set[str] = set()
    for node in ast.parse(text).body:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found - {"__all__"}


def read(path: Path) -> tuple[str, dict[str, list[str]]]:
    """The version of a wheel or a folder `triton`, and its names by module."""
    if path.is_dir():
        files = {p.name: p.read_text("utf-8") for p in (path / "language").iterdir() if p.is_file()}
        own = (path / "__init__.py").read_text("utf-8")
        files.update((p.name, "") for p in (path / "language").iterdir() if p.is_dir())
    else:
        with zipfile.ZipFile(path) as wheel:
            inside = [n for n in wheel.namelist() if n.startswith("triton/language/")]
            names = {n.split("/")[2]: n for n in inside}
            files = {
                short: wheel.read(full).decode() if full.count("/") == 2 else ""
                for short, full in names.items()
            }
            own = wheel.read("triton/__init__.py").decode()
    version = re.search(r"__version__ = ['\"]([\d.]+)", own)
    assert version is not None, f"{path}: no version"
    modules = {name.removesuffix(".py") for name in files} - {"", "__init__", "__pycache__"}
    names = {"": bound(files["__init__.py"]) | modules, "math": bound(files["math.py"])}
    return version[1], {module: sorted(found) for module, found in names.items()}


def main() -> None:
    """Add what the arguments show to the table."""
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {}
    table.update(map(read, map(Path, sys.argv[1:])))
    ordered = sorted(table.items(), key=lambda item: [int(n) for n in item[0].split(".")])
    TABLE.write_text(json.dumps(dict(ordered), indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
