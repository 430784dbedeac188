"""The axes of a value once its kernel handles several rows.

A lifted kernel has numbers, and tiles of two axes: [ROWS, 1] for what was a number of each row,
[1, BLOCK] for a tile that all rows share, [ROWS, BLOCK] for a tile of each row. Triton broadcasts
them against each other, so what is computed lane by lane has the axes of all of its operands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tritonopt.checks.condition import Declined, refuted, unknown

ROWS, COLUMNS, UNKNOWN = "rows", "columns", "unknown"

Axes = frozenset[str]
"""Those along which a value may have more than one element; `UNKNOWN` is in no other's company."""

SCALAR: Axes = frozenset()
OF_ROWS: Axes = frozenset({ROWS})
SHARED: Axes = frozenset({COLUMNS})
TILE: Axes = frozenset({ROWS, COLUMNS})
OPEN: Axes = frozenset({UNKNOWN})

CLAIM = "rows-can-be-lifted"

AXIS = 0
"""Of the grid: the one that numbers the rows."""


def met(parts: Iterable[Axes], line: int) -> Axes:
    """The axes of what is computed lane by lane from several parts. Raises Declined."""
    axes = SCALAR.union(*parts)
    if UNKNOWN not in axes:
        return axes - {f"{axis}?" for axis in axes}
    if of_rows(axes):
        detail = f"line {line} uses something whose axes are not known, or are more than one"
        raise unknown(CLAIM, "not-lane-by-lane", detail)
    return OPEN


def either(one: Axes, other: Axes) -> Axes:
    """The axes of what the compiler takes from one of two branches: `rows?` is what one has."""
    return (one & other) | {f"{axis.rstrip('?')}?" for axis in one ^ other}


def of_rows(axes: Axes) -> bool:
    """Whether a value may differ between rows."""
    return not axes.isdisjoint({ROWS, f"{ROWS}?"})


def at_most(axes: Axes) -> Axes:
    """The axes of a value that has all that it may have."""
    return frozenset(axis.rstrip("?") for axis in axes)


def not_lifted(what: str, line: int) -> Declined:
    """The reason for something that is not known to do the same for several rows."""
    return unknown(
        CLAIM, "not-lane-by-lane", f"how {what} in line {line} does several rows is not known"
    )


def changes_kind(name: str, line: int) -> Declined:
    """The reason for a name that is one value in one place, and one for each row in another."""
    detail = f"{name} in line {line} may be one value for all rows, or one for each"
    return refuted(CLAIM, "rows-differ", detail)


def on_the_row(test: ast.expr) -> Declined:
    """The reason for a branch that is not the same for all rows."""
    detail = f"`{ast.unparse(test)}` in line {test.lineno} may hold for some rows only"
    return unknown(CLAIM, "rows-differ", detail)
