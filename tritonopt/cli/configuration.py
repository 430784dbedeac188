"""`[tool.tritonopt]` of pyproject.toml: what holds for which file.

The nearest pyproject.toml above a file that has the table is the one that counts, as in ruff:

    [tool.tritonopt]
    passes = ["default", "licm"]            # or one text, as after --passes
    safety = ["rounding"]                   # "exact" for nothing more
    assume = ["N % BLOCK == 0"]
    select = ["rows", "int64-offsets"]      # of the passes that would run, only these
    ignore = ["undefined-lanes", "split"]   # passes that say nothing, or what names begin with
    exclude = ["generated/", "*_pb.py"]     # as in .gitignore
    jit-decorators = ["our_package.jit"]    # each does what triton.jit does

    [[tool.tritonopt.per-file]]
    files = ["kernels/norm/*.py"]           # as in .gitignore
    safety = "exact"

Of several tables that match a file the last one wins; `assume` and `ignore` add up.
`[tool.tritonopt.verify]` is read by `tritonopt verify`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonopt.source.decorators import take_for_jit

if TYPE_CHECKING:
    from argparse import Namespace

    from pathspec import GitIgnoreSpec

TABLE = ("tool", "tritonopt")
NAME = "pyproject.toml"

Keys = tuple[str | int, ...]
"""The way to a value: names of tables, and places in arrays."""

_PER_FILE = "per-file"
_JITS = "jit-decorators"
_VERIFY = "verify"


class ConfigurationError(Exception):
    """A configuration that means nothing; the message says where and what to do."""


@dataclass(frozen=True)
class Settings:
    """What a configuration says of one file; None where it says nothing."""

    passes: str | None = None
    safety: tuple[str, ...] | None = None
    assume: tuple[str, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: frozenset[str] = frozenset()
    path: Path | None = field(default=None, compare=False)
    keys: Mapping[str, Keys] = field(default_factory=dict, compare=False)
    """Where each was said in the file; of what adds up, where it was said last."""

    def place(self, name: str) -> str:
        """Where something was said, as `path:line:column`. Slow: for messages."""
        assert self.path is not None
        return _place(self.path, self.path.read_text(encoding="utf-8-sig"), self.keys[name])


@dataclass(frozen=True, eq=False)
class Configuration:
    """One file with a table for tritonopt. Patterns are relative to the file's directory."""

    path: Path
    table: Mapping[str, Any] = field(repr=False)

    def settings(self, file: Path) -> Settings:
        """What holds for a file."""
        found: dict[str, Any] = {}
        said: dict[str, Keys] = {}
        for keys, table in self._tables(file):
            for key in table.keys() & _READERS.keys():
                value = _READERS[key](table[key])
                adds = key in ("assume", "ignore") and key in found
                found[key] = found[key] + value if adds else value
                said[key] = (*keys, key)
        ignore = frozenset(found.pop("ignore", ()))
        return Settings(**found, ignore=ignore, path=self.path, keys=said)

    @property
    def jit_decorators(self) -> tuple[str, ...]:
        """Dotted names of decorators that do what `triton.jit` does."""
        return tuple(self.table.get(_JITS, ()))

    def excludes(self, file: Path) -> bool:
        return self._matches(self._excluded, file)

    def _tables(self, file: Path) -> Iterator[tuple[Keys, Mapping[str, Any]]]:
        yield TABLE, self.table
        for index, spec in enumerate(self._per_file):
            if self._matches(spec, file):
                yield (*TABLE, _PER_FILE, index), self.table[_PER_FILE][index]

    @cached_property
    def _excluded(self) -> GitIgnoreSpec | None:
        return _spec(self.table.get("exclude", ()))

    @cached_property
    def _per_file(self) -> list[GitIgnoreSpec | None]:
        return [_spec(table["files"]) for table in self.table.get(_PER_FILE, ())]

    def _matches(self, spec: GitIgnoreSpec | None, file: Path) -> bool:
        if spec is None:
            return False
        inside = os.path.relpath(os.path.abspath(file), self.path.absolute().parent)
        return not inside.startswith("..") and spec.match_file(Path(inside).as_posix())


class Configurations:
    """Finds the configuration of every file, and reads each only once."""

    def __init__(self, config: Path | None = None, *, isolated: bool = False) -> None:
        """`config` is the one for all files. Raises ConfigurationError where it is none."""
        self._fixed = isolated
        self._only: Configuration | None = None
        self._known: dict[Path, Configuration | None] = {}
        self._of: dict[str, Configuration | None] = {}
        """The same by directory, as it is written."""
        if config is not None:
            self._fixed, self._only = True, read(config)
            if self._only is None:
                raise ConfigurationError(f"{config}: has no table [{'.'.join(TABLE)}]")

    def of(self, file: Path) -> Configuration | None:
        """The configuration that holds for a file. Raises ConfigurationError where it is wrong."""
        if self._fixed:
            return self._only
        directory = os.path.dirname(file)
        if directory not in self._of:
            self._of[directory] = self._above(Path(os.path.abspath(file)).parent)
        return self._of[directory]

    def _above(self, directory: Path) -> Configuration | None:
        if directory not in self._known:
            found = read(directory / NAME) if os.path.isfile(directory / NAME) else None
            if found is None and directory.parent != directory:
                found = self._above(directory.parent)
            self._known[directory] = found
        return self._known[directory]


def take_jit_decorators(arguments: Namespace) -> None:
    """Takes what the configurations of given files name for `triton.jit`.

    Raises ConfigurationError where one means nothing.
    """
    configurations = Configurations(
        getattr(arguments, "config", None), isolated=getattr(arguments, "isolated", False)
    )
    for name in ("original", "rewritten", "before", "after", "paths", "targets"):
        given = getattr(arguments, name, None) or []
        for text in [given] if isinstance(given, str) else given:
            path = next((p for p in (text, text.rpartition(":")[0]) if p and os.path.exists(p)), "")
            found = configurations.of(Path(path, NAME) if os.path.isdir(path) else Path(path))
            if path and found is not None:
                take_for_jit(found.jit_decorators)


def read(path: Path) -> Configuration | None:
    """The configuration in a file; None where it has no table for tritonopt.

    Raises ConfigurationError for a file that is no TOML, and for keys and values that mean nothing.
    """
    shown = _shown(path)
    try:
        # Line ends as they are would be counted twice by TOML's own error positions.
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise ConfigurationError(f"{shown}: cannot be read: {reason}") from error
    if TABLE[-1] not in text:
        return None
    try:
        document = _parse(text)
    except ValueError as error:
        raise ConfigurationError(_not_toml(shown, error)) from error
    table = document.get(TABLE[0], {}).get(TABLE[1])
    if table is None:
        return None
    _check(path, text, table)
    return Configuration(path, table)


# Checking


def _check(path: Path, text: str, table: Any) -> None:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{_place(path, text, TABLE)}: [tool.tritonopt] must be a table")
    _check_keys(path, text, TABLE, table, [*_READERS, "exclude", _JITS, _PER_FILE, _VERIFY])
    tables = table.get(_PER_FILE, [])
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        where = _place(path, text, (*TABLE, _PER_FILE))
        raise ConfigurationError(f"{where}: write it as [[tool.tritonopt.{_PER_FILE}]]")
    for index, inner in enumerate(tables):
        keys = (*TABLE, _PER_FILE, index)
        _check_keys(path, text, keys, inner, ["files", *_READERS])
        if "files" not in inner:
            raise ConfigurationError(
                f"{_place(path, text, keys)}: `files` is missing: the patterns of the files that "
                "it is about"
            )


def _check_keys(
    path: Path, text: str, keys: Keys, table: Mapping[str, Any], legal: Sequence[str]
) -> None:
    for key, value in table.items():
        where = (*keys, key)
        if key not in legal:
            from tritonopt.rewriting.options import nearest

            hint = nearest(key, legal) or f"there are {', '.join(legal)}"
            message = f"{_place(path, text, where)}: there is no key {key!r} here; {hint}"
            raise ConfigurationError(message)
        if key in _READERS:
            try:
                _READERS[key](value)
            except ValueError as error:
                raise ConfigurationError(f"{_place(path, text, where)}: {key}: {error}") from None
        elif key in ("files", "exclude") and not _is_list_of_texts(value):
            message = f"{key} must be a list of patterns, as in .gitignore"
            raise ConfigurationError(f"{_place(path, text, where)}: {message}")
        elif key == _JITS and not (_is_list_of_texts(value) and all(map(_is_dotted, value))):
            message = f"{key} must be a list of dotted names, such as 'our_package.jit'"
            raise ConfigurationError(f"{_place(path, text, where)}: {message}")


def _is_dotted(name: str) -> bool:
    return "." in name and all(part.isidentifier() for part in name.split("."))


def _read_passes(value: Any) -> str:
    if isinstance(value, str):
        return value
    if _is_list_of_texts(value):
        return ",".join(value)
    raise ValueError("must be a string as after --passes, or a list of passes")


def _read_safety(value: Any) -> tuple[str, ...]:
    from tritonopt.cli.arguments import safety_level

    parts = value.split(",") if isinstance(value, str) else value
    if not _is_list_of_texts(parts):
        raise ValueError("must be a list of levels, or a string as after --safety")
    levels = (safety_level(part.strip()) for part in parts)
    return tuple(level.value for level in levels if level is not None)


def _read_assume(value: Any) -> tuple[str, ...]:
    if not _is_list_of_texts(value):
        raise ValueError("must be a list of expressions, such as 'N % BLOCK == 0'")
    return tuple(value)


def _read_names(value: Any) -> tuple[str, ...]:
    if not _is_list_of_texts(value):
        raise ValueError("must be a list of passes")
    return tuple(value)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "passes": _read_passes,
    "safety": _read_safety,
    "assume": _read_assume,
    "select": _read_names,
    "ignore": _read_names,
}
"""What may stand in both tables: each reads a value, or raises ValueError."""


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec | None:
    if not patterns:
        return None
    # Imported here: most configurations have no patterns.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


# TOML, and where in it something stands


def _parse(text: str) -> dict[str, Any]:
    """Raises ValueError where the text is no TOML."""
    # Imported here: most runs meet no configuration.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    document: dict[str, Any] = tomllib.loads(text)
    return document


def _not_toml(shown: str, error: ValueError) -> str:
    """The parser says "message (at line 3, column 7)"."""
    message, _, where = str(error).rpartition(" (at line ")
    line, _, column = where.rstrip(")").partition(", column ")
    if message and line.isdigit() and column.isdigit():
        return f"{shown}:{line}:{column}: {message}"
    return f"{shown}: {error}"


def _place(path: Path, text: str, keys: Keys) -> str:
    """Where a key is written, as `path:line:column`.

    The parser does not say. But what is above the line is TOML without the key, and what ends
    with the line, or with a later one where the value is long, is TOML with it.
    """
    lines = text.splitlines(keepends=True)
    begin = 0
    for end in range(1, len(lines) + 1):
        try:
            document = _parse("".join(lines[:end]))
        except ValueError:
            continue
        if _holds(document, keys):
            break
        begin = end
    line = lines[begin] if begin < len(lines) else ""
    name = next(str(key) for key in reversed(keys) if isinstance(key, str))
    return f"{_shown(path)}:{begin + 1}:{max(line.find(name), 0) + 1}"


def _holds(document: Any, keys: Keys) -> bool:
    for key in keys:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _shown(path: Path) -> str:
    """The path as a person in the current directory would write it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
