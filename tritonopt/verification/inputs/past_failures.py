"""Failures that were found before, kept for the next time: they are tried first."""

from __future__ import annotations

import hashlib
import os

from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from tritonopt.cache_directory import VARIABLE, cache_directory


def past_failures() -> ExampleDatabase | None:
    """The database, in the user's cache directory; none without one, or where the variable is
    empty."""
    if os.environ.get(VARIABLE) == "":
        return None
    try:
        folder = cache_directory() / "failures"
    except RuntimeError:
        return None
    return DirectoryBasedExampleDatabase(folder)


def key_of(*parts: object) -> bytes:
    """The key of what is verified: the same parts find the same failures again."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
