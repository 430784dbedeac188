"""Which file is which module, as far as the paths of files show it.

A module is known by its place: the path without `.py` or `/__init__.py`, which for packages, with
or without an `__init__.py`, is their directory. Relative imports lead from place to place. Where
an absolute one begins depends on `sys.path`, which nobody knows here: a name is looked for above
the file that imports it, then among all packages that were given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cached_property

from tritonopt.source import looked_up

_INIT = "__init__"


class Layout:
    """The modules among some files, which are given by their real paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        for path in sorted(paths):
            place = place_of(path)
            # A package hides a module of its name.
            if place not in self._files or os.path.basename(path) == f"{_INIT}.py":
                self._files[place] = path
        self._packages: dict[str, bool] = {}

    def file(self, place: str) -> str | None:
        """The file of a module; None for one that was not given, or a directory without one."""
        return self._files.get(place)

    def holds(self, place: str) -> bool:
        """Whether something that was given stands there."""
        return place in self._files or place in self._directories

    def relative(self, level: int, path: str) -> str:
        """The package that `level` dots mean in a file."""
        place = os.path.dirname(path)
        for _ in range(level - 1):
            place = os.path.dirname(place)
        return place

    def absolute(self, name: str, path: str) -> tuple[tuple[str, ...], bool]:
        """The modules that a file may get for `import name`, and whether it surely gets one.

        None where it is nothing that was given.
        """
        candidates = self._by_name.get(name, [])
        if not candidates or name in sys.stdlib_module_names:
            return (), False
        home = os.path.dirname(path)
        own = self._top_package(path)
        if own in candidates:
            return (own,), True
        # What is inside of a package has its name in front, unless a script lies beside it.
        roots = [place for place in candidates if not self._is_package(os.path.dirname(place))]
        beside = [p for p in candidates if p not in roots and os.path.dirname(p) == home]
        above = [p for p in roots if _is_below(home, os.path.dirname(p))]
        for found in (
            [place for place in above if self._is_regular(place)],
            [place for place in roots if self._is_package(place)],
            above,
        ):
            if found:
                return (*found, *beside), len(found) + len(beside) == 1
        return (*roots, *beside), False

    def top(self, path: str) -> str:
        """The outermost package around a file, or its directory where there is none."""
        return self._top_package(path) or os.path.dirname(path)

    def _top_package(self, path: str) -> str:
        top, place = "", os.path.dirname(path)
        while self._is_package(place):
            top, place = place, os.path.dirname(place)
        return top

    def _is_regular(self, place: str) -> bool:
        return place in self._files or self._is_package(place)

    def _is_package(self, directory: str) -> bool:
        """Whether it has an `__init__.py`, given or not."""
        if directory not in self._packages:
            known = looked_up.is_there(os.path.join(directory, f"{_INIT}.py"))
            self._packages[directory] = known
        return self._packages[directory]

    @cached_property
    def _directories(self) -> frozenset[str]:
        found: set[str] = set()
        for place in self._files:
            above = os.path.dirname(place)
            while above not in found:
                found.add(above)
                above = os.path.dirname(above)
        return frozenset(found)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for place in sorted({*self._files, *self._directories}):
            found.setdefault(os.path.basename(place), []).append(place)
        return found


def place_of(path: str) -> str:
    """The place of the module that a file is."""
    directory, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return directory if stem == _INIT else os.path.join(directory, stem)


def _is_below(directory: str, above: str) -> bool:
    return directory == above or directory.startswith(above.rstrip(os.sep) + os.sep)
