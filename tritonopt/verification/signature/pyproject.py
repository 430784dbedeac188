"""Arguments that are written in pyproject.toml, for launchers whose code does not say.

    [tool.tritonopt.verify.args]
    "kernels/softmax.py:softmax" = "x: f32[m, n]"
    "kernels/norm/*.py:layer_norm" = "x: f32|f16[m, n], w: f32[n], eps: 1e-5"

Paths are relative to the directory of the file, and may have `*`, `?` and `[...]`.
"""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt.verification.errors import VerificationError

NAME = "pyproject.toml"
TABLE = "tool.tritonopt.verify"


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    args: str
    place: str
    """Where it is written, for errors."""


def entry_for(file: Path, launchers: Iterable[str]) -> Entry | None:
    """The entry of the nearest pyproject.toml with a table that fits a launcher of the file."""
    for directory in file.resolve().parents:
        path = directory / NAME
        if not path.is_file():
            continue
        table = read(path)
        if table is not None:
            return select(table, path, file, launchers)
    return None


def read(path: Path) -> Mapping[str, Any] | None:
    """The table `tool.tritonopt.verify`; None where the file has none."""
    text = path.read_text(encoding="utf-8-sig")
    if "tritonopt" not in text:
        return None
    # Imported here: most projects write nothing about verification.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VerificationError(f"{path}: {error}") from None
    table = document.get("tool", {}).get("tritonopt", {}).get("verify")
    if table is not None and not isinstance(table, dict):
        raise VerificationError(f"{path}: [{TABLE}] must be a table")
    return table


def select(
    table: Mapping[str, Any], path: Path, file: Path, launchers: Iterable[str]
) -> Entry | None:
    """The last entry of the parsed table that fits; VerificationError for what means nothing."""
    for key in table:
        if key != "args":
            raise VerificationError(f"{path}: [{TABLE}] has no key `{key}`; there is `args`")
    entries = table.get("args", {})
    if not isinstance(entries, dict):
        raise VerificationError(f"{path}: write it as [{TABLE}.args], one entry for a launcher")
    try:
        inside = file.resolve().relative_to(path.resolve().parent).as_posix()
    except ValueError:
        return None
    found = None
    for key, args in entries.items():
        pattern, colon, launcher = key.rpartition(":")
        place = f'{path}: [{TABLE}.args], "{key}"'
        if not colon or not isinstance(args, str):
            raise VerificationError(
                f'{place}: write "path/to/kernel.py:launcher" = "x: f32[m, n], ..."'
            )
        if launcher in launchers and fnmatch.fnmatch(inside, pattern):
            found = Entry(args, place)
    return found
