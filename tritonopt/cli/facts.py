"""`tritonopt facts FILE`, `FILE:KERNEL`, `FILE:LINE`: what is known of kernels, to be checked."""

from __future__ import annotations

import argparse
import sys

from tritonopt import facts, source
from tritonopt.cli import arguments as shared
from tritonopt.cli.main import OK, complain
from tritonopt.cli.places import Place, PlaceError, place, read_place
from tritonopt.facts import describe
from tritonopt.reporting import text

_DEEPER = 4
_FARTHEST = 48


_DESCRIPTION = """\
Print what is known of the kernels of a file: parameters, loops, memory accesses; and of each name
where it is bound, its shape, its type, and its value in terms of parameters, program ids,
iterations (iteration0, iteration1, ...) and lanes. Of a type, `*fp32` is a pointer to fp32,
`fp16|fp32` is one or the other, and a `?` stands for what is not known. What is loaded is
X[index] where mask.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="FILE[:KERNEL|:LINE]",
        help="a file (- for stdin), or one of its kernels, by name or by a line in it",
    )
    parser.add_argument(
        "--stdin-filename", metavar="PATH", help="the name of the file read from stdin"
    )
    parser.add_argument("--full", action="store_true", help="do not shorten values")
    parser.add_argument(
        "--compile",
        action="store_true",
        help=(
            "list, for each integer parameter, the loads and stores that are wider if it "
            "is a multiple of 16, or 1 (imports the file in another process)"
        ),
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
            known = facts.of(kernel, given)
            lines = list(describe.lines(known, 0 if arguments.full else describe.LONGEST))
            if arguments.compile:
                from tritonopt.facts.machine_code.launched_settings import specialization_lines

                lines.append(("", "  specialization:"))
                lines += (("    ", line) for line in specialization_lines(known))
            for head, line in lines:
                for shown in style.folded([(head, "")], line, _indent(head)):
                    print(shown.rstrip())
    except (PlaceError, source.SourceError, facts.AssumptionError) as error:
        return complain(str(error))
    return OK


def _indent(head: str) -> int:
    """Where a line goes on that a terminal folds: in its column, if that is not too far right."""
    if not head.strip():
        return len(head) + _DEEPER
    return len(head) if len(head) <= _FARTHEST else 2 * _DEEPER


def _kernels(given: Place) -> list[source.Kernel]:
    """Those that are meant. Raises SourceError where there are none."""
    module = read_place(given)
    found = [k for k in module.kernels if given.focus is None or given.focus.concerns(k)]
    if not found:
        message = "no kernels: it has no function under @triton.jit"
        raise source.SourceError(module.path, 0, 0, message)
    return found
