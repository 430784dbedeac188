"""`tritonopt passes`: the catalog."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from tritonopt.cli.main import OK, complain
from tritonopt.reporting import text
from tritonopt.reporting.findings import EXACT, safety_names
from tritonopt.rewriting import groups, options, registry
from tritonopt.rewriting.protocol import Lint, Pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: there is one catalog."""


def run(arguments: argparse.Namespace) -> int:
    code = OK
    found = []
    try:
        names = registry.names()
    except options.PassSelectionError as error:
        return complain(str(error))
    for name in names:
        try:
            found.append(registry.load(name))
        except options.PassSelectionError as error:
            code = complain(str(error))
    width = max((len(chosen.name) for chosen in found), default=0) + 2
    for chosen in found:
        _print_entry(chosen.name, width, chosen.summary, _terms(chosen))
    for group in groups.GROUPS.values():
        _print_entry(group.name, width, group.summary, [group.stands_for])
    return code


def _print_entry(name: str, width: int, summary: str, terms: Iterable[str]) -> None:
    style = text.Style.of(sys.stdout)
    for line in style.folded([(name.ljust(width), text.CYAN)], summary, width):
        print(line)
    for term in terms:
        for line in style.folded([(" " * width, "")], term, width):
            print(style.paint(line, text.DIM))


def _terms(chosen: type[Pass]) -> Iterator[str]:
    """When it runs, what it may need, and its options."""
    if issubclass(chosen, Lint):
        does = "fixes them if safe or named" if chosen.fixes else "changes nothing"
        yield f"reports mistakes, {does}"
        return
    when = "runs where profitable" if chosen.gain else "runs if named"
    when += ", or if its fix is safe" if chosen.fixes else ""
    safety = ",".join(safety_names(chosen.safety)) or EXACT
    yield f"{when}; safety {safety}{'; reports mistakes' if chosen.finds_mistakes else ''}"
    for option in options.of(chosen).values():
        default = options.spell(option.default) or "as explained"
        yield f"{{{option.name}=...}} {option.legal}; default {default}"
