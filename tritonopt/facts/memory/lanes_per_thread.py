"""How many elements of an access a thread has, as the launches show it."""

from __future__ import annotations

import ast
import math

from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.effects import Effect
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.offsets import number_of
from tritonopt.source.decorators import AUTOTUNE

_USUAL_WARPS = 4


def most_lanes(facts: KernelFacts, effect: Effect) -> int | None:
    """Of one thread, in whichever launch it has most; None where that is not known."""
    bindings = facts.launches.bindings
    found = [_lanes(facts, effect, binding) for binding in bindings]
    known = [number for number in found if number is not None]
    return max(known) if known and len(known) == len(bindings) else None


def _lanes(facts: KernelFacts, effect: Effect, binding: LaunchBinding) -> int | None:
    if effect.pointer is None:
        return None
    passed = ((p, binding.number(Param(p.name))) for p in facts.kernel.parameters if p.constexpr)
    known = {Param(p.name): number for p, number in passed if number is not None}
    axes = [number_of(facts.forms.of(axis), known) for axis in effect.pointer.shape or ()]
    lengths = [axis for axis in axes if axis is not None]
    if len(lengths) != len(axes):
        return None
    return math.ceil(math.prod(lengths) / (32 * _warps(facts, binding)))


def _warps(facts: KernelFacts, binding: LaunchBinding) -> int:
    """As many as there are at least."""
    match binding.launch.options.get("num_warps"):
        case None if not binding.launch.hides_options and AUTOTUNE not in facts.kernel.decorators:
            return _USUAL_WARPS
        case ast.Constant(value=int() as number) if number > 0:
            return number
    return 1
