"""Whether it pays to let several programs share a loop: it needs rows of many tiles."""

from __future__ import annotations

from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.tiles import goes_through_parts
from tritonopt.facts.algebra.turns import takes_at_most
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.value_parts import all_parts

_FEW = 32
"""Turns that leave nothing to gain: 64 and more were measured, with so many in each program 8."""


def pays_to_divide(facts: KernelFacts, loop: Loop) -> bool:
    """Whether turns are worth dividing, as far as the loop and its launches show."""
    return (
        _reads_tiles(facts, loop)
        and not _is_known_to_the_compiler(facts, loop)
        and not takes_at_most(facts, loop, _FEW)
        and not goes_through_parts(facts, loop)
    )


def _reads_tiles(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a turn reads more than single elements, which are few or wait for each other."""
    parts = (p for end in loop.following.values() for p in all_parts(facts, end))
    return any(part.op is Op.LOAD and part.shape != () for part in parts)


def _is_known_to_the_compiler(facts: KernelFacts, loop: Loop) -> bool:
    """Whether it counts one by one to a number that the kernel is compiled for.

    So an author passes how many experts, taps or parts there are. A row has tiles.
    """
    if loop.stop is None or loop.step is None or facts.forms.of(loop.step) != ONE:
        return False
    constants = {p.name for p in facts.kernel.parameters if p.constexpr}
    counted = facts.forms.of(loop.stop).atoms
    return all(isinstance(atom, Param) and atom.name in constants for atom in counted)
