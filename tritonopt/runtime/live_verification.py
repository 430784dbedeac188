"""Verifying the rewrite of a live kernel, on the files that it would stand in."""

from __future__ import annotations

import io
import os
import tempfile
import textwrap
import threading
from dataclasses import dataclass
from pathlib import Path

from tritonopt.runtime.live import Live
from tritonopt.source import SourceError, read_file

_INSIDE = "TRITONOPT_INSIDE_VERIFICATION"
"""The process that verifies, for the workers that run both versions: neither is to be optimized
there. In other threads of that process itself, work goes on as ever."""
_ONE_AT_A_TIME = threading.Lock()


class NotInAFile(Exception):
    """A kernel cannot be run in other processes; the message says why."""


@dataclass(frozen=True)
class OwnFile:
    """The file that a live kernel stands in."""

    live: Live
    lines: tuple[str, ...]
    encoding: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def with_definition(self, definition: str) -> str:
        """The file with another definition of the kernel."""
        live = self.live
        new = textwrap.indent(definition, " " * live.indentation)
        last = live.first + len(live.lines) - 1
        return "\n".join([*self.lines[: live.line - 1], new.rstrip("\n"), *self.lines[last:]])


def read_own_file(live: Live) -> OwnFile:
    """The file, with the kernel where it was when it was made. Raises NotInAFile."""
    path = Path(live.path)
    not_there = f"it is not in a file: {live.path}"
    if not os.path.isfile(path):
        raise NotInAFile(not_there)
    try:
        file = read_file(path)
    except SourceError as error:
        raise NotInAFile(str(error)) from None
    lines = io.StringIO(file.text, newline=None).read().split("\n")
    last = live.first + len(live.lines) - 1
    own = textwrap.dedent("\n".join(lines[live.first - 1 : last])).rstrip()
    if own.split("\n") != list(live.lines):
        raise NotInAFile(not_there)
    return OwnFile(live, tuple(lines), file.encoding)


def inside() -> dict[str, str]:
    """The environment of processes that run the file on this one's behalf."""
    return {_INSIDE: str(os.getpid())}


def is_inside_verification() -> bool:
    own = str(os.getpid())
    return os.environ.get(_INSIDE, own) != own


def why_not_verified(live: Live, definition: str) -> str | None:
    """Why a rewritten definition is not known to do the same; None if it was verified to.

    Both versions of the file are run, each in processes of its own, with the launchers that it
    has. The answer is the verifier's: on drawn inputs, on the GPU where there is one.
    """
    from tritonopt.verification import verify
    from tritonopt.verification.errors import VerificationError

    try:
        file = read_own_file(live)
    except NotInAFile as error:
        return f"was not verified: {error}"
    path, text = Path(live.path), file.with_definition(definition)
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory() as folder:
        rewritten = Path(folder, path.name)
        rewritten.write_text(text, encoding=file.encoding)
        os.environ |= inside()
        try:
            verdict = verify(path, rewritten)
        except VerificationError as error:
            return f"was not verified: {error}"
        finally:
            del os.environ[_INSIDE]
    if verdict.verdict in ("identical", "equivalent"):
        return None
    why = verdict.counterexample or verdict.reason
    return f"was not verified ({verdict.verdict} on {verdict.backend}): {why}"
