"""`tritonopt explain PASS`, `REASON`, `WORD`, `FILE:LINE` or `FILE:KERNEL`."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.checks import reasons
from tritonopt.cli import arguments as shared
from tritonopt.cli.main import OK, complain
from tritonopt.cli.places import STDIN, Place, PlaceError, place, read_place
from tritonopt.reporting import text
from tritonopt.reporting.glossary import ON_PAGES, glossary
from tritonopt.rewriting import groups, options, registry
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.verification.verdict import CHEATS

if TYPE_CHECKING:
    from tritonopt.cli.configuration import Settings
    from tritonopt.rewriting.protocol import Pass

_DESCRIPTION = """\
Print the manual page of a pass; what a name in a remark means, a claim or a reason, and what to do
about it; what a word of the reports means; or of the sites in a kernel or a line of a file (of a
line without one: in the kernel that it is in), which conditions hold, which do not, and why.
With --reasons, list all claims and reasons with a line each.
"""

_WHAT_CAN_BE_ASKED = (
    "Give a pass (`tritonopt passes` lists them), a claim or a reason that a remark gives, a "
    "word of the glossary, FILE:LINE or FILE:KERNEL"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "targets", nargs="*", metavar="PASS | REASON | WORD | FILE:LINE | FILE:KERNEL"
    )
    parser.add_argument(
        "--reasons", action="store_true", help="list all claims and reasons, with a line each"
    )
    parser.add_argument(
        "--stdin-filename", metavar="FILE:LINE", help="the name of the file read from stdin (-)"
    )
    parser.add_argument(
        "--passes",
        metavar="a,b|all|default|rows",
        help="the passes for FILE:LINE (default: every pass, as without --passes elsewhere)",
    )
    shared.add_safety(parser)
    shared.add_assume(parser)
    parser.set_defaults(config=None, isolated=False)


def run(arguments: argparse.Namespace) -> int:
    if not arguments.targets and not arguments.reasons:
        return complain(f"nothing to explain. {_WHAT_CAN_BE_ASKED}")
    if arguments.reasons:
        _list_reasons()
    for number, target in enumerate(arguments.targets):
        if number or arguments.reasons:
            print()
        try:
            if ":" not in target and target != STDIN:
                _explain_name(target)
            elif (code := _explain_place(target, arguments)) != OK:
                return code
        except (PlaceError, PassSelectionError) as error:
            return complain(str(error))
    return OK


def _explain_place(target: str, arguments: argparse.Namespace) -> int:
    # Imported here: what a name means needs nothing of this.
    from tritonopt import facts, source
    from tritonopt.cli.configuration import ConfigurationError

    try:
        _explain_sites(place(target, arguments.stdin_filename), arguments)
    except (facts.AssumptionError, ConfigurationError, source.SourceError) as error:
        return complain(str(error))
    return OK


def _list_reasons() -> None:
    registry.catalog()  # passes of other packages bring their own
    lines = list(reasons.listed())
    width = max(len(name) for name, _, _ in lines)
    for name, kind, sentence in lines:
        print(f"{name:{width}}  {kind:6}  {sentence}")


def _explain_name(name: str) -> None:
    if os.path.lexists(name):
        raise PlaceError(f"{name}: give a line or kernel, as in {name}:12")
    if name in registry.names():
        _print_page(registry.load(name))
        return
    lines = [*_of_group(name), *_of_word(name), *_of_cheat(name), *reasons.explained(name)]
    if not lines:
        # Passes of other packages say what theirs mean when they are loaded.
        registry.catalog()
        lines = reasons.explained(name)
    if not lines:
        raise PlaceError(_unknown(name))
    style = text.Style.of(sys.stdout)
    for line in lines:
        for shown in style.indented(line):
            print(shown)


def _of_group(name: str) -> Iterator[str]:
    """A group: its passes in their order, with a line each."""
    group = groups.GROUPS.get(name)
    if group is None:
        return
    yield from (f"{name}: a group of passes; {group.summary}", f"  {group.stands_for}")
    for member in group.members():
        yield f"  {member.name}: {registry.load(member.name).summary}"


def _of_word(name: str) -> Iterator[str]:
    """A word of the glossary, with blanks or hyphens between its parts."""
    for word, sentence in glossary().items():
        if _plain(word) == _plain(name):
            yield from (f"{word}: a word of the glossary", f"  {sentence}")


def _of_cheat(name: str) -> Iterator[str]:
    """What `verify` says of a candidate that does not do the work."""
    if name in CHEATS:
        yield from (f"{name}: a cheat that verify reports", f"  {CHEATS[name]}")


def _plain(word: str) -> str:
    return word.lower().replace("-", " ").replace("_", " ")


def _unknown(name: str) -> str:
    # Imported here: only for messages.
    from tritonopt.rewriting.uninstalled import what_to_do

    message = f"there is no pass, reason or word {name!r}"
    if written := what_to_do(name):
        return f"{message}; {written}"
    near = options.nearest(
        name.lower(), [*registry.names(), *groups.GROUPS, *reasons.names(), *glossary(), *CHEATS]
    )
    return f"{message}{f'; {near}' if near else '.'} {_WHAT_CAN_BE_ASKED}"


def _print_page(chosen: type[Pass]) -> None:
    lines = [inspect.getdoc(chosen) or chosen.summary]
    known = options.of(chosen)
    if known:
        lines += ["", "## Options", ""]
        lines += [
            f"- `{option.name}`: {option.legal}; default {options.spell(option.default) or 'above'}"
            for option in known.values()
        ]
    page = "\n".join([*lines, "", ON_PAGES])
    if not text.Style.of(sys.stdout).color:
        print(f"# {chosen.name}\n\n{page}")
        return
    # Imported here: slow, and of use on a terminal only.
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    # In the terminal's own colors, which suit a light one as well as a dark one.
    console = Console(theme=Theme({"markdown.code": "cyan", "markdown.h2": "bold"}))
    console.print(f"{chosen.name}\n", style="bold cyan", highlight=False)
    console.print(Markdown(page, code_theme="ansi_dark"), width=min(console.width, 100))


def _explain_sites(target: Place, arguments: argparse.Namespace) -> None:
    """The sites in a kernel or a line, with every condition, on stdout."""
    from tritonopt.cli.selection import Selection
    from tritonopt.rewriting import registry
    from tritonopt.rewriting.dry_run import dry_run
    from tritonopt.rewriting.focus import Focus
    from tritonopt.rewriting.model import RemarkKind

    module = read_place(target)
    path, focus = module.path, target.focus
    if focus is None:
        raise PlaceError(f"{path}: give a line or kernel, as in {path}:12")
    kernel = focus.kernel(module)
    assert kernel is not None  # what was named is there
    settings = _settings(path)
    selection = Selection.of(arguments).suggesting()
    passes = selection.passes(settings)
    if arguments.passes is None:
        ignored = selection.ignored(settings)
        every = (kind() for name, kind in registry.catalog().items() if name not in ignored)
        passes = [one.where_profitable() for one in every]
    result = dry_run(
        module,
        passes,
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
            remark = replace(
                remark, message=(f"can be applied: {found.site.advice or remark.message}")
            )
        for line in text.explained_lines(path, remark, style):
            print(line)
    for remark in (*result.given_up, *result.defects):
        print(f"{path}:{remark.line}:{remark.column}: {remark.message}", file=sys.stderr)
    for note in selection.notes(settings):
        print(f"note: {note}", file=sys.stderr)


def _settings(path: str) -> Settings:
    from tritonopt.cli.configuration import Configurations, Settings

    configuration = Configurations().of(Path(path))
    return Settings() if configuration is None else configuration.settings(Path(path))
