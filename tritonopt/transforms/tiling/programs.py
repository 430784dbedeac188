"""What the programs of a launch know of each other, which a rewrite of the grid would change.

A program may ask which one it is, through a helper or in what it prints, and may read what another
one writes.
"""

from __future__ import annotations

import ast
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.language import DTYPES, MATH_MODULES, function
from tritonopt.facts.memory.races import find_crossing, find_races
from tritonopt.facts.program_ids import ProgramIds

_OF_HOST = frozenset({"triton.cdiv", "triton.next_power_of_2"})
_OF_THE_LANGUAGE = (
    frozenset({"dtype", "constexpr_type", "pointer_type", "load_tensor_descriptor"})
    | frozenset({"store_tensor_descriptor", "_experimental_descriptor_load"})
    | frozenset({"_experimental_descriptor_store", *DTYPES})
)
"""Calls whose effects on memory may not be known, but which cannot ask which program runs."""
_WRITES = frozenset({EffectKind.STORE, EffectKind.ATOMIC})


def check_program_ids(ids: ProgramIds) -> None:
    """Whether all that asks which program it is stands in the kernel. Raises Declined."""
    claim = "rows-can-be-lifted"
    if ids.unknown is not None:
        detail = f"the axis of {ast.unparse(ids.unknown)} is not a number: write 0, 1 or 2 there"
        raise unknown(claim, "axis-is-not-known", detail)
    if ids.in_helper:
        detail = f"{ids.in_helper} reads the program id itself: hand it over as an argument"
        raise refuted(claim, "program-ids-are-used", detail)


def check_effects(facts: KernelFacts, attempt: Attempt) -> None:
    """Whether nothing can tell one program from another. Raises Declined."""
    claim = "effects-are-known"
    for effect in facts.effects:
        if effect.kind is EffectKind.CALL and not _knows_no_grid(effect.name):
            detail = f"what {effect.name} in line {effect.line} does is not known"
            why = "it may read the program id; where a file defines it, give that file too"
            raise unknown(claim, "unknown-call", f"{detail}: {why}")
        if effect.kind is EffectKind.PRINT and effect.name == "device_print":
            detail = f"what line {effect.line} prints begins with the program id"
            raise refuted(claim, "program-ids-are-used", detail)
    for loop in facts.loops:
        call = loop.node.iter if isinstance(loop.node, ast.For) else None
        if isinstance(call, ast.Call) and any(k.arg == "warp_specialize" for k in call.keywords):
            detail = f"the loop in line {loop.line} is loop-options"
            raise refuted(claim, "loop-options", detail)
    attempt.prove(claim, "no call with unknown effects")


def _knows_no_grid(name: str) -> bool:
    """Whether a function of Triton's own cannot tell one program from another."""
    if name in _OF_HOST or any(f".{module}" in f".{name}" for module in MATH_MODULES[1:]):
        return name.startswith("triton.")
    return function(name) in _OF_THE_LANGUAGE


def check_races(facts: KernelFacts, axis: int, attempt: Attempt) -> None:
    """Whether no tile shows in which order the tiles are taken. Raises Declined.

    One that reads what another writes would.
    """
    claim = "parts-are-independent"
    kinds = {effect.kind for effect in facts.effects}
    if EffectKind.LOAD not in kinds or not kinds & _WRITES:
        attempt.prove(claim, "no tile reads what another writes")
        return
    found = find_crossing(facts, axis)
    if found is not None:
        detail = (
            f"line {found.load.line} reads what line {found.write.line} writes for another tile"
        )
        if found.where:
            raise unknown(
                claim, "tiles-race", f"{found.told}, and what one tile reads another may write"
            )
        raise refuted(claim, "tiles-race", detail)
    _check_parts(facts, claim)
    for race in find_races(facts):
        detail = f"line {race.load.line} reads what line {race.store.line} writes: {race.numbers}"
        raise refuted(claim, "tiles-race", detail)
    attempt.prove(claim, "no tile is known to read what another writes")


def _check_parts(facts: KernelFacts, claim: str) -> None:
    """Parts of one tensor that overlap are neither one buffer nor two."""
    writes = [effect for effect in facts.effects if effect.kind in _WRITES]
    others = [effect for effect in facts.effects if effect.pointer is not None]
    for write, effect in product(writes, others):
        if write.kind is effect.kind is EffectKind.ATOMIC:
            continue  # in no order anyhow
        for written, used in product(facts.bases(write) or (), facts.bases(effect) or ()):
            where = facts.launches.overlap(written, used) if written != used else ""
            if where:
                detail = (
                    f"line {write.line} writes to {written}, and line {effect.line} goes to "
                    f"{used}: the launch in {where} passes parts of one tensor for them, which "
                    "may overlap"
                )
                raise unknown(claim, "tiles-race", detail)
