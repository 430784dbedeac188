"""Which parameters of kernels are results: memory that a kernel only stores to."""

from __future__ import annotations

from dataclasses import dataclass, field

from tritonopt import facts, source
from tritonopt.facts.effects import EffectKind


def results_of(old: source.Module, new: source.Module) -> tuple[tuple[str, str], ...]:
    """Kernels and those of their parameters that are a result in the old version.

    That is what it stores to, and never loads or adds to, if the new version does not either.
    What a kernel reads back is how it goes about its work: partial sums, locks, tickets.
    Where a kernel is not understood, none of its parameters is known to be a result.
    """
    found = []
    for kernel in old.kernels:
        other = new.kernel(kernel.qualname)
        here, there = _uses(kernel), None if other is None else _uses(other)
        if here is not None and there is not None:
            found += [(kernel.name, p) for p in sorted(here.stored - here.read - there.read)]
    return tuple(found)


@dataclass
class _Uses:
    stored: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


def _uses(kernel: source.Kernel) -> _Uses | None:
    """What a kernel does with the memory behind its parameters; None where it is not clear."""
    known = facts.of(kernel)
    found = _Uses()
    for effect in known.effects:
        if effect.pointer is None and effect.kind is not EffectKind.CALL:
            continue
        bases = known.bases(effect)
        if bases is None:
            return None
        (found.stored if effect.kind is EffectKind.STORE else found.read).update(bases)
    return found
