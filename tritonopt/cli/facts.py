"""`tritonopt facts FILE[:KERNEL]`: what is known of kernels, for a person to check."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tritonopt import facts, source
from tritonopt.cli import arguments as shared
from tritonopt.cli.main import OK, complain
from tritonopt.reporting import text
from tritonopt.rewriting.options import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", metavar="FILE[:KERNEL]", help="a file, or one kernel of it; all without a name"
    )
    shared.add_assume(parser)


def run(arguments: argparse.Namespace) -> int:
    path, name = _split(arguments.target)
    try:
        given = [facts.parse_assumption(fact) for fact in arguments.assume]
        module = source.read(source.read_file(Path(path)).text, path)
        kernels = [k for k in module.kernels if name in ("", k.name, k.qualname)]
        if not kernels:
            return complain(_none(path, name, [k.qualname for k in module.kernels]))
        style = text.Style.of(sys.stdout)
        for place, kernel in enumerate(kernels):
            if place:
                print()
            for line in facts.render(facts.of(kernel, given)).rstrip().splitlines():
                for shown in style.indented(line):
                    print(shown)
    except (source.SourceError, facts.AssumptionError) as error:
        return complain(str(error))
    return OK


def _split(target: str) -> tuple[str, str]:
    """A file whose own name has a colon is still found."""
    path, colon, name = target.rpartition(":")
    if not colon or Path(target).exists():
        return target, ""
    return path, name


def _none(path: str, name: str, names: list[str]) -> str:
    if not names:
        return f"{path}: no kernels"
    hint = nearest(name, names) or f"there are {', '.join(names)}"
    return f"{path}: no kernel {name!r}; {hint}"
