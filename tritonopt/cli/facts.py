"""`tritonopt facts FILE`, `FILE:KERNEL`, `FILE:LINE`: what is known of kernels, to be checked."""

from __future__ import annotations

import argparse
import sys

from tritonopt import facts, source
from tritonopt.cli import arguments as shared
from tritonopt.cli.main import OK, complain
from tritonopt.cli.places import Place, PlaceError, place, read_place
from tritonopt.reporting import text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="FILE[:KERNEL|:LINE]",
        help="a file (- for stdin), or the kernel of it that has the name or that the line is in",
    )
    parser.add_argument(
        "--stdin-filename", metavar="PATH", help="what is read from stdin is this file"
    )
    shared.add_assume(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        given = [facts.parse_assumption(fact) for fact in arguments.assume]
        places = [place(target, arguments.stdin_filename) for target in arguments.targets]
        kernels = [k for one in places for k in _kernels(one)]
        style = text.Style.of(sys.stdout)
        for number, kernel in enumerate(kernels):
            if number:
                print()
            for line in facts.render(facts.of(kernel, given)).rstrip().splitlines():
                for shown in style.indented(line):
                    print(shown)
    except (PlaceError, source.SourceError, facts.AssumptionError) as error:
        return complain(str(error))
    return OK


def _kernels(given: Place) -> list[source.Kernel]:
    """Those that are meant. Raises SourceError where there are none."""
    module = read_place(given)
    found = [k for k in module.kernels if given.focus is None or given.focus.concerns(k)]
    if not found:
        raise source.SourceError(module.path, 0, 0, "no kernels")
    return found
