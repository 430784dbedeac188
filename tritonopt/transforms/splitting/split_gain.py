"""Loops that several programs cannot share with a gain, however many iterations they have."""

from __future__ import annotations

from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.tiles import goes_through_parts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.value_parts import all_parts


def is_no_row(facts: KernelFacts, loop: Loop) -> bool:
    """Whether the loop goes through something other than the tiles of a row: single elements,
    experts or taps that the kernel is compiled for, the partial results of other programs."""
    return (
        not _reads_tiles(facts, loop)
        or _is_known_to_the_compiler(facts, loop)
        or goes_through_parts(facts, loop)
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
