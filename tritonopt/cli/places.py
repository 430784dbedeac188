"""Where a path goes, a kernel or a line of the file may follow: `FILE:KERNEL`, `FILE:LINE`."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tritonopt.rewriting.focus import Focus
    from tritonopt.source import Module

STDIN = "-"

_SUFFIXES = (".py", ".pyi", ".ipynb")
_NUMBER = re.compile(r"[0-9]{1,18}")


class PlaceError(ValueError):
    """What was given is no place; the message says why."""


@dataclass(frozen=True)
class Place:
    """A path, and what of it is meant; all of it where that is None."""

    path: str
    focus: Focus | None = None
    stdin: bool = False
    """Whether the text comes from there, and the path is only what it is called."""


def place(text: str, stdin_filename: str | None = None) -> Place:
    """What an argument of the command line stands for.

    A path that exists is itself, whatever colons it has: `C:\\kernels\\norm.py`. Of another one
    the part behind the last colon is a line or a kernel, if what is before is there. As editors
    and our own remarks have it, a column may stand behind a line. Raises PlaceError.
    """
    if text == STDIN:
        return replace(_split(stdin_filename or STDIN, _may_be_a_file), stdin=True)
    return _split(text, os.path.lexists)  # of a link that leads nowhere, reading it says so


def _may_be_a_file(path: str) -> bool:
    return path.endswith(_SUFFIXES)


def _split(text: str, exists: Callable[[str], bool]) -> Place:
    path, colon, part = text.rpartition(":")
    if not colon or exists(text):
        return Place(text)
    if _NUMBER.fullmatch(part):
        before, second, line = path.rpartition(":")
        if second and _NUMBER.fullmatch(line) and exists(before) and not exists(path):
            path, part = before, line
    if not exists(path):
        named = path.endswith(_SUFFIXES) and "/" not in part and "\\" not in part
        raise PlaceError(f"{path if named else text}: does not exist")
    if os.path.isdir(path):
        raise PlaceError(f"{text}: {path} is a directory; name a file of it, as in FILE.py:{part}")
    if not part:
        raise PlaceError(f"{text}: give a kernel or line, as in {path}:12")
    # Imported here: most runs name none.
    from tritonopt.rewriting.focus import Focus

    if _NUMBER.fullmatch(part):
        return Place(path, Focus(lines=frozenset({int(part)})))
    return Place(path, Focus(kernels=frozenset({part})))


def read_place(given: Place) -> Module:
    """The file, in which what is meant was found. Raises SourceError."""
    if given.stdin:
        file = source.decoded(Path(given.path), sys.stdin.buffer.read())
    else:
        file = source.read_file(Path(given.path))
    module = source.read(file.text, given.path)
    if given.focus is not None:
        given.focus.check(module)
    return module
