"""The files of a run: found, left out, given their settings, and worked on in processes."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tritonopt.cli.configuration import Configurations, Settings
from tritonopt.source.files import find_python_files

if TYPE_CHECKING:
    from tritonopt.source.program import Program

Result = TypeVar("Result")

WORTH_A_POOL = 400_000
"""Bytes of files with kernels below which processes cost more than they save."""


@dataclass(frozen=True)
class Target:
    """A file of the run."""

    path: Path
    named: bool
    """Not found in a directory, but given itself."""
    settings: Settings


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
        help="a file, or a directory (searched for Python files, .gitignore respected)",
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
        "--statistics", action="store_true", help="count by pass and reason, and list nothing else"
    )


def _jobs(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def find(arguments: argparse.Namespace) -> Targets:
    """Every file once. Raises ConfigurationError where a configuration means nothing."""
    configurations = Configurations(arguments.config, isolated=arguments.isolated)
    files: list[Target] = []
    errors: list[tuple[str, str]] = []
    excluded: list[tuple[str, Path]] = []
    seen: set[str] = set()
    for text in arguments.paths:
        path = Path(text)
        if not os.path.exists(path):
            errors.append((text, f"{text}: does not exist"))
            continue
        directory = path.is_dir()
        found = list(find_python_files([path]))
        if not found:
            why = "no Python file in it that .gitignore does not exclude"
            errors.append((text, f"{text}: {why}"))
        for file in found:
            if (key := os.path.realpath(file)) in seen:
                continue
            seen.add(key)
            configuration = configurations.of(file)
            if configuration is None:
                files.append(Target(file, not directory, Settings()))
            elif not configuration.excludes(file):
                files.append(Target(file, not directory, configuration.settings(file)))
            elif not directory:
                excluded.append((text, configuration.path))
    for text in arguments.context:
        if not os.path.exists(text):
            errors.append((text, f"--context {text}: does not exist"))
    context = find_python_files(Path(text) for text in arguments.context)
    return Targets(tuple(files), tuple(errors), tuple(excluded), tuple(context))


def program(targets: Targets, *, keep: bool = False) -> Program | None:
    """All files of the run as one program; None for a file that stands alone.

    With `keep` they are read as they are now, for the run is going to write to them.
    """
    paths = [*(target.path for target in targets.files), *targets.context]
    if len(paths) < 2 or not any_kernels(targets):
        return None
    from tritonopt.source.program import Program

    return Program(paths, keep=keep)


def may_hold_kernels(path: Path) -> bool:
    """The gate for a file that is not read yet; says yes where it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return True
    # In UTF-16 and its like every other byte is 0: reading the file says what is wrong.
    return (b"jit" in data and b"triton" in data) or b"\0" in data


def any_kernels(targets: Targets) -> bool:
    return any(may_hold_kernels(target.path) for target in targets.files)


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
            yield from pool.map(partial(_do_in_worker, do), targets)
        except BaseException:
            # Of an interrupted run nobody waits for the rest.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_given: list[Program | None] = []
"""In a worker, what it was started with: once, and not with every file."""


def _begin(program: Program | None) -> None:
    _leave_interrupts_to_the_parent()
    _given.append(program)


def _do_in_worker(do: Callable[[Program | None, Target], Result], target: Target) -> Result:
    return do(_given[0], target)


def _leave_interrupts_to_the_parent() -> None:
    # Ctrl-C goes to every process of the terminal; one message is enough.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _processes(targets: Iterable[Target], jobs: int) -> int:
    sizes = []
    for target in targets:
        try:
            sizes.append(target.path.stat().st_size)
        except OSError:
            continue  # whoever reads it says what is wrong
    if not jobs and sum(sizes) < WORTH_A_POOL:
        return 1
    return min(jobs or os.cpu_count() or 1, len(sizes))
