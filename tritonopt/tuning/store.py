"""What was found before, so that nobody measures it again: one sqlite file, for many processes.

An entry is of one variant of one kernel, on calls of one class, on one kind of GPU, with one set of
versions; what was found is plain data. Writing waits for other processes. What cannot be read is
never overwritten: a file of a later version, or of somebody else, is an error that says so.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

VERSION = 1
"""Of the tables, as `PRAGMA user_version`."""
_APPLICATION = 0x74726F70
"""Says that a file of sqlite is one of these ("trop")."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""
_COLUMNS = ("kernel", "variant", "shape", "gpu", "versions")
_TABLE = f"""
CREATE TABLE entries (
    {", ".join(f"{column} TEXT NOT NULL" for column in _COLUMNS)},
    found TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY ({", ".join(_COLUMNS)})
) WITHOUT ROWID
"""


class StoreError(Exception):
    """The store cannot be read or written; the message says why, and what to do."""


@dataclass(frozen=True)
class Key:
    """What an entry is of."""

    kernel: str
    """The digest of its text and of what it calls, see `digest`."""
    variant: str
    shape: str
    """The class of calls."""
    gpu: str
    versions: str
    """Of all that has a part in what is measured: torch, Triton, the driver."""


def digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Store:
    """The entries of one file, which is made where it is missing. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path.parent}: cannot be made: {error.strerror}") from None
        with self._open() as file:
            file.execute("BEGIN IMMEDIATE")  # of two that make it, one waits
            if self._is_new(file):
                file.execute(f"PRAGMA application_id = {_APPLICATION}")
                file.execute(f"PRAGMA user_version = {VERSION}")
                file.execute(_TABLE)

    def get(self, key: Key) -> dict[str, Any] | None:
        """What was found, or None."""
        wanted = " AND ".join(f"{column} = ?" for column in _COLUMNS)
        with self._open() as file:
            row = file.execute(f"SELECT found FROM entries WHERE {wanted}", astuple(key)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, key: Key, found: Mapping[str, Any]) -> None:
        """Keep what was found, in place of what was known of it before."""
        self.put_all({key: found})

    def put_all(self, entries: Mapping[Key, Mapping[str, Any]]) -> None:
        """The same for several entries: all of them, or none."""
        marks = ", ".join("?" * (len(_COLUMNS) + 2))
        now = time.time()
        rows = [(*astuple(key), json.dumps(found), now) for key, found in entries.items()]
        with self._open() as file:
            file.executemany(f"INSERT OR REPLACE INTO entries VALUES ({marks})", rows)

    def of_kernel(self, kernel: str) -> dict[Key, dict[str, Any]]:
        """Everything that is known of a kernel, the oldest first."""
        columns = ", ".join(_COLUMNS)
        query = f"SELECT {columns}, found FROM entries WHERE kernel = ? ORDER BY at"
        with self._open() as file:
            return {Key(*row[:-1]): json.loads(row[-1]) for row in file.execute(query, (kernel,))}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The file, for one transaction: it is written as a whole, or not at all."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as file, file:
                yield file
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {_said(error)}") from None

    def _is_new(self, file: sqlite3.Connection) -> bool:
        (application,) = file.execute("PRAGMA application_id").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        (tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and not version:
            return True
        if application != _APPLICATION:
            raise StoreError(f"{self.path}: is another kind of database; give another file")
        if version != VERSION:
            raise StoreError(
                f"{self.path}: was written by another version of tritonopt (its tables are of "
                f"version {version}, these of {VERSION}): remove it, or name another file"
            )
        return False


def _said(error: sqlite3.Error) -> str:
    text = str(error)
    if "not a database" in text:
        return "is not a database; give another file"
    if "full" in text:
        return "cannot be written: the disk is full. What was found before is kept"
    if "readonly" in text or "unable to open" in text:
        return f"cannot be written: {text}"
    return text
