"""`tritonopt verify`: run an original and a rewritten file on drawn inputs, and compare."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.cli import arguments as shared
from tritonopt.cli import html_report, verify_pairs
from tritonopt.cli.main import ERROR, FOUND, INCONCLUSIVE, OK, complain
from tritonopt.cli.places import Place, PlaceError, place, read_place
from tritonopt.cli.progress import Bar
from tritonopt.reporting import formats
from tritonopt.rewriting.focus import Focus
from tritonopt.source import SourceError

if TYPE_CHECKING:
    from tritonopt.verification import Progress, Verdict

_DESCRIPTION = """\
Run the launcher of both files on inputs that are drawn, each file in a process of
its own, and compare everything that their kernels wrote. This runs the files' code.

  tritonopt verify before.py after.py
  tritonopt verify before.py after.py --args 'x: f32|f16[m, n], w: f32[n], eps: 1e-5'
  tritonopt verify before.py after.py --kernel scale --grid 'cdiv(n, BLOCK), m' \\
      --args 'x: f32[m, n], y: f32[m, n], stride: x.stride(0), BLOCK: 16|64'
  tritonopt verify before.py after.py -- pytest tests/test_scale.py
  tritonopt verify before/ after/ --engine local --jobs 4

After `--` stands a command of yours: it runs as always, and every launch of a kernel of
ORIGINAL is made again on copies of its memory, by both versions, and compared.

Of two directories every Python file that differs is verified. What differs and cannot be run
counts as no answer.
"""

_EXIT_CODES = {"identical": OK, "equivalent": OK, "counterexample": FOUND}
"""Of verdicts; any other is inconclusive."""
_QUICK = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    _add_subject(parser)
    _add_backend(parser)
    _add_judgment(parser)
    _add_effort(parser)
    group = parser.add_argument_group("several files: two directories, or --pair")
    shared.add_engine(group)
    shared.add_format(parser)
    html_report.add_report(parser)
    shared.add_script(parser, "the file, or the folder, for scripts of counterexamples")


def _add_subject(parser: argparse.ArgumentParser) -> None:
    """What is compared."""
    parser.add_argument(
        "original",
        metavar="ORIGINAL",
        help="a file with kernels, or a reference for kernels: a function of torch or "
        "numpy, a module with get_inputs; FILE:KERNEL and FILE:LINE are about the functions that "
        "launch this kernel; or a directory",
    )
    parser.add_argument(
        "rewritten",
        metavar="REWRITTEN",
        nargs="+",
        help="the other version; `-` reads a file from stdin; of several each is "
        "verified, and what ORIGINAL gives is kept where it has no kernel",
    )
    parser.add_argument(
        "--pair",
        nargs=2,
        action="append",
        default=[],
        metavar=("ORIGINAL", "REWRITTEN"),
        help="two more files, or directories (may be given several times)",
    )
    parser.set_defaults(about=None, candidates=False)
    shared.add_call(parser)


def _add_backend(parser: argparse.ArgumentParser) -> None:
    """Where it runs."""
    parser.add_argument(
        "--backend",
        choices=("auto", "interpreter", "cuda", "compile"),
        default="auto",
        help=(
            "where the kernels run; auto is the GPU if there is one. `compile` runs "
            "nothing: it compares the machine code for several GPUs, which need not be present"
        ),
    )


def _add_judgment(parser: argparse.ArgumentParser) -> None:
    """What a yes asks for."""
    parser.add_argument(
        "--require",
        choices=("equivalent", "identical", "algebra", "kernel", "layouts"),
        default="equivalent",
        help="the required verdict (default: %(default)s); `algebra` also requires the same "
        "functions of the inputs where arithmetic is exact; `kernel` refuses what leaves the work "
        "to torch, to an earlier result or to nobody; `layouts` is `kernel`, and inputs for a "
        "reference without a kernel need not be contiguous",
    )
    parser.add_argument(
        "--algebra",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="in the interpreter, say of a yes whether it is the same algebra: every float is "
        "carried with a residue, on which arithmetic is exact (default: yes)",
    )
    parser.add_argument(
        "--untrusted",
        action="store_true",
        help="take REWRITTEN to be hostile: it runs without a network, sees its folder, ORIGINAL's "
        "and the system's read-only, and has little memory, few processes and --budget (5m) to "
        "live; refused where this machine cannot do that",
    )
    parser.add_argument(
        "--bench",
        action="store_true",
        help="time what was accepted against ORIGINAL on this GPU, on fresh inputs of usual sizes, "
        "and refuse times that cannot be; exit code 3 without a GPU",
    )
    parser.add_argument(
        "--assume-covered",
        action="store_true",
        help="take it that the calls run all that differs, where that cannot be seen: on a GPU, "
        "for kernels that the interpreter cannot run; and that no offset needs 64 bits",
    )


def _add_effort(parser: argparse.ArgumentParser) -> None:
    """How much is tried for it."""
    count = parser.add_mutually_exclusive_group()
    shared.add_examples(count, "how many inputs to generate for a launcher")
    count.add_argument(
        "--quick",
        action="store_const",
        dest="max_examples",
        const=_QUICK,
        help=f"the same as --max-examples {_QUICK}: little is drawn apart from the calls that are "
        "made on purpose, and as much has to have run for a yes",
    )
    parser.add_argument(
        "--budget",
        type=seconds,
        metavar="30s",
        help="how long a verification may take: a yes may then lack random calls, and no others",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="the seed of the generated inputs (default: %(default)s)",
    )


def seconds(text: str) -> float:
    """A time: `30s`, `2m`, `45`."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in ("s", "m") else (text, "s")
    try:
        found = float(number) * {"s": 1, "m": 60}[unit]
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is not a time: write 30s or 2m")
    return found


def run(arguments: argparse.Namespace) -> int:
    _take_candidates(arguments)
    if arguments.backend in ("auto", "interpreter") and not verify_pairs.are_meant(arguments):
        from tritonopt.verification.process.fork_server import fork_server

        fork_server()  # it imports torch, while this process imports what else is needed
    try:
        from tritonopt.verification import VerificationError, verify
    except ModuleNotFoundError as error:
        return _no_answer(shared.missing(error, "verifying"), arguments)
    if verify_pairs.are_meant(arguments):
        return verify_pairs.run(arguments)
    if arguments.engine or arguments.jobs:
        reason = "--engine and --jobs are for several files: give two directories, or --pair"
        return _no_answer(reason, arguments)
    if arguments.bench and (reason := _why_not_timed(arguments)):
        _no_answer(reason, arguments)
        return INCONCLUSIVE
    try:
        _narrow(arguments)
    except (PlaceError, SourceError) as error:
        return _no_answer(str(error), arguments)
    with Bar(arguments.max_examples, "verifying", sys.stderr) as bar:

        def show(progress: Progress) -> None:
            backend = progress.backend.partition(":")[0]
            what = f"{progress.phase}, {progress.launcher} ({backend})"
            bar.update(progress.examples, progress.of, what)

        paths = arguments.original, arguments.rewritten
        given = {name: getattr(arguments, name) for name in _OPTIONS}
        try:
            verdict = verify(*paths, **given, command=arguments.shadowed, progress=show)
            if arguments.bench:
                from tritonopt.tuning.believed import with_speeds
                from tritonopt.verification import Options

                verdict = with_speeds(verdict, *paths, Options(**given))
        except VerificationError as error:
            bar.clear()
            return _no_answer(str(error), arguments)
    script = _write_script(verdict, arguments)
    formats.verdict_reporter(arguments.format).verdict(verdict, script)
    if arguments.report is not None and not _report(verdict, script, arguments):
        return ERROR
    return _EXIT_CODES.get(verdict.verdict, INCONCLUSIVE)


_OPTIONS: tuple[str, ...] = ("launcher", "kernel", "grid", "args", "assume", "about", "algebra")
_OPTIONS += (
    "assume_covered",
    "backend",
    "require",
    "max_examples",
    "seed",
    "budget",
    "untrusted",
    "text",
)


def _why_not_timed(arguments: argparse.Namespace) -> str:
    """Why `--bench` has no answer here."""
    from tritonopt.verification import VerificationError
    from tritonopt.verification.run import choose_backend

    if arguments.shadowed or arguments.kernel:
        return "--bench times launchers: leave --kernel and `-- COMMAND` out, or use `bench`"
    try:
        there = arguments.backend in ("auto", "cuda") and choose_backend("auto") == "cuda"
    except VerificationError as error:
        return str(error)
    return "" if there else "--bench: there is no GPU here for timing, so nothing was verified"


def _take_candidates(arguments: argparse.Namespace) -> None:
    """Of several candidates all but the first are further pairs; that of `-` comes from stdin."""
    first, *others = arguments.rewritten
    arguments.pair = [*((arguments.original, other) for other in others), *arguments.pair]
    arguments.candidates, arguments.text = bool(others), None
    if first == "-" and not others:
        first, arguments.text = "stdin.py", sys.stdin.read()
    arguments.rewritten = first


def _report(verdict: Verdict, script: str | None, arguments: argparse.Namespace) -> bool:
    """Whether the report was written."""
    from tritonopt.reporting.findings import PairFinding
    from tritonopt.reporting.page.verdict_page import verdict_page

    paths = arguments.original, arguments.rewritten
    found = PairFinding(arguments.rewritten, *paths, verdict, script=script)
    return html_report.is_written(
        arguments.report, verdict_page(found, html_report.facts_of(arguments))
    )


def _narrow(arguments: argparse.Namespace) -> None:
    """What a kernel or a line behind a path says of what to call. Raises PlaceError, SourceError.

    With a grid it is the kernel itself, else what launches it. Either path may name it; where
    both do it has to be one kernel, which the two versions have under one name.
    """
    original, rewritten = place(arguments.original), place(arguments.rewritten)
    arguments.original, arguments.rewritten = original.path, rewritten.path
    named = {p.path: kernel_at(p) for p in (original, rewritten) if p.focus is not None}
    if not named:
        return
    path, name = next(iter(named.items()))
    if len(set(named.values())) > 1:
        other = named[rewritten.path]
        raise PlaceError(
            f"{rewritten.path} is about {other}, and {path} about {name}: name one kernel, which "
            "both versions have"
        )
    if arguments.kernel or arguments.launcher:
        raise PlaceError(f"{path}: give a part of the file, --kernel or --launcher, not both")
    for there in (original.path, rewritten.path):
        Focus(kernels=frozenset({name})).check(read_place(Place(there)))
    if arguments.grid:
        arguments.kernel = name
    else:
        arguments.about = name


def kernel_at(given: Place) -> str:
    """The qualified name of the kernel that is meant. Raises PlaceError, SourceError."""
    assert given.focus is not None
    module = read_place(given)
    meant = {k.qualname: k for k in module.kernels if given.focus.names(k)}
    if len(meant) > 1:
        there = ", ".join(f"{name} (line {k.node.lineno})" for name, k in meant.items())
        raise PlaceError(f"{given.path}: several kernels have this name: write one of {there}")
    kernel = given.focus.kernel(module)
    assert kernel is not None  # what was named is there
    return kernel.qualname


def _write_script(verdict: Verdict, arguments: argparse.Namespace) -> str | None:
    """Write what shows the counterexample again; where, or None if there is nothing to write."""
    if verdict.script is None or arguments.no_script:
        return None
    name = f"counterexample_{Path(arguments.rewritten).name}"
    return shared.write_script(verdict.script, name, arguments.script or "")


def _no_answer(reason: str, arguments: argparse.Namespace) -> int:
    """What stood in the way; a script that asked for JSON gets it as `unsupported`."""
    formats.verdict_reporter(arguments.format).no_verdict(arguments.backend, reason)
    return complain(reason)
