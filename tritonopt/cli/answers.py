"""Answers of earlier runs: a second run over unchanged files reads them and computes nothing.

An answer is that of a whole run, because what is said of one file may rest on any other file of
the run. Its name is a digest of all that it depends on and that is known beforehand: the bytes and
the paths of all files, the settings of each, the options, the current directory, Python, the code
of this package and of every installed pass, and what else is installed. What was looked up on the
way is kept with the answer, and compared before it is used.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tritonopt.cache_directory import cache_directory
from tritonopt.cli.main import OK, complain
from tritonopt.source import looked_up
from tritonopt.source.decorators import JIT_VARIABLE
from tritonopt.source.files import RealPaths, write_whole

if TYPE_CHECKING:
    from tritonopt.cli.scanning import Targets
    from tritonopt.rewriting.protocol import Pass

Result = TypeVar("Result")

VARIABLE = "TRITONOPT_NO_CACHE"
"""Set to anything, it has no run use or keep an answer."""
MOST_BYTES = 64 << 20
"""Bytes of all answers together; those that were used longest ago go first."""
_FOLDER = "answers"
_NOT_ASKED = frozenset({"cache", "jobs", "format", "quiet", "fail_on", "check", "given"})
"""Arguments that change no answer."""
_GROUP = b"[tritonopt.passes]"
_OURS = "tritonopt"


class Answers:
    """The place of one run's answer."""

    def __init__(
        self, arguments: argparse.Namespace, targets: Targets, *, with_fixes: bool = False
    ) -> None:
        self._asked = (arguments, targets, with_fixes)
        self._key = "" if _never(arguments, targets) else self._digest()

    def known(self) -> list[Any] | None:
        """The results of an earlier run, in the order of the files; None where there are none."""
        if not self._key:
            return None
        try:
            path = _folder() / self._key
            data = path.read_bytes()
            beside, results = _Unpickler.read(zlib.decompress(data))
            if not looked_up.still(beside):
                return None
            os.utime(path)  # used just now
            return list(results)
        except Exception:
            return None  # damaged, or written by something else

    def keeping(
        self,
        results: Iterable[Result],
        passes: Iterable[Iterable[Pass]],
        failed: Callable[[Result], object],
    ) -> Iterator[Result]:
        """The results as they come; at the end all are kept for later, if none failed.

        What a pass finds that runs the file depends on more than is known here: on a compiler, on
        a GPU.
        """
        found: list[Result] = []
        keeps = bool(self._key) and not any(p.runs_file and p.is_named for ps in passes for p in ps)
        for result in results:
            keeps = keeps and not failed(result)
            found.append(result)
            yield result
        if keeps:
            self._keep(found)

    def _keep(self, results: Sequence[Any]) -> None:
        """Unless a file changed while they were computed."""
        if self._digest() != self._key:
            return
        data = zlib.compress(pickle.dumps((looked_up.found(), list(results)), protocol=5), 1)
        # A cache that cannot be written is no reason to fail.
        with contextlib.suppress(OSError, RuntimeError):
            folder = _folder()
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / self._key, data)
            _drop(MOST_BYTES)

    def _digest(self) -> str:
        """Of all that the answer depends on; "" where that cannot be told."""
        arguments, targets, with_fixes = self._asked
        digest = hashlib.blake2b(digest_size=20)
        asked = {k: v for k, v in vars(arguments).items() if k not in _NOT_ASKED}
        environment = (sys.version, sys.platform, os.getcwd(), os.environ.get(JIT_VARIABLE))
        code = _code()
        if code is None:
            return ""
        digest.update(repr(_plain((asked, with_fixes, environment, code))).encode())
        settings: dict[object, str] = {}
        real = RealPaths()
        try:
            for target in targets.files:
                known = (target.settings, target.settings.path)
                if known not in settings:
                    settings[known] = repr(_plain(target.settings))
                    if target.settings.path is not None:
                        _add(digest, target.settings.path, real)
                _add(digest, target.path, real)
                digest.update(repr((settings[known], _plain(target.focus), target.named)).encode())
            digest.update(b"context")
            for path in targets.context:
                _add(digest, path, real)
        except OSError:
            return ""
        return digest.hexdigest()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: `tritonopt clean` deletes all answers."""


def run(arguments: argparse.Namespace) -> int:
    """`tritonopt clean`."""
    try:
        folder = _folder()
    except RuntimeError as error:
        return complain(str(error))
    found = list(_kept())
    _drop(0)
    left = sum(1 for _ in _kept())
    if left:
        return complain(f"{folder}: {left} of {len(found)} files could not be deleted")
    megabytes = sum(size for _, size, _ in found) / 1e6
    print(f"{folder}: {len(found)} files deleted, {megabytes:.1f} MB")
    return OK


def _never(arguments: argparse.Namespace, targets: Targets) -> bool:
    """Whether the run has no answer to keep: it runs code, has errors, or reads a text once."""
    return bool(
        not arguments.cache
        or os.environ.get(VARIABLE)
        or targets.errors
        or arguments.report is not None
        or arguments.shadowed
        or getattr(arguments, "launches", None) is not None
        or getattr(arguments, "verify", False)
        or any(target.data is not None for target in targets.files)
    )


def _add(digest: Any, path: Path, real: RealPaths) -> None:
    """A file: its path as it was given, its real path, and its bytes. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        data = file.read()
    head = f"\0{path}\0{real.of(path)}\0{len(data)}\0"
    digest.update(head.encode(errors="surrogateescape"))
    digest.update(data)


def _plain(value: Any) -> Any:
    """A value whose `repr` is the same in every process."""
    if isinstance(value, Enum):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return (type(value).__name__, _plain(named))
    if isinstance(value, Mapping):
        return sorted((str(key), _plain(one)) for key, one in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_plain(one)) for one in value)
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


# The code that answers


def _code() -> object | None:
    """Of our code, the installed passes' and their packages; None where it cannot be found."""
    home = Path(__file__).resolve().parents[1]
    found: list[object] = [_stamps(home)]
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in sorted(os.scandir(folder or "."), key=lambda one: one.name):
                if entry.name.endswith((".dist-info", ".egg-info")):
                    points = _entry_points(entry.path)
                    found.append((folder, entry.name, points))
                    for module in _modules_of_passes(points) - {_OURS}:
                        stamps = _module_stamps(module)
                        if stamps is None:
                            return None
                        found.append((module, stamps))
    return found


def _entry_points(folder: str) -> bytes:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:
        return b""


def _modules_of_passes(points: bytes) -> set[str]:
    """The outermost modules of the passes that a package brings."""
    if _GROUP not in points:
        return set()
    section = points.partition(_GROUP)[2].partition(b"\n[")[0].decode(errors="replace")
    values = (line.partition("=")[2].strip() for line in section.splitlines() if "=" in line)
    return {value.partition(":")[0].partition(".")[0] for value in values}


def _module_stamps(name: str) -> object | None:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations is not None:
        return [_stamps(Path(folder)) for folder in spec.submodule_search_locations]
    return None if spec.origin is None else _stamp(Path(spec.origin).stat())


def _stamps(folder: Path) -> list[object]:
    """Name, size and time of every file below a package that is code or data."""
    found: list[object] = []
    with contextlib.suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                found.append((entry.name, _stamps(Path(entry.path))))
            else:
                found.append((entry.name, _stamp(entry.stat())))
    return found


def _stamp(known: os.stat_result) -> tuple[int, int]:
    return known.st_size, known.st_mtime_ns


# The files


def _folder() -> Path:
    return cache_directory() / _FOLDER


def _kept() -> Iterator[tuple[float, int, Path]]:
    """Time of use, bytes and path of every answer, and of what a killed process left of one."""
    with contextlib.suppress(OSError, RuntimeError):
        for entry in os.scandir(_folder()):
            with contextlib.suppress(OSError):
                known = entry.stat()
                yield known.st_mtime, known.st_size, Path(entry.path)


def _drop(most: int) -> None:
    """Delete the answers that were used longest ago until the rest has at most so many bytes."""
    left = sorted(_kept(), reverse=True)
    total = 0
    for _, size, path in left:
        total += size
        if total > most or not most:
            with contextlib.suppress(OSError):
                path.unlink()


class _Unpickler(pickle.Unpickler):
    """Reads values of this package's own classes, and runs nothing else."""

    @classmethod
    def read(cls, data: bytes) -> Any:
        import io

        return cls(io.BytesIO(data)).load()

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == _OURS or (module, name) in _BUILT_IN:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")


_BUILT_IN = frozenset({("builtins", "frozenset"), ("builtins", "set")})
