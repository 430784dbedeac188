"""Whether a group of loads, or of stores, can be one: what must be true of memory and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible, comments_in
from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.memory.dependence import Accesses, prove_unchanged
from tritonopt.facts.operations import Op
from tritonopt.passes.interleaved_access.contiguous_tile import (
    ContiguousTile,
    Limit,
    contiguous_tile,
)
from tritonopt.passes.interleaved_access.strided_groups import Group
from tritonopt.source.trees import walk

_POLICIES = ("cache_modifier", "eviction_policy")
_IN_BETWEEN = (EffectKind.ATOMIC, EffectKind.BARRIER, EffectKind.CALL, EffectKind.EXIT)


def prove_one_access(facts: KernelFacts, group: Group, attempt: Attempt) -> ContiguousTile:
    """The tile that all of a group is. Raises Declined at the first condition that fails."""
    caller = facts.launches.caller
    if caller is not None:
        detail = f"{caller.name} calls this function, and may pass tiles for its parameters"
        raise unknown("launches-are-seen", "called-from-a-kernel", detail)
    if facts.launches.unknown:
        detail = f"{facts.launches.unknown}; no call by other jit code is in this file"
        attempt.assume("launches-are-seen", detail)
    if any(member.effect.volatile for member in group.members):
        raise refuted("data-is-unchanged", "volatile-load", f"{group.lines}: a load is volatile")
    attempt.prove("data-is-unchanged", "none is volatile")
    between = _between(facts, group)
    _check_nothing_in_between(group, between, attempt)
    if group.is_load:
        loads = [member.effect for member in group.in_order[1:]]
        prove_unchanged(attempt, facts, loads, between, "nothing is stored between the loads")
    else:
        _check_stores(facts, group, between, attempt)
    _check_arguments(facts, group, attempt)
    tile = contiguous_tile(facts, group)
    attempt.prove("same-arguments", "one mask says the same of all elements")
    _assume_integers(facts, tile, attempt)
    return tile if group.is_load else replace(tile, cast=_cast(facts, group, attempt))


def _between(facts: KernelFacts, group: Group) -> list[Effect]:
    """What happens from the first to the last, and with the statement of the first."""
    members = {member.effect for member in group.members}
    first, last = group.in_order[0], group.in_order[-1]
    with_first = {e for e in facts.effects if e.node in set(walk(first.statement))}
    with_last = {e for e in facts.effects if e.node in set(walk(last.statement))}
    start = min(first.effect.order, *(e.order for e in with_first), first.effect.order)
    end = max(last.effect.order, *(e.order for e in with_last), last.effect.order)
    return [e for e in facts.effects if start <= e.order <= end and e not in members]


def _check_nothing_in_between(group: Group, between: Sequence[Effect], attempt: Attempt) -> None:
    claim = "data-is-unchanged"
    for effect in between:
        if effect.kind in _IN_BETWEEN:
            detail = f"{effect.name or 'an exit'} in line {effect.line} stands between them"
            reason = "early-exit" if effect.kind is EffectKind.EXIT else "memory-order"
            raise refuted(claim, reason, detail)
    attempt.prove(claim, f"{group.lines}: no exit, barrier, atomic or unknown call between them")


def _check_stores(
    facts: KernelFacts, group: Group, between: Sequence[Effect], attempt: Attempt
) -> None:
    """Earlier stores come later now: nobody may have read or written there meanwhile."""
    claim, accesses = "data-is-unchanged", Accesses(facts)
    moved = [member.effect for member in group.in_order[:-1]]
    for effect in between:
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE):
            continue
        for store in moved:
            if not accesses.are_disjoint(store, effect):
                detail = f"the {effect.name} in line {effect.line} may touch what they store to"
                raise refuted(claim, "data-may-change", detail)
    accesses.prove(attempt, claim, "nothing between the stores touches what they store to")
    for member in group.members:
        stored = member.effect.stored
        if stored is None or member.effect.pointer is None:
            continue
        if stored.shape is None or stored.shape != member.effect.pointer.shape:
            detail = f"line {member.call.lineno} does not store a whole tile"
            raise unknown("shape-stays", "shape-changes", detail)


def _check_arguments(facts: KernelFacts, group: Group, attempt: Attempt) -> None:
    """Other arguments are the same for all."""
    for name in _POLICIES:
        given = {facts.values.get(m.arguments[name]) for m in group.members if name in m.arguments}
        number = sum(name in member.arguments for member in group.members)
        if number and (len(given) > 1 or None in given or number < group.width):
            detail = f"{group.lines}: {name} is not the same for all"
            raise refuted("same-arguments", "arguments-differ", detail)
    if any({"boundary_check", "padding_option"} & m.arguments.keys() for m in group.members):
        detail = f"{group.lines}: boundary_check is for block pointers"
        raise refuted("same-arguments", "arguments-differ", detail)
    paddings = {
        facts.values.get(m.arguments["other"]) for m in group.members if "other" in m.arguments
    }
    if len(paddings) > 1 or None in paddings:
        detail = f"{group.lines}: lanes that are masked off get different values"
        raise refuted("same-arguments", "arguments-differ", detail)
    for padding in paddings:
        if padding is not None and padding.rank != 0:
            detail = f"{group.lines}: each lane that is masked off gets a value of its own"
            raise unknown("same-arguments", "arguments-differ", detail)
    attempt.prove("same-arguments", "they agree on padding and on what is said to the cache")
    text = facts.kernel.module.text_of
    for member in group.members:
        if comments_in(text(member.call)):
            detail = f"a comment inside line {member.call.lineno} would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", detail)


def _assume_integers(facts: KernelFacts, tile: ContiguousTile, attempt: Attempt) -> None:
    """`k < 2.5` has lane 2, and `pairs < 5.0` half of it."""
    claim, forms = "arguments-are-understood", facts.forms
    bounds = [
        limit.bound for limit in tile.limits if isinstance(limit, Limit) and not limit.over_elements
    ]
    unsure = [bound for bound in bounds if not forms.is_integer(forms.of(bound))]
    names = sorted({part.name for b in unsure for part in b.walk() if part.op is Op.PARAM})
    if not all(forms.is_integer(forms.of(bound), names) for bound in unsure):
        detail = f"what the mask of {tile.group.lines} compares with may be no integer"
        raise unknown(claim, "opaque-value", detail)
    if unsure:
        attempt.assume(claim, f"{', '.join(names)}: no fraction is passed")


def _cast(facts: KernelFacts, group: Group, attempt: Attempt) -> str:
    """The type that what is stored is cast to first; empty where all is of one type."""
    stored = [m.effect.stored for m in group.members if m.effect.stored is not None]
    types = [facts.types.of(value) for value in stored]
    if all(t.complete and t.seen == types[0].seen and len(t.seen) == 1 for t in types):
        if any(t.by_launch for t in types):
            attempt.assume_no_other_launches()
        return ""
    buffers = {_type_of_buffer(facts, value) for value in stored}
    if len(buffers) == 1 and "" not in buffers:
        return ""
    (base,) = facts.bases(group.members[0].effect) or ("",)
    value = facts.before[group.at].get(base)
    if value is None or value.rank != 0:
        raise NotExpressible(f"the type that {group.lines} store has no name")
    # A cast to int1 asks whether a value is 0, and a store of booleans takes its lowest bit.
    claim = "block-is-a-descriptor"
    behind = [facts.types.behind(member.effect) for member in group.members]
    if any(found.some_in(BOOLEANS) for found in behind):
        raise refuted(claim, "not-a-descriptor", f"{group.lines}: the elements are booleans")
    if all(found.complete for found in behind):
        attempt.prove(claim, "every launch passes tensors of other types")
    else:
        attempt.assume(claim, "no tensor of booleans is passed for what is stored to")
    return f"{base}.dtype.element_ty"


def _type_of_buffer(facts: KernelFacts, value: Value) -> str:
    """The parameter whose elements are of the type of a value; empty where nothing shows one."""
    if value.op is Op.LOAD:
        bases = facts.bases(facts.interpretation.loads[value.number])
        return next(iter(bases)) if bases is not None and len(bases) == 1 else ""
    if value.op is Op.CAST and value.dtype is None:
        return _named_buffer(value.target)
    if value.op in (Op.NEG, Op.ADD, Op.SUB, Op.MUL):
        names = {_type_of_buffer(facts, operand) for operand in value.operands}
        return names.pop() if len(names) == 1 else ""
    return ""


def _named_buffer(target: Value) -> str:
    """The parameter whose elements' type a cast names: `X.dtype.element_ty`; empty for others."""
    for name in ("element_ty", "dtype"):
        if target.op is not Op.ATTRIBUTE or target.name != name:
            return ""
        target = target.operand
    return target.name if target.op is Op.PARAM else ""
