"""Executing one version of a file *as* the original's module.

The module gets the original's name, package, `__file__` and entry in
`sys.modules`, so relative imports, registered operators and package
`__init__` files that import it all meet this version and no other.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import re
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from tritonopt.source.parsing import parsed

Prepare = Callable[[str], str | ast.Module]


@dataclass(frozen=True)
class ModuleName:
    name: str
    root: Path
    """The directory that has to be on sys.path for the name to mean the file."""


def name_of(path: Path, text: str) -> ModuleName:
    """The dotted name under which a file is imported, from the packages around it."""
    path = path.resolve()
    # `norm.v2.py` is imported by no name at all, and is no module `v2` of a package.
    stem = path.stem if path.stem.isidentifier() else f"_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}"
    parts = [] if path.name == "__init__.py" else [stem]
    folder = path.parent
    levels = _relative_levels(text)
    while (folder / "__init__.py").is_file() or levels > 0:
        if folder == folder.parent:
            break
        parts.insert(0, folder.name)
        folder = folder.parent
        levels -= 1
    name = ".".join(parts)
    if "." not in name and _is_taken(name, folder):
        # `softmax.py` is a fine name for a kernel file; `random.py` would hide the library's.
        name = f"_tritonopt_subject_{name}"
    return ModuleName(name, folder)


def _relative_levels(text: str) -> int:
    """How many packages up the relative imports reach (namespace packages have no __init__)."""
    nodes = (n for n in ast.walk(parsed(text)) if isinstance(n, ast.ImportFrom))
    return max((n.level for n in nodes), default=0)


def _is_taken(name: str, folder: Path) -> bool:
    if name in sys.modules or name in sys.builtin_module_names or not name.isidentifier():
        return True
    spec = importlib.machinery.PathFinder.find_spec(
        name, [p for p in sys.path if p and Path(p).resolve() != folder]
    )
    return spec is not None and spec.origin is not None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds exactly one module, and executes the given text for it."""

    def __init__(
        self,
        name: str,
        path: Path,
        text: str,
        text_path: str,
        prepare: Prepare,
        left_out: Collection[str],
    ) -> None:
        self.prepare = prepare
        self.left_out = left_out
        self.name = name
        self.path = path
        self.text = text
        self.text_path = text_path

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        is_package = self.path.name == "__init__.py"
        spec = importlib.util.spec_from_loader(fullname, self, is_package=is_package)
        assert spec is not None
        spec.origin = str(self.path)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [str(self.path.parent)]
        return spec

    def is_package(self, fullname: str) -> bool:
        return self.path.name == "__init__.py"

    def get_source(self, fullname: str) -> str:
        return self.text

    def get_code(self, fullname: str) -> CodeType:
        # Triton reads the source of a kernel again through `inspect`; the code
        # objects therefore name the file that this text stands in.
        pin_source(self.text_path, self.text)
        code = self.prepare(self.text)
        if self.left_out:
            tree = parsed(code) if isinstance(code, str) else code
            body = (s for s in tree.body if self._text_of(s) not in self.left_out)
            code = ast.Module([*body], [])
        return compile(code, self.text_path, "exec", dont_inherit=True)

    def _text_of(self, statement: ast.stmt) -> str | None:
        return ast.get_source_segment(self.text, statement)


def import_what_is_read(text: str, package: str = "torch") -> None:
    """Modules of a package that a file reads as its attributes: `torch.distributed.tensor`.

    Some are loaded by whoever imports them first, which in a program is mostly another file.
    """
    for node in ast.walk(parsed(text)):
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if name.startswith(f"{package}.") and all(map(str.isidentifier, name.split("."))):
            with contextlib.suppress(Exception):
                if importlib.util.find_spec(name) is not None:
                    importlib.import_module(name)


def pin_source(path: str, text: str) -> None:
    """Let `inspect` see this text under a path, whatever becomes of the file meanwhile."""
    # Lines as Python counts them: `str.splitlines` ends one at a form feed too.
    lines = io.StringIO(text, newline=None).readlines()
    linecache.cache[path] = (len(text), None, lines, path)


def imported(path: Path) -> ModuleType:
    """Another file of the package, as it stands there; it may import the one that was loaded."""
    found = name_of(path, path.read_text(encoding="utf-8-sig"))
    if str(found.root) not in sys.path:
        sys.path.insert(0, str(found.root))
    return importlib.import_module(found.name)


def own_root(path: Path, text: str, text_path: str) -> str:
    """Where a version that stands in another folder than the original has its own neighbors.

    Nothing where that is no package, although the original's folder is one.
    """
    path, other = path.resolve(), Path(text_path).resolve()
    if not other.is_file() or other.parent == path.parent:
        return ""
    levels = len(path.parent.parts) - len(name_of(path, text).root.parts)
    folder = other.parent
    for _ in range(levels):
        if not (folder / "__init__.py").is_file():
            return ""
        folder = folder.parent
    return str(folder)


def load(
    path: Path,
    text: str,
    text_path: str,
    prepare: Prepare = lambda text: text,
    left_out: Collection[str] = (),
) -> ModuleType:
    """Execute the text as the module; `prepare` gives what is compiled in its place.

    The statements at the top whose text is in `left_out` do not run.
    """
    path = path.resolve()
    found = name_of(path, text)
    root = str(found.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    own = own_root(path, text, text_path)
    if own and own not in sys.path:
        # What it imports from beside it is its own; what is not there, the original's.
        sys.path.insert(0, own)
    sys.meta_path.insert(0, _Finder(found.name, path, text, text_path, prepare, left_out))
    return importlib.import_module(found.name)


def forget_triton() -> None:
    """Let Triton be imported anew, whose own functions were imported to be interpreted."""
    for name in [*sys.modules]:
        if name.partition(".")[0] == "triton" and not name.startswith("triton._C"):
            del sys.modules[name]


def unload(module: ModuleType) -> None:
    """Let another text be loaded as the same module; hooks of others stay."""
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if not (isinstance(finder, _Finder) and finder.name == module.__name__)
    ]
    sys.modules.pop(module.__name__, None)
