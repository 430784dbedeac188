"""`tritonopt tune`: what is faster on this GPU for these shapes, and nothing that is not."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.cli import arguments as shared
from tritonopt.cli.html_report import add_report, applying, facts_of, is_written
from tritonopt.cli.main import ERROR, FOUND, OK, complain
from tritonopt.cli.places import PlaceError, place
from tritonopt.cli.progress import Bar
from tritonopt.cli.verify import kernel_at
from tritonopt.reporting.reporter import say
from tritonopt.source import SourceError, find_python_files, has_kernels, read_file

if TYPE_CHECKING:
    from tritonopt.measurement.tuned import Answer, Progress
    from tritonopt.tuning.requests import Request
    from tritonopt.tuning.subjects import Wanted

_DESCRIPTION = """\
Try passes, their options, one after another, tile sizes and numbers of warps on the
kernels of files; keep what was verified to be the same function, and was measured to be
faster on this GPU for these shapes, in a second measurement that did not choose it.
Where it is faster for some shapes only, the launcher chooses between it and the original.
A diff goes to stdout, the table to stderr; --write replaces the files. This runs the
files' code.

  tritonopt tune norm.py --args 'x: f16[m=1024..65536*4, n=1024..32768*2]'
  tritonopt tune kernels/ --budget 1h --write
  tritonopt tune norm.py -- python train.py
  tritonopt tune kernels/ --check      # what was tuned before: does it still hold here?

Without --args the calls are those that the file makes where it is run (its __main__ part
with the benchmarks in it, a script's own calls, its tests), or else a benchmark or test
next to it; of a file that shows none, sizes that many have. Which, is said. Interrupted and
started again it goes on.
"""
_UNITS = {"s": 1, "m": 60, "h": 3600}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, a directory, or FILE:KERNEL"
    )
    parser.add_argument(
        "--launcher", metavar="NAME", help="the function to tune, if the file has several"
    )
    parser.add_argument(
        "--args",
        metavar="LIST",
        help="what the launcher is called with, with sizes: 'x: f16[m=1024..65536*4, n=1024|4096]'",
    )
    parser.add_argument(
        "--assume",
        metavar="FACT",
        action="append",
        default=[],
        help="a condition on the sizes of every call, as in 'n %% 16 == 0'",
    )
    parser.add_argument(
        "--passes", default="", metavar="a,b", help="only these passes (default: every one)"
    )
    parser.add_argument(
        "--keep-parameters",
        action="store_true",
        help="keep tile sizes, num_warps and similar parameters",
    )
    parser.add_argument(
        "--budget",
        type=_duration,
        default="10m",
        metavar="TIME",
        help="time for the whole run, shared by its launchers: 90s, 10m, 1h (default: %(default)s)",
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="replace the files, each as a whole")
    action.add_argument(
        "--check",
        action="store_true",
        help="tune nothing: measure accepted changes again; exit with 1 if one is no longer faster",
    )
    action.add_argument(
        "--undo",
        action="store_true",
        help="tune nothing: restore the original files from their records",
    )
    action.add_argument(
        "--no-gpu",
        action="store_true",
        help=(
            "time nothing: compile the variants for several GPUs, and print registers, "
            "spills and the like"
        ),
    )
    _add_effort(parser)
    shared.add_engine(parser, default="inline")
    shared.add_format(parser)


def _add_effort(parser: argparse.ArgumentParser) -> None:
    shared.add_precision(parser, "to which an accepted ratio is known")
    shared.add_examples(parser, "on how many inputs an accepted change is verified", 40)
    parser.add_argument(
        "--backend",
        choices=("auto", "interpreter", "cuda"),
        default="auto",
        help=(
            "where changes are verified; auto is Triton's interpreter, and the GPU if "
            "there is one (default: %(default)s)"
        ),
    )
    shared.add_timeout(parser)
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="the file for measurements (default: in the user's cache directory)",
    )
    add_report(parser)


def _duration(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text)
    if match is None or not float(match[1]):
        raise argparse.ArgumentTypeError(f"`{text}`: write 90s, 10m or 1h")
    return float(match[1]) * _UNITS[match[2] or "s"]


def run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    try:
        from tritonopt.engines import EngineError
        from tritonopt.rewriting.options import PassSelectionError
        from tritonopt.tuning.applying.records import RecordError
        from tritonopt.tuning.bench import NoGpu, check_gpu
        from tritonopt.tuning.store import StoreError
        from tritonopt.verification import VerificationError
    except ModuleNotFoundError as error:
        return complain(shared.missing(error, "tuning"))
    try:
        if arguments.undo:
            return _undone(arguments)
        if not arguments.no_gpu:
            check_gpu()
        if arguments.check:
            return _checked(arguments)
        return _tuned(arguments, began)
    except (
        EngineError, NoGpu, PassSelectionError, PlaceError, RecordError, SourceError, StoreError,
        VerificationError
    ) as error:  # fmt: skip
        return complain(str(error))


def _tuned(arguments: argparse.Namespace, began: float) -> int:
    """Tune, show, and write where that was asked for. Raises what `run` says."""
    from tritonopt.tuning.many import answers_of, in_their_order

    requests, wrong = _requests(arguments)
    if not requests:
        return ERROR
    found: list[Answer] = []
    with Bar(len(requests), "tuning", sys.stderr) as bar:

        def show(where: Progress) -> None:
            best = f", best {where.best}" if where.best else ""
            turn = f" ({len(found) + 1} of {len(requests)})" if len(requests) > 1 else ""
            label = f"{where.launcher}{turn}: {where.phase}{best}"
            bar.update(where.done, where.of, label, f"{where.left:.0f} s left")

        left = arguments.budget - (time.monotonic() - began)
        engine = (arguments.engine, arguments.jobs, arguments.task_timeout)
        for answer in answers_of(requests, max(left, 1.0), show, *engine):
            found.append(answer)
            came = "failed" if answer.failure else answer.what or "stays unchanged"
            bar.update(len(found), len(requests), f"tuning; {answer.launcher}: {came}")
    code = _reported(arguments, requests, in_their_order(requests, found))
    return ERROR if wrong else code


def _requests(arguments: argparse.Namespace) -> tuple[list[Request], bool]:
    """Those of all files, and whether something is wrong with one of them, which is said."""
    from tritonopt.measurement.timing import Effort
    from tritonopt.rewriting.registry import select
    from tritonopt.tuning.asked import requests_of
    from tritonopt.tuning.requests import Request
    from tritonopt.tuning.store import Store

    if arguments.passes:
        select(arguments.passes)  # refused, before anything is run
    store = Path(arguments.store) if arguments.store else _usual_store()
    Store(store)  # made, or refused, before anything is timed
    like = Request(
        "",
        "",
        "",
        (),
        passes=arguments.passes,
        parameters=not arguments.keep_parameters,
        effort=Effort(precision=arguments.precision),
        examples=arguments.max_examples,
        backend=arguments.backend,
        timeout=arguments.timeout,
        store=str(store.resolve()),
        gpu=not arguments.no_gpu,
    )
    found: list[Request] = []
    files, wrong = _wanted(arguments)
    if not files:
        complain(f"no Triton kernel in {', '.join(arguments.paths)}")
    given = [str(path.resolve()) for path in _files(arguments)]
    told: set[str] = set()
    with Bar(len(files), "looking for calls", sys.stderr) as bar:
        for wanted in files:
            own = str(wanted.before.resolve())
            beside = tuple(path for path in given if path != own)
            asked = requests_of(wanted, replace(like, beside=beside))
            known = {(request.path, request.launcher) for request in found}
            found += (r for r in asked.requests if (r.path, r.launcher) not in known)
            bar.clear()
            # What is true of many files is said once.
            say(*(f"note: {note}" for note in asked.notes if note not in told))
            told.update(asked.notes)
            for error in asked.errors:
                wrong = bool(complain(error))
            bar.advance()
    return found, wrong


def _files(arguments: argparse.Namespace) -> Iterator[Path]:
    """All that was given, also what has no kernels: it may use those of the others."""
    return find_python_files(Path(place(text).path) for text in arguments.paths)


def _without_a_file(arguments: argparse.Namespace) -> Iterator[Path]:
    """Records in the directories that were given, of files that are gone or have no kernels."""
    from tritonopt.tuning.applying.records import FOLDER

    given = (Path(place(text).path) for text in arguments.paths)
    folders = [path for path in given if path.is_dir()]
    for folder in {*folders, *(path.parent for path in find_python_files(folders))}:
        for record in folder.glob(f"{FOLDER}/*.json"):
            file = folder / f"{record.stem}.py"
            with suppress(SourceError):  # of what cannot be read it was said
                if not file.exists() or not has_kernels(read_file(file).text):
                    yield record


def _usual_store() -> Path:
    from tritonopt.cache_directory import cache_directory

    return cache_directory() / "tuned.sqlite"


def _wanted(arguments: argparse.Namespace) -> tuple[list[Wanted], bool]:
    """Every file with kernels, and what is to be called in it; and whether one cannot be read."""
    from tritonopt.tuning.subjects import Wanted

    found, wrong = [], False
    seen: set[tuple[Path, str | None]] = set()
    for text in arguments.paths:
        given = place(text)
        about = None if given.focus is None else kernel_at(given)
        for path in find_python_files([Path(given.path)]):
            own = path.resolve()
            if {(own, about), (own, None)} & seen:
                continue  # it was given before, by itself or in a directory
            try:
                meant = has_kernels(read_file(path).text) or path == Path(given.path)
            except SourceError as error:
                wrong = bool(complain(str(error)))
                continue
            if meant:
                seen.add((own, about))
                found.append(
                    Wanted(
                        path,
                        None,
                        launcher=arguments.launcher,
                        about=about,
                        args=arguments.args,
                        assume=tuple(arguments.assume),
                        command=tuple(arguments.shadowed),
                        runs=not arguments.no_gpu,
                        # Whoever names a file wants that one tuned, and no whole library.
                        usual=path == Path(given.path),
                    )
                )
    return found, wrong


def _reported(
    arguments: argparse.Namespace, requests: Sequence[Request], answers: Sequence[Answer]
) -> int:
    """The table, the diffs or the files, and the exit code."""
    from tritonopt.reporting.diff import unified
    from tritonopt.reporting.json import tuning_report
    from tritonopt.reporting.text import Style, shown_path
    from tritonopt.reporting.tuning_table import tuning_lines
    from tritonopt.tuning.applying.outcome import outcomes, written
    from tritonopt.tuning.applying.records import RecordError

    if arguments.format == "json":
        print(tuning_report(answers))
    else:
        say(*tuning_lines(answers, Style.of(sys.stderr)))
    unwritten = False
    for outcome in outcomes(requests, answers):
        path = shown_path(str(outcome.path))
        for launcher in outcome.left_out:
            say(
                f"note: {path}: {launcher} changes the same code as another launcher's "
                "result, and was not written: tune it again afterwards"
            )
        if not outcome.changed:
            continue
        if arguments.write:
            try:
                written(outcome)
            except (RecordError, SourceError) as error:
                unwritten = bool(complain(str(error)))  # the others are written all the same
            else:
                say(f"{path}: written, with {shown_path(str(outcome.record))}")
        elif arguments.format == "text":
            print(unified(str(outcome.path), outcome.original, outcome.text), end="")
    failed = unwritten or any(answer.failure for answer in answers)
    if arguments.report is not None:
        from tritonopt.reporting.page.tuning_page import tuning_page

        page = tuning_page(answers, facts_of(arguments), apply=applying(arguments))
        failed = not is_written(arguments.report, page) or failed
    return ERROR if failed else OK


def _undone(arguments: argparse.Namespace) -> int:
    """Put back what stood in the files before they were tuned. Raises what `run` says."""
    from tritonopt.reporting.text import shown_path
    from tritonopt.tuning.applying.records import RecordError, path_of, put_back

    done = 0
    files, errors = _wanted(arguments)
    for file in [wanted.before.resolve() for wanted in files]:
        if not path_of(file).exists():
            continue
        try:
            launchers = put_back(file)
        except (RecordError, SourceError) as error:
            errors = bool(complain(str(error)))
        else:
            done += 1
            say(f"{shown_path(str(file))}: {', '.join(launchers)} as before, the record is removed")
    if not done and not errors:
        return complain("nothing was tuned here: there is not a record (.tritonopt/*.json)")
    return ERROR if errors else OK


def _checked(arguments: argparse.Namespace) -> int:
    """Measure what was accepted before. Raises what `run` says."""
    from tritonopt.measurement.timing import Effort
    from tritonopt.reporting.json import check_report
    from tritonopt.tuning.applying.checking import Check, checks_of
    from tritonopt.tuning.applying.records import RecordError, path_of

    effort = Effort(precision=arguments.precision)
    as_json = arguments.format == "json"
    found: list[Check] = []
    files, errors = _wanted(arguments)
    for wanted in files:
        # Beside what a link leads to, as it was written.
        record = path_of(wanted.before.resolve())
        if not record.exists():
            continue
        try:
            for check in checks_of(wanted.before.resolve(), effort, arguments.timeout):
                found.append(replace(check, path=wanted.before))
                if not as_json:
                    print(found[-1])
        except (RecordError, SourceError) as error:
            errors = bool(complain(str(error)))
    for record in sorted(_without_a_file(arguments)):
        said = (
            "is the record of a file that does not exist or has no kernel: remove it, or tune again"
        )
        errors = bool(complain(f"{record}: {said}"))
    if not found and not errors:
        return complain("nothing was tuned here: there is not a record (.tritonopt/*.json)")
    if as_json:
        print(check_report(check.as_json() for check in found))
    failed = any(not check.holds for check in found)
    return ERROR if errors else FOUND if failed else OK
