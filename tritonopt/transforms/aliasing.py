"""What must be shown of memory before a load may read it at another time."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.effects import Effect
from tritonopt.transforms.disjoint_accesses import DisjointAccesses

CLAIM = "data-is-unchanged"

_ORDERING_CALLS = ("gdc", "asm", "barrier", "fence")
"""Parts of the names of calls that order memory, though nothing else is known of them."""


def orders_memory(call: Effect) -> bool:
    """Whether a call of which nothing else is known says by its name that it orders memory."""
    return any(word in call.name for word in _ORDERING_CALLS)


def prove_unordered(attempt: Attempt, effects: Sequence[Effect], where: str) -> None:
    """A load may not move past what orders memory, or is there to be seen before it.

    The effects are those of `where`, as messages name it.
    """
    claim = "data-is-unchanged"
    for effect in effects:
        what = f"the {effect.name} in line {effect.line}"
        match effect.kind:
            case EffectKind.LOAD if effect.volatile:
                raise refuted(claim, "volatile-load", f"{what} is volatile")
            case EffectKind.ATOMIC:
                raise refuted(claim, "memory-order", f"{what} orders memory")
            case EffectKind.BARRIER:
                raise refuted(claim, "memory-order", f"{what} orders memory")
            case EffectKind.CALL:
                reason = "memory-order" if orders_memory(effect) else "unknown-call"
                raise unknown(claim, reason, f"the effects of {what} are not known")
            case EffectKind.PRINT if "assert" in effect.name:
                detail = f"{what} is to fail before anything is loaded"
                raise refuted(claim, "assertion-in-the-loop", detail)
    attempt.prove(claim, f"no atomic, barrier, volatile load or unknown call in {where}")


def prove_unchanged(
    attempt: Attempt,
    facts: KernelFacts,
    loads: Sequence[Effect],
    effects: Sequence[Effect],
    otherwise: str,
) -> None:
    """None of the effects may write what one of the loads reads.

    `otherwise` is what is said where nothing is written at all.
    """
    accesses = DisjointAccesses(facts)
    for write in (effect for effect in effects if effect.writes):
        for load in loads:
            if not accesses.are_disjoint(write, load):
                raise change_of_data(facts, load, write)
    accesses.prove(attempt, CLAIM, otherwise)


def change_of_data(facts: KernelFacts, load: Effect, write: Effect) -> Declined:
    """A write that may change what a load reads, and why it may."""
    what = f"the {write.name} in line {write.line} may change the data"
    return refuted(CLAIM, "data-may-change", what + _why_alias(facts, load, write))


def _why_alias(facts: KernelFacts, load: Effect, write: Effect) -> str:
    written, read = facts.bases(write), facts.bases(load)
    if written is None or read is None:
        return ""
    pairs = [(one, other) for one in sorted(written) for other in sorted(read) if one != other]
    unshown = [pair for pair in pairs if not facts.why_disjoint(*pair)[0]]
    if not unshown:
        return ""
    (stored, other), why = unshown[0], facts.why_disjoint(*unshown[0])[1]
    text = f": {stored} may be the same buffer as {other} ({why})"
    # No fact helps where it is one buffer, here or at a launch that passes one tensor for both.
    launches = facts.launches
    if written & read or any(
        launches.passes_one_for_both(*pair) or launches.overlap(*pair) for pair in unshown
    ):
        return text
    facts_to_give = " ".join(f"--assume 'disjoint({one}, {another})'" for one, another in unshown)
    return f"{text}; if it never is, give {facts_to_give}"
