"""The files of a run: found, left out, given their settings, and worked on in processes."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tritonopt.cli.configuration import Configurations, Settings
from tritonopt.cli.places import STDIN, PlaceError, place
from tritonopt.source import looked_up
from tritonopt.source.decorators import take_for_jit
from tritonopt.source.files import RealPaths, SourceFile, decoded, find_python_files, read_file

if TYPE_CHECKING:
    from tritonopt.rewriting.focus import Focus
    from tritonopt.source.project.program import Program

Result = TypeVar("Result")

COLLECTED_AFTER = 50_000
"""New objects between two collections of garbage."""
WORTH_A_POOL = 400_000
"""Bytes of files with kernels below which processes cost more than they save."""


@dataclass(frozen=True)
class Target:
    """A file of the run."""

    path: Path
    named: bool
    """Not found in a directory, but given itself."""
    settings: Settings
    focus: Focus | None = None
    """The kernels and lines of it that are meant; all of it without."""
    data: bytes | None = field(default=None, repr=False)
    """What came from stdin in the place of the file."""

    def read(self) -> SourceFile:
        """Raises SourceError."""
        return read_file(self.path) if self.data is None else decoded(self.path, self.data)


@dataclass(frozen=True)
class Targets:
    """All of them in order, and what there was to say on the way."""

    files: tuple[Target, ...]
    errors: tuple[tuple[str, str], ...] = ()
    """Of paths that are no file: the path, and what is wrong with it."""
    excluded: tuple[tuple[str, Path], ...] = ()
    """Files that were named and are left out, and by which configuration."""
    context: tuple[Path, ...] = ()
    """Files that are read only as far as the others import from them or are imported by them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, a directory (searched for Python files, .gitignore respected), a part of a "
        "file (FILE:KERNEL, FILE:LINE), or - for stdin",
    )
    parser.add_argument(
        "--stdin-filename",
        metavar="PATH",
        help="what is read from stdin is called and configured as this file; a kernel or a line of "
        "it may be named as after a path",
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--config",
        type=Path,
        metavar="PATH",
        help="a TOML file with [tool.tritonopt]; by default the nearest pyproject.toml above "
        "each file",
    )
    chosen.add_argument("--isolated", action="store_true", help="read no configuration")
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        metavar="PATH",
        help="more files of the same program, read for what they import, offer and launch, and "
        "not looked at otherwise (can be given several times)",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        default=0,
        metavar="N",
        help="processes; by default one for each processor where there is enough to do",
    )
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="neither use nor keep the answer of a run over the same files (`tritonopt clean` "
        "deletes all of them)",
    )
    parser.add_argument(
        "--statistics",
        action="store_true",
        help="print how often each pass said what on stdout, and nothing else",
    )


def _jobs(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def find(arguments: argparse.Namespace) -> Targets:
    """Every file once. Raises ConfigurationError where a configuration means nothing."""
    configurations = Configurations(arguments.config, isolated=arguments.isolated)
    files: dict[str, Target] = {}
    errors: list[tuple[str, str]] = []
    excluded: list[tuple[str, Path]] = []
    real = RealPaths()
    for text in arguments.paths:
        try:
            given = place(text, arguments.stdin_filename)
        except PlaceError as error:
            errors.append((text, str(error)))
            continue
        stdin, path = given.stdin, Path(given.path)
        if not stdin and not os.path.lexists(path):
            errors.append((text, f"{text}: does not exist"))
            continue
        data = _stdin(files) if stdin else None
        directory = not stdin and os.path.isdir(path)
        found = [path] if stdin else list(find_python_files([path]))
        if not found:
            why = "no Python file in it that .gitignore does not exclude"
            if any(path.glob("*.ipynb")):
                why += "; notebooks are left alone"
            errors.append((text, f"{text}: {why}"))
        for file in found:
            configuration = configurations.of(file)
            settings = Settings() if configuration is None else configuration.settings(file)
            if configuration is not None:
                take_for_jit(configuration.jit_decorators)
            if configuration is None or not configuration.excludes(file):
                key = STDIN if stdin else real.of(file)
                target = Target(file, not directory, settings, given.focus, data)
                files[key] = _merged(files[key], target) if key in files else target
            elif not directory:
                excluded.append((text, configuration.path))
    for text in arguments.context:
        if not os.path.exists(text):
            errors.append((text, f"--context {text}: does not exist"))
    context = find_python_files(Path(text) for text in arguments.context)
    return Targets(tuple(files.values()), tuple(errors), tuple(excluded), tuple(context))


def program(targets: Targets, *, keep: bool = False) -> Program | None:
    """All files of the run as one program; None for a file that stands alone.

    With `keep` they are read as they are now, for the run is going to write to them.
    """
    paths = [*(target.path for target in targets.files if target.data is None), *targets.context]
    if len(paths) < 2 or not any_kernels(targets):
        return None
    from tritonopt.source.project.program import Program

    # Many syntax trees stay alive: to look through them for garbage as often as by default takes
    # as long as a third of the whole run.
    gc.set_threshold(COLLECTED_AFTER, *gc.get_threshold()[1:])
    return Program(paths, keep=keep)


def _stdin(files: Mapping[str, Target]) -> bytes | None:
    """What there is to be read: once, however often it is asked for."""
    known = files.get(STDIN)
    return sys.stdin.buffer.read() if known is None else known.data


def _merged(one: Target, other: Target) -> Target:
    """A file that was given twice: all that is meant of it, under the name that is no link."""
    first = other if one.path.is_symlink() and not other.path.is_symlink() else one
    focus = one.focus | other.focus if one.focus and other.focus else None
    return replace(first, named=one.named or other.named, focus=focus)


def may_hold_kernels(target: Target) -> bool:
    """The gate for a file that is not read yet; says yes where it cannot be read."""
    try:
        data = target.path.read_bytes() if target.data is None else target.data
    except OSError:
        return True
    # In UTF-16 and its like every other byte is 0: reading the file says what is wrong.
    # So it does for a notebook, and whether a part of a file that is meant is there.
    asked = target.focus is not None or target.path.suffix == ".ipynb"
    return (b"jit" in data and b"triton" in data) or b"\0" in data or asked


def any_kernels(targets: Targets) -> bool:
    return any(may_hold_kernels(target) for target in targets.files)


def work(
    do: Callable[[Program | None, Target], Result],
    targets: Sequence[Target],
    jobs: int,
    program: Program | None = None,
) -> Iterator[Result]:
    """What comes of every target, in their order. `do` and its results can be pickled."""
    processes = _processes(targets, jobs)
    if processes < 2:
        yield from (do(program, target) for target in targets)
        return
    # Imported here: slow, and most runs are of a few files.
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(program,)) as pool:
        try:
            for result, found in pool.map(partial(_do_in_worker, do), targets):
                looked_up.add(found)
                yield result
        except BaseException:
            # Of an interrupted run nobody waits for the rest.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_given: list[Program | None] = []
"""In a worker, what it was started with: once, and not with every file."""


def _begin(program: Program | None) -> None:
    _leave_interrupts_to_the_parent()
    _given.append(program)


def _do_in_worker(
    do: Callable[[Program | None, Target], Result], target: Target
) -> tuple[Result, dict[tuple[str, str], str]]:
    """The result, and what was looked up for it in this process."""
    return do(_given[0], target), looked_up.found()


def _leave_interrupts_to_the_parent() -> None:
    # Ctrl-C goes to every process of the terminal; one message is enough.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _processes(targets: Iterable[Target], jobs: int) -> int:
    sizes = []
    for target in targets:
        try:
            known = target.data
            sizes.append(len(known) if known is not None else target.path.stat().st_size)
        except OSError:
            continue  # whoever reads it says what is wrong
    if not jobs and sum(sizes) < WORTH_A_POOL:
        return 1
    return min(jobs or os.cpu_count() or 1, len(sizes))
