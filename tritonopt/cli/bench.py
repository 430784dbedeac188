"""`tritonopt bench`: what two versions of a file take on this GPU, call by call."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tritonopt.cli import arguments as shared
from tritonopt.cli import html_report
from tritonopt.cli.main import ERROR, OK, complain
from tritonopt.cli.places import PlaceError, place
from tritonopt.cli.progress import Bar
from tritonopt.cli.verify import kernel_at
from tritonopt.reporting import formats
from tritonopt.source import SourceError

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison
    from tritonopt.tuning.bench import Progress

_DESCRIPTION = """\
Call the launchers of both files alternately on the GPU, and print what each takes for
every call, the ratio of the two with its 95 % interval, and how near they come to a
copy of the same number of bytes. This runs the files' code. With one file: its times.

  tritonopt bench before.py after.py --args 'x: f16[m=1024..65536*4, n=1024|4096], w: f16[n]'
  tritonopt bench before.py after.py -- python train.py
  tritonopt bench after.py --kernel scale --grid 'cdiv(n, BLOCK)' \\
      --args 'x: f32[n=1048576], y: f32[n], BLOCK: 256|1024'

After the name of a size comes its value: a number, several (1024|4096), or a range
with a factor (1024..65536*4). All combinations are timed. After `--` stands a command
of yours: the launches of BEFORE's kernels that it makes are timed. Without either the
file itself is run for its launches, where it has a __main__ part or tests.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "before",
        metavar="BEFORE",
        help=("a file; FILE:KERNEL selects the function that launches this kernel"),
    )
    parser.add_argument(
        "after",
        metavar="AFTER",
        nargs="?",
        help=("another version of it; without it, only BEFORE is timed"),
    )
    shared.add_call(parser)
    _add_effort(parser)
    parser.add_argument(
        "--no-gpu",
        action="store_true",
        help=(
            "run nothing: compile the kernels for several GPUs, which need not be present, "
            "and print registers, spills, shared memory and the widths of accesses"
        ),
    )
    shared.add_format(parser)
    html_report.add_report(parser)


def _add_effort(parser: argparse.ArgumentParser) -> None:
    shared.add_precision(parser, "stop when half the 95 %% interval of the ratio is below this")
    parser.add_argument(
        "--seconds",
        type=shared.seconds,
        default=2.0,
        metavar="S",
        help="the most seconds for one call (default: %(default)s)",
    )
    shared.add_timeout(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        from tritonopt.tuning.bench import NoGpu
        from tritonopt.verification import VerificationError
    except ModuleNotFoundError as error:
        return _nothing(shared.missing(error, "timing"), arguments)
    try:
        found = _timed(arguments)
    except (VerificationError, NoGpu, PlaceError, SourceError) as error:
        return _nothing(str(error), arguments)
    formats.comparison_reporter(arguments.format).comparison(found)
    if arguments.report is not None:
        from tritonopt.reporting.page.timing_page import timing_page

        contents = timing_page(found, html_report.facts_of(arguments))
        if not html_report.is_written(arguments.report, contents):
            return ERROR
    # A call of which nothing could be told is no answer, as for `verify`.
    told = any(row.times or row.compiled for row in found.rows)
    return OK if told else ERROR


def _timed(arguments: argparse.Namespace) -> Comparison:
    """Raises NoGpu, and what is wrong with what was given."""
    from tritonopt.measurement.timing import Effort
    from tritonopt.tuning.bench import bench

    before = place(arguments.before)
    about = None if before.focus is None else kernel_at(before)
    if about is not None and (arguments.launcher or arguments.kernel):
        raise PlaceError(
            f"{before.path}: give a part of the file, --kernel or --launcher, not two of them"
        )
    if about is not None and arguments.grid:
        arguments.kernel = about
    with Bar(1, "timing", sys.stderr) as bar:

        def show(progress: Progress) -> None:
            bar.update(progress.done, progress.of, progress.label)

        return bench(
            before.path,
            arguments.after,
            launcher=arguments.launcher,
            about=about,
            kernel=arguments.kernel,
            grid=arguments.grid,
            args=arguments.args,
            assume=arguments.assume,
            command=arguments.shadowed,
            effort=Effort(precision=arguments.precision, seconds=arguments.seconds),
            timeout=arguments.timeout,
            gpu=not arguments.no_gpu,
            progress=show,
        )


def _nothing(reason: str, arguments: argparse.Namespace) -> int:
    """What stood in the way; a script that asked for JSON gets it in an object."""
    formats.comparison_reporter(arguments.format).nothing(reason)
    return complain(reason)
