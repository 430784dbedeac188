"""Helpers that nothing uses but by plain calls of this file, whose parameters may change."""

from __future__ import annotations

import ast

from tritonopt.facts.program_ids import sure_callee
from tritonopt.source import Kernel, Module
from tritonopt.source.launches import Elsewhere
from tritonopt.transforms.block_pointers.block_accesses import lost


def check_only_called(helper: Kernel, module: Module) -> None:
    """Raises Declined where it stands in another file, or may be used in another way."""
    decorators, name = helper.node.decorator_list, helper.name
    if helper.module is not module or helper.qualname != name:
        raise lost(f"{name} is in another file, or in a class or a function")
    is_plain = len(decorators) == 1 and not isinstance(decorators[0], ast.Call)
    if not is_plain or not helper.is_called_as_written:
        raise lost(f"{name} is compiled with options of its own")
    launched = any(launch.kernel is helper for launch in module.launches)
    elsewhere = module.uses_elsewhere(helper) != Elsewhere()
    if launched or elsewhere or module.escapes.get(helper.qualname):
        raise lost(f"{name} uses block pointers, and is used other than by plain calls")


def helper_calls(helper: Kernel) -> list[tuple[Kernel, ast.Call]]:
    """All calls of a helper, with the jit function that each stands in."""
    module, name = helper.module, helper.name
    found: list[tuple[Kernel, ast.Call]] = []
    for reference in module.mentioning(name):
        around = module.names.parents.get(reference)
        caller = next((k for k in module.kernels if reference in k.nodes), None)
        if caller is None or not isinstance(around, ast.Call) or around.func is not reference:
            raise lost(f"line {reference.lineno} does something else with {name}")
        if sure_callee(caller, around) is not helper:
            raise lost(f"what line {reference.lineno} calls may be another function")
        found.append((caller, around))
    return found


def given_by(helper: Kernel, call: ast.Call) -> dict[str, ast.expr]:
    """What a call passes, by the names of the parameters; defaults are not in it.

    Raises Declined where that is not seen.
    """
    spread = any(isinstance(argument, ast.Starred) for argument in call.args)
    if (
        spread
        or any(keyword.arg is None for keyword in call.keywords)
        or any(p.kind != "positional_or_keyword" for p in helper.parameters)
    ):
        raise lost(f"which arguments line {call.lineno} passes is not seen")
    given = dict(zip((p.name for p in helper.parameters), call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None}
