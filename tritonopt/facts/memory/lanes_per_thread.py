"""How many elements of an access a thread has, as the launches show it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping

from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.effects import Effect
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.memory.offsets import number_of
from tritonopt.source import Launch

_USUAL_WARPS = 4


def most_lanes(facts: KernelFacts, effect: Effect) -> int | None:
    """Of one thread, in whichever launch it has most; None where that is not known.

    Launches that are not seen are taken to be like those that are.
    """
    shown = list(_shown(facts))
    found = [_lanes(facts, effect, launch, known) for launch, known in shown]
    numbers = [number for number in found if number is not None]
    return max(numbers) if numbers and len(numbers) == len(shown) else None


def _shown(facts: KernelFacts) -> Iterator[tuple[Launch, dict[Atom, int]]]:
    """Each launch, under each configuration, with the numbers that it gives to constants."""
    names = [p.name for p in facts.kernel.parameters if p.constexpr]
    bindings = facts.launches.bindings
    for binding in bindings:
        passed = {Param(name): binding.number(Param(name)) for name in names}
        numbers = {p: number for p, number in passed.items() if number is not None}
        yield binding.launch, _written(facts, binding.launch) | numbers
    for launch in () if bindings else facts.launches.launches:
        yield launch, _written(facts, launch)


def _written(facts: KernelFacts, launch: Launch) -> dict[Atom, int]:
    """What the launch says in so many numbers, and defaults, where nothing may choose another."""
    if _is_tuned(facts):
        return {}
    found: dict[Atom, int] = {}
    for parameter in facts.kernel.parameters:
        match launch.arguments.get(parameter.name, parameter.default):
            case ast.Constant(value=int() as number):
                found[Param(parameter.name)] = number
    return found


def _is_tuned(facts: KernelFacts) -> bool:
    """Whether a decorator may choose constants; one without arguments has none to choose."""
    own, names = facts.kernel.node.decorator_list, facts.kernel.decorators
    others = (d for d, name in zip(own, names, strict=True) if name != facts.kernel.jit)
    return any(isinstance(d, ast.Call) and (d.args or d.keywords) for d in others)


def _lanes(
    facts: KernelFacts, effect: Effect, launch: Launch, known: Mapping[Atom, int]
) -> int | None:
    if effect.pointer is None:
        return None
    axes = [number_of(facts.forms.of(axis), known) for axis in effect.pointer.shape or ()]
    lengths = [axis for axis in axes if axis is not None]
    if len(lengths) != len(axes):
        return None
    return math.ceil(math.prod(lengths) / (32 * _warps(facts, launch)))


def _warps(facts: KernelFacts, launch: Launch) -> int:
    """As many as there are at least."""
    match launch.options.get("num_warps"):
        case None if not launch.hides_options and not _is_tuned(facts):
            return _USUAL_WARPS
        case ast.Constant(value=int() as number) if number > 0:
            return number
    return 1
