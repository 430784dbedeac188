"""What `tritonopt explain FILE:LINE` and `tritonopt explain FILE:KERNEL` print."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from tritonopt.cli.configuration import Configurations, Settings
from tritonopt.cli.places import Place, PlaceError, read_place
from tritonopt.cli.selection import Selection
from tritonopt.reporting import text
from tritonopt.rewriting.dry_run import dry_run
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import RemarkKind


def explain_sites(target: Place, arguments: argparse.Namespace) -> None:
    """The sites in a kernel or a line, with every condition, on stdout."""
    module = read_place(target)
    path, focus = module.path, target.focus
    if focus is None:
        raise PlaceError(f"{path}: say which line or kernel, as in {path}:12")
    kernel = focus.kernel(module)
    assert kernel is not None  # what was named is there
    settings = _settings(path)
    selection = Selection.of(arguments)
    result = dry_run(
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
    for note in (*result.notes, *selection.notes(settings)):
        print(f"note: {note}", file=sys.stderr)


def _settings(path: str) -> Settings:
    configuration = Configurations().of(Path(path))
    return Settings() if configuration is None else configuration.settings(Path(path))
