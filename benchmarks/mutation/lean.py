"""A copy of a package that imports of itself only what is asked for.

    PYTHONPATH=. python -m benchmarks.mutation.lean FOLDER/flag_gems COPY/flag_gems . ops fused

A library's `__init__` imports every operator. For one verification that is most of the time: both
versions of a file are imported as a part of their package, in processes of their own. In the copy
the `__init__` files of the named folders give the same names, each when somebody uses it, and run
nothing else. All other files are the same.
"""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path

_ON_DEMAND = '''
import importlib
import sys
import types


class _Package(types.ModuleType):
    """Gives names when they are used; a submodule does not hide a name that is imported."""

    def __setattr__(self, name, value):
        if name not in _IMPORTED or not isinstance(value, types.ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name):
        if name in _IMPORTED:
            source, original = _IMPORTED[name]
            module = importlib.import_module(source, __name__)
            value = None if module is self else getattr(module, original, None)
            if value is None:
                value = importlib.import_module(f"{module.__name__}.{original}")
        elif name in _ASSIGNED:
            value = eval(_ASSIGNED[name], {}, _Names())
        else:
            value = _from_star(name)
        self.__dict__[name] = value
        return value


class _Names(dict):
    def __missing__(self, name):
        return getattr(sys.modules[__name__], name)


def _from_star(name):
    if not name.startswith("_"):
        for module in _STARS:
            module = importlib.import_module(module, __name__)
            if name in getattr(module, "_IMPORTED", ()) or name in vars(module):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


sys.modules[__name__].__class__ = _Package
'''


def on_demand(text: str) -> str:
    """The text of an `__init__` that gives the names of this one."""
    imported: dict[str, tuple[str, str]] = {}
    assigned: dict[str, str] = {}
    stars = []
    for statement in ast.parse(text).body:
        match statement:
            case ast.ImportFrom(module=module, names=names, level=level):
                source = "." * level + (module or "")
                for alias in names:
                    if alias.name == "*":
                        stars.append(source)
                    else:
                        imported[alias.asname or alias.name] = source, alias.name
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned[name] = ast.unparse(value)
    tables = f"_IMPORTED = {imported!r}\n_ASSIGNED = {assigned!r}\n_STARS = {stars!r}\n"
    return tables + _ON_DEMAND


def copy(package: Path, to: Path, folders: list[str]) -> None:
    """Copy a package; the `__init__` files of these folders import on demand."""
    shutil.copytree(package, to, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in folders:
        init = to / folder / "__init__.py"
        init.write_text(on_demand(init.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
