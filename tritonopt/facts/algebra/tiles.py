"""How many tiles a sweep takes at each launch: whether one holds the whole row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import CeilDiv, FloorDiv, Minimum, PowerOfTwo
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.effects import Loop

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


@dataclass(frozen=True)
class Tiles:
    """What one launch shows of a sweep, under one configuration."""

    where: str
    """The launch, as messages name it."""
    holds_row: bool = False
    """Whether one tile always holds the row."""
    grows: bool = False
    """Whether the tile is as large as the row takes, up to the size below."""
    size: int | None = None
    """Of the tile, or the most that it can be; None where that is no number here."""


def tiles_of(facts: KernelFacts, loop: Loop) -> tuple[Tiles, ...]:
    """For every launch and configuration; empty where the launches are not known."""
    row = length_and_tile(facts, loop)
    if row is None:
        return ()
    length, step = row
    found = [
        _tiles(binding.launch.where, substitute(length, binding), substitute(step, binding))
        for binding in facts.launches.bindings
    ]
    return tuple(dict.fromkeys(found))


def length_and_tile(facts: KernelFacts, loop: Loop) -> tuple[Polynomial, Polynomial] | None:
    """The elements that a loop goes through, and those of one iteration."""
    if loop.start is None or loop.stop is None or loop.step is None:
        return None
    length = facts.forms.of(loop.stop) - facts.forms.of(loop.start)
    step = facts.forms.of(loop.step)
    if step == ONE and (counted := _counted(length)) is not None:
        return counted
    return length, step


def goes_through_parts(facts: KernelFacts, loop: Loop) -> bool:
    """Whether each launch passes how many tiles there are of something, for a loop over tiles.

    What it goes through then is what the programs of another kernel have found, a number each.
    """
    if loop.start is None or loop.stop is None or loop.step is None:
        return False
    length = facts.forms.of(loop.stop) - facts.forms.of(loop.start)
    bindings = facts.launches.bindings
    if not bindings or facts.forms.of(loop.step) == ONE:
        return False
    return all(isinstance(substitute(length, b).sole_atom, CeilDiv) for b in bindings)


def _tiles(where: str, length: Polynomial, step: Polynomial) -> Tiles:
    whole = Polynomial.of(PowerOfTwo(length))
    rest = (step - length).constant_value
    if step == whole or (rest is not None and rest >= 0):
        return Tiles(where, holds_row=True)
    atom = step.sole_atom
    if isinstance(atom, Minimum) and whole in atom.inside:
        sizes = [form.constant_value for form in atom.inside if form != whole]
        return Tiles(where, grows=True, size=_number(sizes[0]) if sizes else None)
    if step == ONE:
        return Tiles(where)  # a loop that counts tiles
    return Tiles(where, size=_number(step.constant_value))


def _counted(tiles: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """(length, tile) of a loop that counts tiles: `range(tl.cdiv(N, BLOCK))`."""
    match tiles.sole_atom:
        case CeilDiv(length, tile):
            return length, tile
        case FloorDiv(length, tile):
            return length - tile + 1, tile
    return None


def _number(constant: Fraction | None) -> int | None:
    return int(constant) if constant is not None and constant.denominator == 1 else None
