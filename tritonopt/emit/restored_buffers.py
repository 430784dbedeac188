"""Buffers that a tuner must put right: it runs a kernel many times on the same memory."""

from __future__ import annotations

import ast

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.host.side_effects import definition_of, effects_of
from tritonopt.facts.host.slices import may_be_part
from tritonopt.facts.operations import Op
from tritonopt.facts.values import reachable
from tritonopt.source import Launch

_CLAIM = "launches-can-be-tuned"
_REPEATABLE = frozenset(
    {EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC, EffectKind.BARRIER, EffectKind.EXIT}
)


def restored_buffers(facts: KernelFacts, attempt: Attempt) -> list[str]:
    """Parameters whose buffers a run of the kernel changes for the next one, in their order.

    Those that are written, and that the kernel may read: by a load, or by an atomic. Raises
    Declined where the kernel does something that cannot be put right by copying buffers back.
    """
    for effect in facts.effects:
        where = f"the {effect.name} in line {effect.line}"
        if effect.kind not in _REPEATABLE:
            raise unknown(_CLAIM, "not-tunable", f"{where} would be done many times")
        if effect.writes and facts.bases(effect) is None:
            detail = f"which buffer {where} writes to is not known"
            raise unknown(_CLAIM, "not-tunable", detail)
    for launch in facts.launches.launches:
        _check_grid(launch)
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD]
    changed: set[str] = set()
    for write in (e for e in facts.effects if e.writes):
        is_read = write.kind is EffectKind.ATOMIC or any(facts.may_alias(e, write) for e in loads)
        if is_read:
            changed |= facts.bases(write) or frozenset()
    names = [p.name for p in facts.kernel.parameters if p.name in changed]
    for name in names:
        _check_is_a_tensor(facts, name)
    what = ", ".join(names) if names else "nothing"
    attempt.prove(_CLAIM, f"the tuner puts back {what}; nothing else that is read is written")
    return names


def _check_grid(launch: Launch) -> None:
    """A grid that is a function is called again for each run."""
    definition = definition_of(launch.module, launch.grid)
    body = [launch.grid.body] if isinstance(launch.grid, ast.Lambda) else []
    changes = effects_of(launch.module).changes(body if definition is None else definition.body)
    if changes.anything or changes.mutated:
        detail = f"the grid of the launch in {launch.where} may do more than return a tuple"
        raise unknown(_CLAIM, "grid-is-not-readable", f"{detail}, and a tuner calls it many times")


def _check_is_a_tensor(facts: KernelFacts, name: str) -> None:
    """A tuner copies the buffer before it runs anything: it must be there at every launch."""
    if may_be_none(facts, name):
        detail = f"{name} may be None, and a tuner cannot copy that"
        raise refuted(_CLAIM, "not-tunable", detail)
    for launch in facts.launches.launches:
        argument = launch.arguments.get(name)
        if not isinstance(argument, ast.Name) or may_be_part(launch, argument):
            detail = (
                f"the launch in {launch.where} may pass a part of a tensor for {name}: the kernel "
                "may write outside of it, and a tuner copies only that part"
            )
            raise unknown(_CLAIM, "not-tunable", detail)


def may_be_none(facts: KernelFacts, name: str) -> bool:
    """Whether a launch may pass None for a buffer: it is asked for, or not always accessed."""
    asked = any(
        v.op in (Op.IS, Op.IS_NOT) and any(o.op is Op.PARAM and o.name == name for o in v.operands)
        for v in reachable(facts.values.values())
    )
    accesses = [e for e in facts.effects if name in (facts.bases(e) or ())]
    # Where the compiler decides a condition around an access, there may be no buffer.
    return asked or all(
        any(is_constexpr(facts, guard.node.test) for guard in access.guards) for access in accesses
    )
