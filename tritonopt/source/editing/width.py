"""How long a line of a file may be."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tritonopt.source import looked_up
from tritonopt.source.module import Module

_DEFAULT = 88
"""What formatters take where nobody says."""

_FORMATTERS: Mapping[str, Callable[[Any], Any]] = {
    "ruff.toml": lambda table: table["line-length"],
    ".ruff.toml": lambda table: table["line-length"],
    "pyproject.toml": lambda table: _of_a_project(table["tool"]),
}


def line_width(module: Module) -> int:
    """In characters: what the project's formatter is told, else as the longest line that is there.

    A text that is no file has no project.
    """
    path = Path(module.path)
    if os.path.isfile(path):
        for directory in path.resolve().parents:
            for name, width_of in _FORMATTERS.items():
                said = _read(directory / name, width_of)
                if said is not None:
                    return said
            if looked_up.is_there(directory / ".git"):
                break
    lines = (line for text in module.texts for line in text.split("\n"))
    return max([_DEFAULT, *map(len, lines)])


def _of_a_project(tools: Any) -> Any:
    said = (tools.get(name, {}).get("line-length") for name in ("ruff", "black"))
    return next(width for width in said if width is not None)


def _read(path: Path, width_of: Callable[[Any], Any]) -> int | None:
    # Imported here: most runs add no parameter.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = looked_up.text_of(path)
    try:
        width = width_of(tomllib.loads(text or ""))
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
        return None  # there is none, or what it says is not for us to judge
    return width if isinstance(width, int) else None
