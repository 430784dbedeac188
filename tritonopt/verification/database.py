"""Failures that were found before, kept for the next time: they are tried first."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

VARIABLE = "TRITONOPT_CACHE_DIR"
"""Where to keep them instead; empty for nowhere."""


def past_failures() -> ExampleDatabase | None:
    """The database, in the user's cache directory."""
    folder = os.environ.get(VARIABLE)
    if folder == "":
        return None
    base = Path(folder) if folder else _cache() / "tritonopt"
    return DirectoryBasedExampleDatabase(base / "failures")


def key_of(*parts: object) -> bytes:
    """The key of what is verified: the same parts find the same failures again."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def _cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home()))
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
