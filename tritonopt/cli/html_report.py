"""`--report FILE.html`, which several commands have: what was found, for a person to look at."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import __version__
from tritonopt.cli.main import complain

if TYPE_CHECKING:
    from tritonopt.reporting.page.contents import Contents

_SUFFIXES = (".html", ".htm")
_VALUED = ("--report", "--format", "--output-format")


def add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--report",
        type=_file,
        metavar="FILE.html",
        help="also write one HTML page, below 2 MB, that needs no network",
    )


def _file(text: str) -> Path:
    """Where a report can be written; said before anything is done."""
    path = Path(text)
    if path.suffix.lower() not in _SUFFIXES:
        raise argparse.ArgumentTypeError(f"{text}: the name of a report must end in .html")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: is a directory; name a file of it")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise argparse.ArgumentTypeError(f"{text}: cannot be written")
    return path


def facts_of(arguments: argparse.Namespace) -> dict[str, str]:
    """How the report came about."""
    import datetime

    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "Command": shlex.join(["tritonopt", *arguments.given]),
        "Made": f"{now:%Y-%m-%d %H:%M} UTC",
        "By": f"tritonopt {__version__}",
    }


def applying(arguments: argparse.Namespace) -> str:
    """The command of this run as the one that writes to the files; "" where it did."""
    if arguments.write:
        return ""
    given = _without(arguments.given, _VALUED, ("--check", "--statistics"))
    return shlex.join(["tritonopt", *_with_write(given)])


def _with_write(given: Sequence[str]) -> list[str]:
    at = given.index("--") if "--" in given else len(given)
    return [*given[:at], "--write", *given[at:]]


def _without(given: Sequence[str], valued: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Arguments without options, whose values stand behind them or after `=`."""
    found: list[str] = []
    words = iter(given)
    for word in words:
        if word == "--":
            return [*found, word, *words]
        if word in valued:
            next(words, None)
        elif word not in flags and not word.startswith(tuple(f"{name}=" for name in valued)):
            found.append(word)
    return found


def is_written(path: Path, contents: Contents) -> bool:
    """Write a report; where it cannot be, that is said."""
    from tritonopt.reporting.page.rendering import rendered
    from tritonopt.source.files import write_whole

    try:
        write_whole(path, rendered(contents).encode("utf-8", errors="replace"))
    except OSError as error:
        complain(f"{path}: the report cannot be written: {error.strerror or error}")
        return False
    print(f"report: {path}", file=sys.stderr)
    return True
