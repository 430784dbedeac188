"""What must be shown of memory before a load may read it at another time."""

from __future__ import annotations

from collections.abc import Sequence

from tritonopt.facts import KernelFacts
from tritonopt.facts.effects import Effect
from tritonopt.rewriting.checklist import Checklist, Declined, refuted

CLAIM = "data-is-unchanged"

_ORDERING_CALLS = ("gdc", "asm", "barrier", "fence")
"""Parts of the names of calls that order memory, though nothing else is known of them."""


def orders_memory(call: Effect) -> bool:
    """Whether a call of which nothing else is known says by its name that it orders memory."""
    return any(word in call.name for word in _ORDERING_CALLS)


def prove_unchanged(
    checklist: Checklist,
    facts: KernelFacts,
    loads: Sequence[Effect],
    effects: Sequence[Effect],
    otherwise: str,
) -> None:
    """None of the effects may write what one of the loads reads.

    `otherwise` is what is said where nothing is written at all.
    """
    evidence: dict[str, None] = {}
    given = []
    by_launch = False
    writes = [effect for effect in effects if effect.writes]
    for write in writes:
        for load in loads:
            if facts.may_alias(load, write):
                raise change_of_data(facts, load, write)
            for stored in facts.bases(write) or ():
                for read in facts.bases(load) or ():
                    _, why, assumed = facts.why_disjoint(stored, read)
                    evidence[why] = None
                    if assumed is not None:
                        given.append(assumed)
                    else:
                        by_launch = True
    checklist.prove(CLAIM, "; ".join(evidence) or otherwise, given)
    if by_launch:
        checklist.assume("no-other-launches", "files that were not given launch it in no other way")


def change_of_data(facts: KernelFacts, load: Effect, write: Effect) -> Declined:
    """A write that may change what a load reads, and why it may."""
    what = f"the {write.name} in line {write.line} may change the data"
    return refuted(CLAIM, "data-may-change", what + _why_alias(facts, load, write))


def _why_alias(facts: KernelFacts, load: Effect, write: Effect) -> str:
    for stored in sorted(facts.bases(write) or ()):
        for read in sorted(facts.bases(load) or ()):
            disjoint, why, _ = facts.why_disjoint(stored, read)
            if stored != read and not disjoint:
                return (
                    f": {stored} may be the same buffer as {read} ({why}); "
                    f"if it never is, give --assume 'disjoint({stored}, {read})'"
                )
    return ""
