"""Arguments that several commands share, and how their texts are read."""

from __future__ import annotations

import argparse

from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.options import nearest

EXACT = "exact"


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="the form of the report"
    )


def add_assume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="EXPR",
        help="a fact over the kernel's parameters, such as 'M %% BLOCK_M == 0', 'N <= BLOCK' or "
        "'disjoint(X, Y)'; giving it permits what rests on it; may be repeated",
    )


def safety(text: str) -> frozenset[Safety]:
    """What `--safety` lists: levels beyond exact, by commas."""
    levels = set()
    for name in (part.strip() for part in text.split(",")):
        if name == EXACT:
            continue
        try:
            levels.add(Safety(name))
        except ValueError:
            legal = [EXACT, *(level.value for level in Safety)]
            hint = nearest(name, legal)
            raise argparse.ArgumentTypeError(
                f"{name!r} is no safety level; legal: {', '.join(legal)}"
                + (f" ({hint})" if hint else "")
            ) from None
    return frozenset(levels)


def positive(number: str) -> int:
    """A count that a user gives: at least 1."""
    if (value := int(number)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
