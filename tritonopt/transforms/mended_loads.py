"""A masked load that is given an `other`, where nothing but the reductions that want it notices."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS
from tritonopt.facts.memory.lane_reductions import reductions_of
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Condition, Status
from tritonopt.source import AddArgument


@dataclass(frozen=True)
class MendedLoads:
    """What gives some loads a number for the lanes outside of their masks."""

    changes: tuple[AddArgument, ...]
    conditions: tuple[Condition, ...] = ()


def mended_loads(facts: KernelFacts, loads: Sequence[Effect], other: str) -> MendedLoads | None:
    """`other=` for all of them; None where it may be of another type, or may be stored."""
    changes: list[AddArgument] = []
    conditions: list[Condition] = []
    reduced = {facts.values[reduction.node] for reduction in reductions_of(facts)}
    for load in loads:
        call = load.node
        if not isinstance(call, ast.Call) or load.loaded is None or _hides_other(call):
            return None
        # GPUs read 0 there, so it changes nothing for whoever relies on what they do.
        if other != "0.0":
            if _is_stored_elsewhere(facts, load, load.loaded, reduced):
                return None
            shown = _floats(facts, load.loaded)
            if shown is None:
                return None
            conditions.append(shown)
        changes.append(AddArgument(call, f"other={other}"))
    return MendedLoads(tuple(changes), tuple(dict.fromkeys(conditions)))


def _hides_other(call: ast.Call) -> bool:
    names = {keyword.arg for keyword in call.keywords}
    return len(call.args) > 2 or bool(names & {None, "other"}) or _has_star(call.args)


def _has_star(arguments: Iterable[ast.expr]) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in arguments)


def _floats(facts: KernelFacts, loaded: Value) -> Condition | None:
    """That an infinity can be loaded; None where what is loaded may well be integers."""
    types = facts.types.of(loaded)
    if types.some_in(INTEGERS | BOOLEANS):
        return None
    if types.all_in(FLOATS):
        return Condition("type-stays", Status.PROVED, types.where)
    return Condition("type-stays", Status.ASSUMED, "we assume that the loaded values are floats")


def _is_stored_elsewhere(
    facts: KernelFacts, load: Effect, loaded: Value, reduced: set[Value]
) -> bool:
    """Whether a lane outside of the mask may be stored, other than reduced."""
    assert load.mask is not None
    mask = facts.forms.condition(load.mask)
    for effect in facts.effects:
        if effect.kind not in (EffectKind.STORE, EffectKind.ATOMIC) or effect.stored is None:
            continue
        if not _goes_into(facts, loaded, effect.stored, reduced):
            continue
        if effect.mask is None or effect.mask.is_none or facts.forms.condition(effect.mask) != mask:
            return True
    return False


def _goes_into(facts: KernelFacts, loaded: Value, stored: Value, reduced: set[Value]) -> bool:
    todo, seen = [stored], {stored}
    while todo:
        value = todo.pop()
        if value is loaded:
            return True
        if value in reduced:
            continue
        inside = list(value.operands)
        if value.op in (Op.CARRIED, Op.RESULT):
            loop = facts.loops[value.carrier.loop]
            inside = [loop.initial[value.carrier.name], loop.following[value.carrier.name]]
        todo += [part for part in inside if part not in seen]
        seen.update(inside)
    return False
