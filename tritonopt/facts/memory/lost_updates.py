"""What several programs of one launch load, change and store at the same place without atomics.

A program that is not told apart by its address, its masks or its branches does the same to the same
elements as the others. Of two that load before either has stored, one has worked for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Iteration,
    Lane,
    NumPrograms,
    Param,
    ProgramId,
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.effects import Effect
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.buffers import conditions_of
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.memory.offsets import COMPUTED, number_of
from tritonopt.facts.repetition import changes_when_repeated
from tritonopt.source import Launch

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_SIZES = (1000, 64, 4096)
"""What every size of every tensor may be, to see that there is more than one program."""
_AXES = 3
_PLACES = (Lane, Iteration, ProgramId, NumPrograms, Param, *COMPUTED)


@dataclass(frozen=True)
class LostUpdate:
    """A load and a store of the same elements by every program along an axis of the grid."""

    axis: int
    programs: str
    """How many there are along the axis, and a blank; empty where sizes decide."""
    name: str
    """Whose elements they are: a parameter."""
    launch: Launch


def find_lost_update(facts: KernelFacts, load: Effect, store: Effect) -> LostUpdate | None:
    """Along the first axis of the grid along which all programs change the same elements.

    Raises CannotTell where an exit of the kernel is not followed, and TooLarge.
    """
    base = _updated(facts, load, store)
    if not base:
        return None
    for axis in range(_AXES):
        own = ProgramId(Polynomial.constant(axis))
        for binding in facts.launches.bindings:
            if _are_several(binding, own) and _are_alike(facts, binding, (load, store), own):
                number = binding.programs(own)
                constant = None if number is None else number.constant_value
                programs = "" if constant is None else f"{constant} "
                return LostUpdate(axis, programs, base, binding.launch)
    return None


def _updated(facts: KernelFacts, load: Effect, store: Effect) -> str:
    """The parameter of which a store changes what the load has read; empty where it does not."""
    if load.pointer is None or store.pointer is None or store.stored is None:
        return ""
    if load.loaded is None or load.order > store.order:
        return ""
    address = facts.forms_ignoring_memory.address(store.pointer)
    if address != facts.forms_ignoring_memory.address(load.pointer):
        return ""
    changes = changes_when_repeated(facts, store.stored, frozenset({load.order}))
    return (address[0] or "") if changes else ""


def _are_alike(
    facts: KernelFacts, binding: LaunchBinding, effects: tuple[Effect, ...], own: ProgramId
) -> bool:
    """Whether nothing that decides what is loaded and stored depends on the program's number."""
    forms: list[Polynomial] = []
    for effect in effects:
        assert effect.pointer is not None
        forms.append(facts.forms.address(effect.pointer)[1])
        for condition, holds in conditions_of(facts, effect):
            decided = substitute(condition, binding).constant_value
            if decided is None:
                forms.append(condition)
            elif bool(decided) != holds:
                return False
        for loop in effect.loops:
            count = facts.forms.trip_count(loop)
            if count is None:
                return False
            forms.append(count)
    return all(_is_alike(form, own) for form in forms)


def _is_alike(form: Polynomial, own: ProgramId) -> bool:
    """Whether a form is the same in all programs along an axis: nothing in it is loaded either."""
    leaves = set(form.leaves())
    return own not in leaves and all(isinstance(leaf, _PLACES) for leaf in leaves)


def _are_several(binding: LaunchBinding, own: ProgramId) -> bool:
    """Whether there is more than one program along an axis, for some sizes of tensors."""
    programs = binding.programs(own)
    if programs is None or binding.unread:
        return False
    if not all(isinstance(atom, TensorSize) for atom in inputs_of(programs)):
        return False  # callers may well pass what makes it one
    inputs = [atom for form in (programs, *binding.nonnegative) for atom in inputs_of(form)]
    for size in _SIZES:
        numbers: dict[Atom, int] = {atom: size for atom in inputs if isinstance(atom, TensorSize)}
        refused = any((number_of(form, numbers) or 0) < 0 for form in binding.nonnegative)
        if not refused and (number_of(programs, numbers) or 0) > 1:
            return True
    return False
