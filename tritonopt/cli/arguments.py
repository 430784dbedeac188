"""Arguments that several commands share, and how their texts are read."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import install_command
from tritonopt.reporting import formats
from tritonopt.reporting.reporter import say

if TYPE_CHECKING:
    from tritonopt.rewriting.model import Safety

EXACT = "exact"


_OF_VERIFY = frozenset({"torch", "triton", "hypothesis", "numpy"})
"""Modules of the packages that the extra `verify` installs."""


def missing(error: ModuleNotFoundError, command: str) -> str:
    """Say what to install for a command. Raises the error if the module is not of the extra."""
    if (error.name or "").partition(".")[0] not in _OF_VERIFY:
        raise error
    return f"{command} needs {error.name}: {install_command('verify')}"


def add_precision(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--precision",
        type=share,
        default=0.005,
        metavar="SHARE",
        help=f"{what}, up and down (default: %(default)s)",
    )


def add_timeout(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=120.0,
        metavar="S",
        help="the most seconds for a first call, in which kernels are compiled and tuned "
        "(default: %(default)s)",
    )


def add_examples(parser: argparse._ActionsContainer, what: str, default: int = 100) -> None:
    parser.add_argument(
        "--max-examples",
        type=positive,
        default=default,
        metavar="N",
        help=f"{what} (default: %(default)s)",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=formats.OF_VERDICTS, default="text", help="the form of the report"
    )


def add_call(parser: argparse.ArgumentParser) -> None:
    """What is called, and with what."""
    parser.add_argument(
        "--launcher", metavar="NAME", help="the function to call, if the file has several"
    )
    parser.add_argument(
        "--kernel",
        metavar="NAME",
        help="launch this kernel itself, without a launcher: needs --grid and --args",
    )
    parser.add_argument(
        "--grid",
        metavar="SIZES",
        help="the grid for --kernel, as in 'cdiv(n, BLOCK), m': names of sizes and arguments, "
        "+ - * // %%, cdiv, next_power_of_2, min, max",
    )
    parser.add_argument(
        "--args",
        metavar="LIST",
        help="the arguments of the launcher, as in 'x: f32[m, n], w: f32[n], eps: 1e-5', "
        "'parts: [f32[m, n], f32[k, n]], dim: 0'; inferred if possible",
    )
    parser.add_argument(
        "--assume",
        metavar="FACT",
        action="append",
        default=[],
        help="a condition on the sizes of every call, as in 'n %% 16 == 0', 'm <= n': only such "
        "calls are drawn (may be given several times)",
    )


TASK_SECONDS = 3600.0
"""What one task may take: a verification that takes longer hangs."""


def add_engine(
    group: argparse._ActionsContainer,
    *,
    jobs: bool = True,
    default: str = "local for several files, inline for one",
) -> None:
    """How many tasks are done, and by whom."""
    group.add_argument(
        "--engine",
        type=_engine,
        metavar="NAME",
        help="where several files are processed: `inline`, this process; `local`, processes of "
        "this machine, in which a crash or a hang costs one file; `ray` or `ray:ADDRESS`, a "
        f"cluster of Ray (default: {default})",
    )
    if jobs:
        group.add_argument(
            "--jobs",
            type=positive,
            metavar="N",
            help="how many files at a time (default: one for every two processors; with `ray` as "
            "many as fit)",
        )
    group.add_argument(
        "--task-timeout",
        type=seconds,
        default=TASK_SECONDS,
        metavar="S",
        help="the most seconds for one file (not for `inline`) (default: %(default)s)",
    )


def add_script(parser: argparse._ActionsContainer, where: str) -> None:
    """Flags on the scripts that show counterexamples; `where` says what PATH is."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--script",
        metavar="PATH",
        help=f"{where} (default: the current folder, or the one for temporary files where that "
        "cannot be written)",
    )
    chosen.add_argument("--no-script", action="store_true", help="write no script")


def write_script(text: str, name: str, path: str) -> str | None:
    """Write a script to a file, or under `name` into a folder; where, or None if that failed.

    Where no path was given and the current folder cannot be written, the script goes into the
    folder for temporary files: the verdict stands all the same.
    """
    into = not path or path.endswith(os.sep) or os.path.isdir(path)
    chosen = Path(path, name) if into else Path(path)
    try:
        if into:
            chosen.parent.mkdir(parents=True, exist_ok=True)
        chosen.write_text(text, encoding="utf-8")
        return str(chosen)
    except OSError as error:
        if not path:
            import tempfile

            return write_script(text, name, tempfile.mkdtemp(prefix="tritonopt-"))
        say(f"{chosen}: the script cannot be written: {error.strerror}")
        return None


def _engine(text: str) -> str:
    from tritonopt.engines import EngineError, engine_of

    try:
        engine_of(text)
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def share(text: str) -> float:
    """A part of a whole that a user gives."""
    if not 0 < (value := float(text)) < 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1")
    return value


def seconds(text: str) -> float:
    """A time that a user gives: above 0."""
    if not 0 < (value := float(text)) < 1e6:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def add_report_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output-format",
        "--format",
        dest="format",
        type=lambda name: formats.ALIASES.get(name, name),
        choices=formats.OF_FILES,
        default="text",
        metavar="full|concise|json|github|sarif",
        help=(
            "the format of the output: text (the default), one line each, JSON, GitHub "
            "Actions annotations, or SARIF"
        ),
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print only findings and errors, without notes and summary",
    )


def add_filter(parser: argparse.ArgumentParser) -> None:
    """Flags that restrict the passes of a run."""
    parser.add_argument(
        "--select",
        type=_names,
        action="extend",
        default=[],
        metavar="a,b",
        help=(
            "run only these of the passes that would run: names, groups, or prefixes of "
            "names (`split`); may be repeated"
        ),
    )
    parser.add_argument(
        "--ignore",
        type=_names,
        action="extend",
        default=[],
        metavar="a,b",
        help=(
            "do not run these passes, in addition to those that the configuration ignores; "
            "may be repeated"
        ),
    )


def _names(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",")]


def add_safety(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--safety",
        type=safety,
        metavar="LIST",
        help="safety levels permitted beyond exact, separated by commas: rounding, contract; "
        "`exact` permits nothing more (default: the configuration, else rounding,contract)",
    )


def add_assume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="EXPR",
        help="a fact over the kernel's parameters, such as 'M %% BLOCK_M == 0', 'N <= BLOCK' or "
        "'disjoint(X, Y)'; permits rewrites that need it; may be repeated",
    )


def safety(text: str) -> frozenset[Safety]:
    """What `--safety` lists: levels beyond exact, by commas."""
    try:
        levels = {safety_level(part.strip()) for part in text.split(",")}
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return frozenset(level for level in levels if level is not None)


def safety_level(name: str) -> Safety | None:
    """The level of a name, None for `exact`. Raises ValueError where there is none."""
    from tritonopt.rewriting.model import Safety
    from tritonopt.rewriting.options import nearest

    if name == EXACT:
        return None
    try:
        return Safety(name)
    except ValueError:
        legal = [EXACT, *(level.value for level in Safety)]
        hint = nearest(name, legal)
        raise ValueError(
            f"{name!r} is not a safety level; legal: {', '.join(legal)}"
            + (f" ({hint})" if hint else "")
        ) from None


def positive(number: str) -> int:
    """A count that a user gives: at least 1."""
    if (value := int(number)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
