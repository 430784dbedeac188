"""Helpers that nothing uses but by plain calls of this file, and what these calls give them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tritonopt import facts as kernel_facts
from tritonopt.checks.condition import Declined
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.language import arguments_of
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import sure_callee
from tritonopt.passes.block_pointer.accesses import lost
from tritonopt.source import Kernel, Module
from tritonopt.source.launches import Elsewhere


@dataclass(frozen=True, eq=False)
class HelperCall:
    caller: Kernel
    node: ast.Call
    given: dict[str, ast.expr]
    """What it passes, by the names of the parameters; defaults are not in it."""


def helper_calls(helper: Kernel, module: Module) -> list[HelperCall]:
    """All calls of a helper. Raises Declined where it is or may be used in another way."""
    decorators, name = helper.node.decorator_list, helper.name
    if helper.module is not module or helper.qualname != name:
        raise lost(f"{name} is in another file, or in a class or a function")
    is_plain = len(decorators) == 1 and not isinstance(decorators[0], ast.Call)
    if not is_plain or not helper.is_called_as_written:
        raise lost(f"{name} is compiled with options of its own")
    launched = any(launch.kernel is helper for launch in module.launches)
    elsewhere = module.uses_elsewhere(helper) != Elsewhere()
    if launched or elsewhere or module.escapes.get(helper.qualname):
        raise lost(f"{name} handles block pointers, and is used other than in calls")
    return [_call_at(helper, reference) for reference in module.mentioning(name)]


def _call_at(helper: Kernel, reference: ast.expr) -> HelperCall:
    module, line = helper.module, reference.lineno
    call = module.names.parents.get(reference)
    caller = next((k for k in module.kernels if reference in k.nodes), None)
    if caller is None or not isinstance(call, ast.Call) or call.func is not reference:
        raise lost(f"line {line} does something else with {helper.name}")
    if sure_callee(caller, call) is not helper:
        raise lost(f"what line {line} calls may be another function")
    given = arguments_of(call, [p.name for p in helper.parameters])
    if given is None or any(p.kind != "positional_or_keyword" for p in helper.parameters):
        raise lost(f"which arguments line {line} passes is not seen")
    return HelperCall(caller, call, given)


def never_negative(facts: KernelFacts, extents: Collection[str]) -> frozenset[str]:
    """The parameters for which no call passes a number below 0; none of what is no helper.

    `extents` are parameters that are the extents of tiles, and so at least 1.
    """
    helper = facts.kernel
    try:
        calls = helper_calls(helper, helper.module)
    except Declined:
        return frozenset()
    if not calls or any(call.caller is helper for call in calls):
        return frozenset()
    callers = {call.caller: kernel_facts.of(call.caller) for call in calls}
    tiles = {*extents, *facts.extents}
    found = [set(_not_below_zero(callers[call.caller], call, tiles)) for call in calls]
    return frozenset(set.intersection(*found))


def _not_below_zero(
    facts: KernelFacts, call: HelperCall, extents: Collection[str]
) -> Iterator[str]:
    values = {name: facts.values[node] for name, node in call.given.items() if node in facts.values}
    tiles = [value for name, value in values.items() if name in extents]
    bounds, known = Bounds(facts, tiles), {value.name for value in tiles}
    for name, value in values.items():
        if value.shape != () or value.op in (Op.TUPLE, Op.DTYPE, Op.OPAQUE):
            continue
        least = bounds.lower_bound(facts.forms.of(value))
        if least is not None and least.number >= 0 and not least.given and least.sizes <= known:
            yield name
