"""Tiles that are long at each launch, however short a row is: for short rows, one that fits.

if n <= 512:
    block = triton.next_power_of_2(max(n, 16))
    kernel_rows[...](x, y, n, BLOCK=block, ...)
else:
    kernel[(m,)](x, y, n, BLOCK=1024)
"""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.checks.condition import Declined, refuted
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Param
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.operations import Op
from tritonopt.source import AddArgument, Change, Launch, ReplaceExpression
from tritonopt.transforms.one_tile.any_length import prove_any_length
from tritonopt.transforms.one_tile.length_at_launch import LEAST, RowLength
from tritonopt.transforms.one_tile.sweeps import RowSweeps


@dataclass(frozen=True)
class FittedTile:
    """A tile that may be as long as the row, where the launches make it longer."""

    extent: Polynomial
    """The length of a row, in parameters of the kernel."""
    parameter: str
    """What says how long a tile is."""

    def passed(self, launch: Launch, name: str) -> Change:
        """The launch with a tile of that name."""
        given = launch.arguments.get(self.parameter)
        if given is None:
            return AddArgument(launch.call, f"{self.parameter}={name}")
        return ReplaceExpression(given, name)

    def only_if(self, launch: Launch, longest: int) -> str:
        """Code for where a row is short. Raises NotExpressible."""
        return f"{RowLength(launch, self.extent).text} <= {longest}"

    def length(self, launch: Launch) -> str:
        """Code for the length of the tile that holds such a row. Raises NotExpressible."""
        row = RowLength(launch, self.extent)
        return f"{row.next_power}(max({row.text}, {LEAST}))"


def fitted_tile(facts: KernelFacts, longest: int, said: str) -> FittedTile:
    """Raises Declined where a launch needs the tile that it has, or is not seen to have a long one.

    The reason begins with what is said of that tile.
    """
    rows = {facts.forms.trip_count(loop) for loop in facts.loops}
    tiles = {facts.forms.of(v.extent) for v in facts.interpretation.computed if v.op is Op.LANE}
    sweep = rows.pop() if len(rows) == 1 else None
    turns = None if sweep is None else sweep.sole_atom
    tile = tiles.pop() if len(tiles) == 1 else None
    parameter = None if tile is None else tile.sole_atom
    if not isinstance(turns, CeilDiv) or not isinstance(parameter, Param) or tile is None:
        raise _is_long(said, "no loop goes through the row in tiles")
    extent, step = turns.arguments
    assert isinstance(extent, Polynomial)
    if step != tile:
        raise _is_long(said, "the loop goes through the row in other tiles")
    if not all(isinstance(atom, Param) for atom in extent.atoms):
        raise _is_long(said, "the launch does not show how long a row is")
    if len(facts.kernel.decorators) > 1:
        raise _is_long(said, "a decorator of the kernel may see how long it is")
    for binding in facts.launches.bindings:
        length = substitute(tile, binding).constant_value
        if length is None or length <= longest:
            raise _is_long(said, "of other launches that is not known")
        elements = substitute(extent, binding).constant_value
        if elements is not None and elements > longest:
            raise _is_long(said, f"a row has {elements}")
    sweeps = RowSweeps(facts, facts.kernel.node, "body", tuple(facts.loops), one_turn=False)
    try:
        prove_any_length(sweeps, extent, tile)
    except Declined as declined:
        raise _is_long(said, f"it cannot be shorter: {declined.condition.detail}") from None
    return FittedTile(extent, parameter.name)


def _is_long(said: str, why: str) -> Declined:
    return refuted("rows-can-be-lifted", "tile-is-long", f"{said}; {why}")
