"""Python files: found, read without losing a byte, and replaced whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.source.errors import SourceError
from tritonopt.source.ignored import Ignored, ignored_above

if TYPE_CHECKING:
    from tritonopt.source.notebooks import Notebook

BYTE_ORDER_MARK = "\ufeff"
NOTEBOOK = ".ipynb"
_CACHES = frozenset({"__pycache__", "node_modules", "__pypackages__"})


@dataclass(frozen=True)
class SourceFile:
    """A file as text. Its newlines are in the text; a byte order mark is not. The text of a
    notebook is that of its code cells."""

    path: Path
    text: str = field(repr=False)
    encoding: str
    bom: bool
    notebook: Notebook | None = field(default=None, repr=False)


def read_file(path: Path) -> SourceFile:
    """Decodes a file as Python would. Raises SourceError with a message that says what to do."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(str(path), 0, 0, _io_message("read", error, path)) from error
    return decoded(path, data)


def decoded(path: Path, data: bytes) -> SourceFile:
    """The bytes of a file that is to be called `path`. Raises as `read_file`."""
    encoding = _encoding(path, data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _decode_error(path, data, encoding, error) from error
    if encoding != "utf-8" and text.encode(encoding) != data:
        message = f"cannot be written back unchanged in {encoding}: convert the file to UTF-8"
        raise SourceError(str(path), 0, 0, message)
    bom = text.startswith(BYTE_ORDER_MARK)
    text = text.removeprefix(BYTE_ORDER_MARK)
    if path.suffix.lower() != NOTEBOOK:
        return SourceFile(path, text, encoding, bom)
    from tritonopt.source.notebooks import Notebook, NotebookError

    try:
        notebook = Notebook(text)
    except NotebookError as error:
        raise SourceError(str(path), 0, 0, str(error)) from error
    return SourceFile(path, notebook.text, encoding, bom, notebook)


def write_file(file: SourceFile, text: str) -> None:
    """Puts a new text in the place of the file's, with its encoding, mode and links kept.

    The new text is complete on the disk before it takes the name over: whenever this is
    interrupted, the file is the old one or the new one. Raises SourceError; where the file is no
    longer the one that was read, it is FileChanged.
    """
    if text == file.text:
        return
    # A link stays a link; what it leads to is replaced.
    target = Path(os.path.realpath(file.path))
    data = encoded(file, text)
    try:
        before = target.stat()
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is read-only", str(target))
        with locked(target):
            if target.read_bytes() != encoded(file, file.text):
                raise FileChanged(str(file.path), 0, 0, _CHANGED)
            _replace(target, data, before)
    except OSError as error:
        message = _io_message("written", error, file.path)
        raise SourceError(str(file.path), 0, 0, message) from error


_CHANGED = "has changed since it was read, and was not changed: run this again"


class FileChanged(SourceError):
    """A file is no longer what was read from it."""


def write_whole(path: Path, data: bytes) -> None:
    """Puts bytes in the place of whatever a file held, or makes it; whole or not at all.

    Raises OSError.
    """
    target = Path(os.path.realpath(path))
    _replace(target, data, target.stat() if target.exists() else None)


def find_python_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files as they are given, and the Python files below the directories, each once.

    Below a directory, what `.gitignore` names is left out, and so are hidden directories,
    virtual environments, caches and links to directories. A path that does not exist and a
    directory that cannot be listed are given too: `read_file` says what is wrong with them.
    """
    files: dict[str, Path] = {}
    real = RealPaths()
    for path in paths:
        found = _below(path, ignored_above(path)) if os.path.isdir(path) else iter([path])
        for file in found:
            identity = real.of(file)
            # Of a link and what it leads to, the latter is what a diff can be applied to.
            known = files.setdefault(identity, file)
            if known.is_symlink() and not file.is_symlink():
                files[identity] = file
    yield from files.values()


class RealPaths:
    """Real paths of many files: each directory is asked about once."""

    def __init__(self) -> None:
        self._directories: dict[str, str] = {}

    def of(self, file: Path) -> str:
        """`os.path.realpath` of a file."""
        directory, name = os.path.split(file)
        if name in ("", ".", "..") or os.path.islink(file):
            return os.path.realpath(file)
        if directory not in self._directories:
            self._directories[directory] = os.path.realpath(directory)
        return os.path.join(self._directories[directory], name)


def _below(directory: Path, ignored: Ignored) -> Iterator[Path]:
    ignored = ignored.entering(directory)
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        # Reading it as a file fails too, and says so where the caller expects it.
        yield directory
        return
    for entry in entries:
        path = directory / entry.name
        if entry.is_dir(follow_symlinks=False):
            if not _skipped(path) and not ignored.matches(path, directory=True):
                yield from _below(path, ignored)
        elif not entry.name.endswith(".py") or not os.path.isfile(entry):
            continue
        elif not ignored.matches(path, directory=False):
            yield path


def _skipped(directory: Path) -> bool:
    name = directory.name
    return name.startswith(".") or name in _CACHES or os.path.exists(directory / "pyvenv.cfg")


def _encoding(path: Path, data: bytes) -> str:
    """As PEP 263 has it: the byte order mark, the declaration in the first lines, or UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        message = "is UTF-16, which Python does not read: convert the file to UTF-8"
        raise SourceError(str(path), 1, 1, message)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if error.msg.startswith("invalid or missing"):
            return "utf-8"  # the first lines are not, and decoding says where
        # Python does not know the encoding, or a byte order mark says another.
        message = f"{error.msg}: correct the encoding that the first two lines declare"
        raise SourceError(str(path), 1, 1, message) from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _decode_error(path: Path, data: bytes, encoding: str, error: UnicodeDecodeError) -> SourceError:
    before = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line_start = before.rfind(b"\n") + 1
    column = len(before[line_start:].decode(encoding, errors="replace")) + 1
    byte = f"byte 0x{data[error.start]:02x}"
    if encoding == "utf-8":
        advice = "convert the file to UTF-8, or declare its encoding in the first line"
    else:
        advice = f"the declared encoding {encoding} is not that of the file"
    message = f"not {encoding.upper()} ({byte}): {advice}"
    return SourceError(str(path), before.count(b"\n") + 1, column, message)


def encoded(file: SourceFile, text: str) -> bytes:
    """A text as the bytes of a file. Raises SourceError for what its encoding does not have, and
    for code that went from one cell of a notebook to another."""
    try:
        text = file.notebook.changed(text) if file.notebook is not None else text
        return ((BYTE_ORDER_MARK if file.bom else "") + text).encode(file.encoding)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        message = f"{text[error.start]!r} does not exist in {file.encoding}"
        raise SourceError(str(file.path), line, 1, message) from error
    except ValueError as error:
        raise SourceError(str(file.path), 0, 0, str(error)) from error


@contextlib.contextmanager
def locked(target: Path) -> Iterator[None]:
    """Among processes that write as this one does, one at a time has a file for itself."""
    try:
        import fcntl

        # The directory, for the file itself is about to be another one.
        handle = os.open(target.parent, os.O_RDONLY)
    except (ImportError, OSError):
        # What remains is the moment between looking and replacing.
        yield
        return
    try:
        # Some file systems have no locks.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _replace(target: Path, data: bytes, before: os.stat_result | None) -> None:
    import tempfile  # slow to import, and most runs write nothing

    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as temporary:
            temporary.write(data)
            temporary.flush()
            os.fsync(temporary.fileno())
        if before is None:
            os.umask(mask := os.umask(0))
            os.chmod(name, 0o666 & ~mask)
        else:
            if hasattr(os, "chown") and os.stat(name).st_uid != before.st_uid:
                os.chown(name, before.st_uid, before.st_gid)
            os.chmod(name, stat.S_IMODE(before.st_mode))
        os.replace(name, target)
    except BaseException:
        # A keyboard interrupt too must not leave it behind.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _io_message(verb: str, error: OSError, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return f"is a link to {os.readlink(path)}, which does not exist"
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a directory; name a file of it"
    return f"cannot be {verb}: {error.strerror or error}"
