"""The files of a run: found, left out, given their settings, and worked on in processes."""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tritonopt.cli.configuration import ConfigurationError, Configurations, Settings
from tritonopt.cli.places import STDIN, PlaceError, place
from tritonopt.source import looked_up
from tritonopt.source.decorators import take_for_jit
from tritonopt.source.files import (
    NOTEBOOK,
    RealPaths,
    SourceFile,
    decoded,
    find_python_files,
    read_file,
)

if TYPE_CHECKING:
    from tritonopt.facts.launch_bindings import Recorded
    from tritonopt.rewriting.focus import Focus
    from tritonopt.rewriting.model import Safety
    from tritonopt.rewriting.recorded_launches import KernelLaunches, Recordings
    from tritonopt.source import Module
    from tritonopt.source.project.program import Program

Result = TypeVar("Result")

COLLECTED_AFTER = 50_000
"""New objects between two collections of garbage."""
WORTH_A_POOL = 400_000
"""Bytes of files with kernels below which processes cost more than they save."""


_OF_NOTEBOOKS = (
    "its cells run in any order, so no rewrite rests on a launch; lines are counted through the "
    "code cells, each after a line `_ipython_cell(N)`"
)


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
    recorded: tuple[KernelLaunches, ...] = field(default=(), repr=False)
    """Launches of its kernels that a run made."""

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix.lower() == NOTEBOOK

    def evidence(self, safety: Collection[Safety]) -> dict[str, Recorded]:
        """The recorded launches by kernel; with the level `assumption` a rewrite may rest on them
        to be legal."""
        proves = any(level.value == "assumption" for level in safety)
        return {one.kernel: one.evidence(proves=proves) for one in self.recorded}

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
    notes: tuple[str, ...] = ()
    """On launches that were recorded, and on notebooks."""


class LaunchesError(ConfigurationError):
    """Recorded launches were asked for, and there are none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, a directory (searched for Python files; .gitignore applies), a part of a "
        "file (FILE:KERNEL, FILE:LINE), or - for stdin",
    )
    parser.add_argument(
        "--stdin-filename",
        metavar="PATH",
        help=(
            "the name of the file read from stdin, for messages and configuration; may "
            "select a kernel or line, as a path does"
        ),
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
        "not tried otherwise (can be given several times)",
    )
    parser.add_argument(
        "--launches",
        type=Path,
        metavar="FILE",
        help="a file of recorded launches: written with `-- COMMAND`, read without it",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        default=0,
        metavar="N",
        help="number of processes (default: one per processor if there is enough work)",
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
        help="print only how often each pass reported each reason",
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
                why += "; name each notebook by itself"
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
    notes = tuple(f"{t.path}: {_OF_NOTEBOOKS}" for t in files.values() if t.is_notebook)
    return Targets(tuple(files.values()), tuple(errors), tuple(excluded), tuple(context), notes)


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


# Launches of a run


def with_launches(arguments: argparse.Namespace, targets: Targets) -> Targets:
    """The files with the launches that were asked for: of the command after `--`, or of a file.

    Raises LaunchesError where no kernel that is meant gets any.
    """
    command, file = tuple(arguments.shadowed), arguments.launches
    if not command and file is None:
        return targets
    from tritonopt.rewriting import recorded_launches
    from tritonopt.source import SourceError, read

    modules: dict[str, Module] = {}
    wrong = ["no kernel in the given files, so there are no launches to record"]
    for target in filter(may_hold_kernels, targets.files):
        try:
            module = read(target.read().text, str(target.path))
        except SourceError as error:
            wrong.insert(0, str(error))
        else:
            modules.update({os.path.realpath(target.path): module} if module.kernels else {})
    if not modules:
        raise LaunchesError(wrong[0])
    notes: list[str] = []
    shown = f"`{shlex.join(command)}`" if command else str(file)
    try:
        known = recorded_launches.read(file) if file is not None and file.exists() else {}
        if command:
            known = {**known, **_run(command, list(modules.values()), known, notes)}
            if file is not None:
                recorded_launches.write(file, known)
        elif not file.exists():
            raise LaunchesError(f"{file}: does not exist: add `-- COMMAND` to record it")
    except recorded_launches.RecordingError as error:
        raise LaunchesError(str(error)) from None
    files = tuple(_with_its_own(target, modules, known, shown, notes) for target in targets.files)
    if not any(target.recorded for target in files):
        raise LaunchesError("; ".join(notes))
    return replace(targets, files=files, notes=(*targets.notes, *dict.fromkeys(notes)))


def _run(
    command: Sequence[str], modules: Sequence[Module], known: Recordings, notes: list[str]
) -> dict[str, tuple[KernelLaunches, ...]]:
    """Run the command; its launches in the place of those that are known of the same kernels."""
    from tritonopt.cli.arguments import missing
    from tritonopt.rewriting.recorded_launches import made_by

    try:
        from tritonopt.verification.capture.command import recorded_of
        from tritonopt.verification.errors import VerificationError
    except ModuleNotFoundError as error:
        raise LaunchesError(missing(error, "recording launches")) from None
    try:
        ended, seen = recorded_of(modules, command)
    except VerificationError as error:
        raise LaunchesError(str(error)) from None
    found = {}
    for module in modules:
        own = os.path.realpath(module.path)
        made = made_by(shlex.join(command), module, seen.get(own, {}))
        names = {one.kernel for one in made}
        rest = (one for one in known.get(own, ()) if one.kernel not in names)
        found[own] = (*made, *rest)
    if not seen:
        paths = ", ".join(str(module.path) for module in modules)
        why = ended.blind or f"{ended.limits}. Without a GPU set TRITON_INTERPRET=1"
        raise LaunchesError(f"{ended.shown} launched no kernel of {paths}: {why}")
    if ended.status:
        alone = "" if "TRITON_INTERPRET" in os.environ else ". Without a GPU set TRITON_INTERPRET=1"
        notes.append(f"{ended.shown} failed: only launches before the failure are used{alone}")
    if ended.more:
        more = ", ".join(ended.more)
        notes.append(f"{more}: too many different launches; only the first of them are used")
    return found


def _with_its_own(
    target: Target,
    modules: Mapping[str, Module],
    known: Recordings,
    shown: str,
    notes: list[str],
) -> Target:
    """The file with the launches of the kernels that are meant; notes say which have none."""
    own = os.path.realpath(target.path)
    if target.data is not None or own not in modules:
        return target
    module, focus = modules[own], target.focus
    called = frozenset().union(*(kernel.called for kernel in module.kernels))
    meant = {k.qualname: k for k in module.kernels if focus is None or focus.concerns(k)}
    names = Counter(kernel.name for kernel in module.kernels)
    if unseen := [name for name, k in meant.items() if names[k.name] > 1 or name != k.name]:
        notes.append(
            f"{target.path}: launches of {', '.join(unseen)} are not recorded: it is in a "
            "class or function, or another kernel has its name"
        )
        meant = {name: kernel for name, kernel in meant.items() if name not in unseen}
    of_file = {one.kernel: one for one in known.get(own, ()) if one.kernel in meant}
    found = {name: one for name, one in of_file.items() if one.digest == meant[name].digest}
    if other := sorted(of_file.keys() - found.keys()):
        notes.append(
            f"{target.path}: {shown} has launches of another version of {', '.join(other)}, "
            "which are "
            "not used: record them again"
        )
    unlaunched = [k.qualname for k in meant.values() if k.name not in called]
    if none := [name for name in unlaunched if name not in of_file]:
        has = "launches" if shown.startswith("`") else "has launches of"
        notes.append(
            f"{target.path}: {shown} {has} no {' and no '.join(none)}: sizes are those that "
            "the source shows"
        )
    return replace(target, recorded=tuple(found.values()))


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
    asked = target.focus is not None or target.is_notebook
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
