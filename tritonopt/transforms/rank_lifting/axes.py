"""The axes of a tile once its kernel handles several rows, and how two of them meet.

A value that differs from row to row has the rows for its first axis; another one is what it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from tritonopt.checks.condition import Declined, refuted, unknown

ROWS, COLUMNS, UNKNOWN = "rows", "columns", "unknown"

Axes = tuple[str, ...]
"""`()` of a scalar, `(ROWS,)` of what was a scalar of each row, `(COLUMNS,)` of a tile that all
rows share, `(ROWS, COLUMNS)` of a tile of each row, `(UNKNOWN,)` where the rank is not known."""

SCALAR: Axes = ()
OF_ROWS: Axes = (ROWS,)
SHARED: Axes = (COLUMNS,)
TILE: Axes = (ROWS, COLUMNS)
OPEN: Axes = (UNKNOWN,)

CLAIM = "rows-can-be-lifted"

_WIDENED = {(OF_ROWS, TILE): "[:, None]", (SHARED, TILE): "[None, :]"}


def met(parts: Iterable[Axes], line: int) -> Axes:
    """The axes of what is computed from some parts, lane by lane. Raises Declined."""
    found = set(parts)
    if not any(ROWS in axes for axes in found):
        return SHARED if SHARED in found else OPEN if OPEN in found else SCALAR
    if OPEN in found:
        detail = f"line {line} uses something whose axes are not known, or are more than one"
        raise unknown(CLAIM, "not-lane-by-lane", detail)
    return TILE if any(COLUMNS in axes for axes in found) else OF_ROWS


def widening(axes: Axes, target: Axes) -> str:
    """What stands behind a value so that it has its lanes where the target has them."""
    return _WIDENED.get((axes, target), "")


def not_lifted(what: str, line: int) -> Declined:
    """The reason for something that is not known to do the same for several rows."""
    return unknown(
        CLAIM, "not-lane-by-lane", f"how {what} in line {line} does several rows is not known"
    )


def changes_kind(name: str, line: int) -> Declined:
    """The reason for a name that is one value in one place, and one for each row in another."""
    detail = f"{name} in line {line} may be one value for all rows, or one for each"
    return refuted(CLAIM, "rows-differ", detail)
