"""`tritonopt explain PASS` and `tritonopt explain FILE:LINE`."""

from __future__ import annotations

import argparse
import inspect
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import facts, source
from tritonopt.cli import arguments as shared
from tritonopt.cli.configuration import ConfigurationError, Configurations, Settings
from tritonopt.cli.main import OK, complain
from tritonopt.cli.selection import Selection
from tritonopt.reporting import text
from tritonopt.rewriting import options, registry
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.survey import survey

if TYPE_CHECKING:
    from tritonopt.rewriting.passes import Pass

_DESCRIPTION = """\
Print the manual page of a pass; or of the sites in a line of a file, or of all in the kernel that
the line is in, which conditions hold, which do not, and why.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("target", metavar="PASS | FILE:LINE")
    parser.add_argument(
        "--passes",
        default="all",
        metavar="a,b|all|default",
        help="the passes to ask about a line (default: %(default)s)",
    )
    shared.add_safety(parser)
    shared.add_assume(parser)
    parser.set_defaults(config=None, isolated=False)


def run(arguments: argparse.Namespace) -> int:
    path, colon, line = arguments.target.rpartition(":")
    try:
        if colon and line.isdigit():
            return _explain_line(path, int(line), arguments)
        if Path(arguments.target).exists():
            return complain(f"{arguments.target}: say which line, as in {arguments.target}:12")
        _print_page(registry.load(arguments.target))
    except (PassSelectionError, facts.AssumptionError, ConfigurationError) as error:
        return complain(str(error))
    except source.SourceError as error:
        return complain(str(error))
    return OK


# A pass


def _print_page(chosen: type[Pass]) -> None:
    lines = [inspect.getdoc(chosen) or chosen.summary]
    known = options.of(chosen)
    if known:
        lines += ["", "## Options", ""]
        lines += [
            f"- `{option.name}`: {option.legal}; default {options.spell(option.default) or 'none'}"
            for option in known.values()
        ]
    page = "\n".join(lines)
    if not text.Style.of(sys.stdout).colour:
        print(f"# {chosen.name}\n\n{page}")
        return
    # Imported here: slow, and of use on a terminal only.
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    # In the terminal's own colours, which suit a light one as well as a dark one.
    console = Console(theme=Theme({"markdown.code": "cyan", "markdown.h2": "bold"}))
    console.print(f"{chosen.name}\n", style="bold cyan", highlight=False)
    console.print(Markdown(page, code_theme="ansi_dark"), width=min(console.width, 100))


# A line


def _explain_line(path: str, line: int, arguments: argparse.Namespace) -> int:
    file = source.read_file(Path(path))
    module = source.read(file.text, path)
    if not 1 <= line <= module.lines.count:
        return complain(f"{path}: has no line {line}; it has {module.lines.count}")
    around = [k for k in module.kernels if k.first_line <= line <= (k.node.end_lineno or 0)]
    if not around:
        names = ", ".join(f"{k.name} (line {k.node.lineno})" for k in module.kernels)
        return complain(f"{path}:{line}: is in no kernel; there are {names or 'none'}")
    settings = _settings(path)
    selection = Selection.of(arguments)
    result = survey(
        module,
        selection.passes(settings),
        selection.safety(settings),
        selection.facts(settings),
    )
    kernel = max(around, key=lambda k: k.first_line)
    mine = [f for f in result.found if f.known.kernel is kernel]
    here = [found for found in mine if found.remark.line == line]
    style = text.Style.of(sys.stdout)
    if not here:
        shown = f"no pass has a site in line {line}"
        print(f"{path}:{line}: {shown}" + (f"; those of {kernel.name}:" if mine else ""))
    for found in here or mine:
        remark = found.remark
        if remark.kind is RemarkKind.PASSED:
            remark = replace(remark, message=f"can be done: {found.site.advice or remark.message}")
        for shown in text.explained_lines(path, remark, style):
            print(shown)
    for remark in result.defects:
        print(f"{path}:{remark.line}:{remark.column}: {remark.message}", file=sys.stderr)
    return OK


def _settings(path: str) -> Settings:
    configuration = Configurations().of(Path(path))
    return Settings() if configuration is None else configuration.settings(Path(path))
