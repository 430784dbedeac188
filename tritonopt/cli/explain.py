"""`tritonopt explain PASS`, `tritonopt explain FILE:LINE` and `tritonopt explain FILE:KERNEL`."""

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
from tritonopt.cli.places import STDIN, Place, PlaceError, place, read_place
from tritonopt.cli.selection import Selection
from tritonopt.reporting import text
from tritonopt.rewriting import options, registry
from tritonopt.rewriting.dry_run import survey
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.options import PassSelectionError

if TYPE_CHECKING:
    from tritonopt.rewriting.protocol import Pass

_DESCRIPTION = """\
Print the manual page of a pass; or of the sites in a kernel or a line of a file (of a line without
one: in the kernel that it is in), which conditions hold, which do not, and why.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("targets", nargs="+", metavar="PASS | FILE:LINE | FILE:KERNEL")
    parser.add_argument(
        "--stdin-filename", metavar="FILE:LINE", help="what is read from stdin (-) is this file"
    )
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
    for number, target in enumerate(arguments.targets):
        if number:
            print()
        try:
            if ":" not in target and target != STDIN:
                _explain_pass(target)
            else:
                _explain_sites(place(target, arguments.stdin_filename), arguments)
        except (PlaceError, PassSelectionError, facts.AssumptionError, ConfigurationError) as error:
            return complain(str(error))
        except source.SourceError as error:
            return complain(str(error))
    return OK


def _explain_pass(name: str) -> None:
    if Path(name).exists():
        raise PlaceError(f"{name}: say which line or kernel, as in {name}:12")
    _print_page(registry.load(name))


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


# A kernel, or a line


def _explain_sites(target: Place, arguments: argparse.Namespace) -> None:
    module = read_place(target)
    path, focus = module.path, target.focus
    if focus is None:
        raise PlaceError(f"{path}: say which line or kernel, as in {path}:12")
    kernel = focus.kernel(module)
    assert kernel is not None  # what was named is there
    settings = _settings(path)
    selection = Selection.of(arguments)
    result = survey(
        module,
        selection.passes(settings),
        selection.safety(settings),
        selection.facts(settings),
        only=Focus(frozenset({kernel.qualname})),
    )
    mine = [found for found in result.found if found.known.kernel is kernel]
    here = [found for found in mine if focus.covers(kernel, found.remark.line)]
    style = text.Style.of(sys.stdout)
    if not here:
        what = f"line {min(focus.lines)}" if focus.lines else kernel.qualname
        shown = (
            f"{path}:{min(focus.lines, default=kernel.node.lineno)}: no pass has a site in {what}"
        )
        print(shown + (f"; those of {kernel.name}:" if mine else ""))
    for found in here or mine:
        remark = found.remark
        if remark.kind is RemarkKind.PASSED:
            remark = replace(remark, message=f"can be done: {found.site.advice or remark.message}")
        for line in text.explained_lines(path, remark, style):
            print(line)
    for remark in (*result.given_up, *result.defects):
        print(f"{path}:{remark.line}:{remark.column}: {remark.message}", file=sys.stderr)


def _settings(path: str) -> Settings:
    configuration = Configurations().of(Path(path))
    return Settings() if configuration is None else configuration.settings(Path(path))
