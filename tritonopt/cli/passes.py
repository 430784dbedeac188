"""`tritonopt passes`: the catalogue."""

from __future__ import annotations

import argparse

from tritonopt.cli.main import OK, complain
from tritonopt.reporting.findings import safety_names
from tritonopt.rewriting import options, registry
from tritonopt.rewriting.passes import Pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: there is one catalogue."""


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
    rows = [("NAME", "SAFETY", "DEFAULT", "WHAT IT DOES"), *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    for chosen in found:
        for option in options.of(chosen).values():
            default = options.spell(option.default)
            print(f"\n{chosen.name}{{{option.name}=...}}: {option.legal}; default {default}")
    return code


def _row(chosen: type[Pass]) -> tuple[str, str, str, str]:
    safety = ",".join(safety_names(chosen.safety)) or "exact"
    return chosen.name, safety, "yes" if chosen.default else "no", chosen.summary
