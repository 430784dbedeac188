"""Ratios over two sizes: a table whose cells are shaded by how much faster or slower."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.measurement.results import Ratio, Row

_SHAPE = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True)
class Cell:
    """What one call came to."""

    text: str
    interval: str = ""
    shade: str = ""
    """Of a gain `g1` to `g3`, of a loss `l1` to `l3`, `z` for neither, `f` for a failure."""


@dataclass(frozen=True)
class HeatMap:
    """One size downwards, another one to the right."""

    caption: str
    down: str
    right: str
    """Empty where only one size varies."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    losses: int = 0


def shade_of(ratio: Ratio | None) -> str:
    """How a ratio is shaded."""
    if ratio is None:
        return "f"
    if ratio.is_gain:
        return "g1" if ratio.value < 1.1 else "g2" if ratio.value < 1.5 else "g3"
    if ratio.is_loss:
        return "l1" if ratio.value > 0.95 else "l2" if ratio.value > 0.8 else "l3"
    return "z"


def heat_maps(rows: Sequence[Row]) -> tuple[HeatMap, ...]:
    """The maps of one launcher, those with losses first; none where fewer than two calls have
    a ratio, or no size tells them apart."""
    measured = [row for row in rows if row.ratio is not None]
    if len(measured) < 2:
        return ()
    names = list(dict.fromkeys(name for row in rows for name in row.sizes))
    values = {name: {row.sizes.get(name) for row in rows} for name in names}
    varied = sorted((n for n in names if len(values[n]) > 1), key=lambda n: -len(values[n]))
    if not varied:
        return ()
    # The two of most values, in the order in which the call names them.
    axes = sorted(varied[:2], key=names.index)
    if len({tuple(row.sizes) for row in rows}) > 1:
        return _by_shape(rows)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(_rest(row, varied[2:]), []).append(row)
    found = []
    for caption, group in groups.items():
        if any(row.ratio is not None for row in group):
            found += list(_maps(caption, group, axes))
    return tuple(sorted(found, key=lambda each: -each.losses))


def _by_shape(rows: Sequence[Row]) -> tuple[HeatMap, ...]:
    """Where calls have different sizes at all: one line for each shape."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(types_of(row), []).append(row)
    found = []
    for caption, group in groups.items():
        shapes = (" ".join(dict.fromkeys(_SHAPE.findall(row.label))) for row in group)
        lines = tuple((shape, (_cell(row),)) for shape, row in zip(shapes, group, strict=True))
        losses = sum(row.ratio is not None and row.ratio.is_loss for row in group)
        found.append(HeatMap(caption, "shape", "", ("",), lines, losses))
    return tuple(sorted(found, key=lambda each: -each.losses))


def types_of(row: Row) -> str:
    """Types of the tensors and plain values of a call, without shapes."""
    return _SHAPE.sub("", row.label)


def _rest(row: Row, others: Sequence[str]) -> str:
    """What tells the calls of one map from those of another: types, plain values, other sizes."""
    sizes = ", ".join(f"{name}={row.sizes[name]}" for name in others if name in row.sizes)
    return "; ".join(filter(None, (types_of(row), sizes)))


def _maps(caption: str, rows: Sequence[Row], axes: Sequence[str]) -> Iterator[HeatMap]:
    """One map; several where calls cannot be separated by these sizes."""
    down, right = (axes[0], axes[1]) if len(axes) > 1 else (axes[0], "")
    left = list(rows)
    while left:
        cells: dict[tuple[int | None, int | None], Row] = {}
        again = []
        for row in left:
            key = (row.sizes.get(down), row.sizes.get(right) if right else None)
            if key in cells:
                again.append(row)
            else:
                cells[key] = row
        left = again
        tops = sorted({key[1] for key in cells}, key=_order)
        sides = sorted({key[0] for key in cells}, key=_order)
        yield HeatMap(
            caption,
            down,
            right,
            tuple("" if top is None else str(top) for top in tops),
            tuple(
                (str(side), tuple(_cell(cells.get((side, top))) for top in tops)) for side in sides
            ),
            sum(row.ratio is not None and row.ratio.is_loss for row in cells.values()),
        )


def _order(size: int | None) -> int:
    return -1 if size is None else size


def _cell(row: Row | None) -> Cell | None:
    if row is None:
        return None
    ratio = row.ratio
    if ratio is None:
        return Cell("failed" if row.failures else "-", shade="f")
    return Cell(f"{ratio.value:.2f}x", f"{ratio.low:.2f} to {ratio.high:.2f}", shade_of(ratio))
