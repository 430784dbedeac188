"""Files beside the given ones that this process read or looked for, and what it found.

A remembered result is right only as long as all of this is found again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

_found: dict[tuple[str, str], str] = {}
"""By what was looked for and the path: a digest, or whether it was there."""


def is_there(path: str | os.PathLike[str]) -> bool:
    """`os.path.exists`, remembered."""
    return _note("exists", path) == "yes"


def text_of(path: str | os.PathLike[str]) -> str | None:
    """The text of a file, None where it cannot be read as one; remembered."""
    _note("content", path)
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def found() -> dict[tuple[str, str], str]:
    """All that was looked for since the process began, with what was found."""
    return dict(_found)


def add(others: Mapping[tuple[str, str], str]) -> None:
    """Take in what another process found."""
    _found.update(others)


def still(found: Mapping[tuple[str, str], str]) -> bool:
    """Whether all of it would be found again."""
    return all(_now(*key) == value for key, value in found.items())


def _note(kind: str, path: str | os.PathLike[str]) -> str:
    key = (kind, os.path.abspath(path))
    _found[key] = _now(*key)
    return _found[key]


def _now(kind: str, path: str) -> str:
    if kind == "exists":
        return "yes" if os.path.exists(path) else "no"
    try:
        with open(path, "rb") as file:
            return hashlib.blake2b(file.read(), digest_size=20).hexdigest()
    except OSError:
        return ""
