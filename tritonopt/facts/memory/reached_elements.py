"""Whether a kernel stays inside its tensors, where they have sizes that were put in for trial.

Where it does not, these are not sizes that anybody passes: the tensor has more axes, and is shorter
along each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    FloorDiv,
    Iteration,
    Lane,
    Loaded,
    Param,
    ProgramId,
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.memory.offsets import number_of

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_SHORT = 16
"""What a tile has at least along an axis of its own, where nothing is known of it."""


@dataclass(frozen=True)
class Reach:
    """An access: its tensor, its offset in terms of the launcher, and its lanes without a mask."""

    tensor: Polynomial
    offset: Polynomial
    free: frozenset[Lane]
    length: int = 0
    """How many elements the tensor has."""

    def is_inside(self, trial: Mapping[Atom, int]) -> bool:
        """Whether it is inside the tensor; what is not known of it is as small as it can be."""
        numbers = dict(trial)
        tiles = {atom for lane in lanes_of(self.offset) for atom in inputs_of(lane.extent)}
        for atom in inputs_of(self.offset):
            if isinstance(atom, (ProgramId, Iteration, Lane, Loaded)):
                least = 0
            else:
                # A row whose length is not followed has more than one element.
                least = 1 if isinstance(atom, TensorSize) else 2
            numbers.setdefault(atom, _SHORT if atom in tiles else least)
        for lane in self.free:
            if lane not in trial:
                numbers[lane] = (number_of(lane.extent, numbers) or 1) - 1
        element = number_of(self.offset, numbers)
        return element is None or element < self.length


def reach_of(facts: KernelFacts, binding: LaunchBinding, effect: Effect) -> Reach | None:
    """That of one access at one launch; None where it is not of one parameter. Raises TooLarge."""
    if effect.pointer is None:
        return None
    base, offset = facts.forms.address(effect.pointer)
    tensor = binding.values.get(Param(base)) if base is not None else None
    if tensor is None:
        return None
    masked = effect.mask is not None and not effect.mask.is_none
    mask = facts.forms.condition(effect.mask) if masked and effect.mask is not None else None
    bounded = {lane.axis for lane in lanes_of(mask)} if mask is not None else set()
    offset = substitute(offset, binding)
    return Reach(tensor, offset, frozenset(a for a in lanes_of(offset) if a.axis not in bounded))


def axes_gone_through(
    facts: KernelFacts,
    binding: LaunchBinding,
    tensor: Polynomial,
    origin: Callable[[Polynomial], Polynomial],
) -> tuple[int | None, int]:
    """(the number of axes if it is seen, the least) of a tensor of which axis 0 alone is asked for.

    It is one where all that moves along the tensor moves by that stride, and more than one where
    the rest of its elements are counted: `x.numel() // x.shape[0]`. `origin` gives the tensor whose
    sizes another one has.
    """

    def is_its(atom: Atom | None, method: str) -> bool:
        if not isinstance(atom, TensorSize) or atom.method != method:
            return False
        return origin(atom.tensor) == tensor

    atoms = [atom for form in binding.values.values() for atom in form.atoms]
    if any(isinstance(a, FloorDiv) and is_its(a.dividend.sole_atom, "numel") for a in atoms):
        return None, 2
    moved: list[bool] = []
    for effect in facts.effects:
        with suppress(TooLarge):
            reach = reach_of(facts, binding, effect)
            if reach is None or origin(reach.tensor) != tensor:
                continue
            for monomial in reach.offset.terms:
                factors = [atom for atom, _ in monomial]
                if any(isinstance(atom, (Iteration, Lane, ProgramId)) for atom in factors):
                    moved.append(any(is_its(atom, "stride") for atom in factors))
    return (1 if moved and all(moved) else None), 1


def stay_inside(accesses: Iterable[Reach], trials: Iterable[Mapping[Atom, int]]) -> bool:
    """Whether all accesses do, in each of the trials."""
    reaches = list(accesses)
    return all(reach.is_inside(trial) for trial in trials for reach in reaches)


def lanes_of(form: Polynomial) -> list[Lane]:
    """The lanes that it depends on."""
    return [leaf for leaf in form.leaves() if isinstance(leaf, Lane)]
