"""Which fact a user is advised to give: one that can be given, and that would help."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt import facts


def is_worth_assuming(
    known: facts.KernelFacts, fact: str, helps: Callable[[facts.KernelFacts], bool]
) -> bool:
    """Whether `--assume FACT` is accepted of this kernel, speaks of its parameters, and helps.

    `helps` is asked about the same kernel with the fact given.
    """
    try:
        assumption = facts.parse_assumption(fact)
        names = {parameter.name for parameter in known.kernel.parameters}
        if not assumption.names or not assumption.names <= names:
            return False
        return helps(facts.of(known.kernel, (*known.assumptions.given, assumption)))
    except facts.AssumptionError:
        return False
