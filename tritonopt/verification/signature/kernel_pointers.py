"""Which parameters a kernel reads and writes through, and what bounds them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from tritonopt import facts, source
from tritonopt.facts import Effect, EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Param, ProgramId
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.operations import COMPARISONS, Op

_ACCESSES = (EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC)


# Every launch of a kernel asks again.
@lru_cache(maxsize=64)
def pointers(kernel: source.Kernel) -> dict[str, str | None]:
    """Parameters that a kernel loads from or stores to, with what bounds them.

    The bound is known where every access is to an element below the same parameter, as its mask
    and the branches around it show, or to the element of the program on an axis of the grid, which
    is called `program 0`.
    """
    known = facts.of(kernel)
    found: dict[str, str | None] = dict.fromkeys(_written_as_pointers(kernel))
    bounded: set[str] = set()
    for effect in known.effects:
        if effect.kind in _ACCESSES:
            bound = _bound(known, effect)
            for base in sorted(known.bases(effect) or ()):
                found[base] = bound if base not in bounded or found[base] == bound else None
                bounded.add(base)
    return found


@lru_cache(maxsize=64)
def index_pointers(kernel: source.Kernel) -> frozenset[str]:
    """Parameters that a kernel loads from what becomes a part of an address: whole numbers."""
    known = facts.of(kernel)
    loads = {effect.loaded: effect for effect in known.effects if effect.loaded is not None}
    found: set[str] = set()
    for effect in known.effects:
        if effect.kind in _ACCESSES and effect.pointer is not None:
            for value in _parts(effect.pointer):
                if value in loads:
                    found |= known.bases(loads[value]) or set()
    return frozenset(found)


def _parts(value: Value) -> Iterator[Value]:
    """What a number is computed from, but for conditions."""
    seen: set[Value] = set()
    left = [value]
    while left:
        part = left.pop()
        if part in seen or part.op in COMPARISONS:
            continue
        seen.add(part)
        yield part
        if part.op is Op.WHERE:
            left += (part.then, part.other)
        elif part.op is Op.LOAD:
            left.append(part.pointer)
        else:
            left += part.operands


def _written_as_pointers(kernel: source.Kernel) -> Iterator[str]:
    """The parameters that addresses begin with: facts need not know which operand is a number."""
    names = {p.name for p in kernel.parameters}
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Call) and node.args:
            called = kernel.module.resolve(node.func).removeprefix("triton.language.")
            if called in ("load", "store") or called.startswith("atomic_"):
                base = _base(node.args[0], assigned, names)
                if base is not None:
                    yield base


def _base(
    pointer: ast.expr, assigned: Mapping[str, list[ast.expr]], names: set[str], depth: int = 6
) -> str | None:
    while isinstance(pointer, ast.BinOp) and isinstance(pointer.op, (ast.Add, ast.Sub)):
        pointer = pointer.left
    if not isinstance(pointer, ast.Name) or depth == 0:
        return None
    if pointer.id in names:
        return pointer.id
    for value in assigned.get(pointer.id, []):
        found = _base(value, assigned, names, depth - 1)
        if found is not None:
            return found
    return None


def _bound(known: KernelFacts, access: Effect) -> str | None:
    assert access.pointer is not None
    base, offset = known.forms.address(access.pointer)
    if base is None:
        return None
    try:
        ends = tuple(_ends(known, access, offset))
    except TooLarge:
        return None
    names = {name for end in ends if (name := _parameter(known, end))}
    if len(names) == 1:
        return names.pop()
    place = offset.sole_atom
    if isinstance(place, ProgramId) and not names:
        return f"program {place.axis.constant_value}"
    return None


def _ends(known: KernelFacts, access: Effect, offset: Polynomial) -> Iterator[Polynomial]:
    """What the element of an access is below, by the conditions under which it comes about."""
    conditions = [guard.condition for guard in access.guards if guard.holds]
    if access.mask is not None:
        conditions.append(access.mask)
    for condition in chain.from_iterable(map(_conjuncts, conditions)):
        if condition.op in (Op.LT, Op.LE, Op.GT, Op.GE):
            below, above = map(known.forms.of, (condition.left, condition.right))
            if condition.op in (Op.GT, Op.GE):
                below, above = above, below
            yield offset + above - below + int(condition.op in (Op.LE, Op.GE))


def _conjuncts(condition: Value) -> Iterator[Value]:
    """The conditions that all hold where one does."""
    if condition.op in (Op.AND, Op.BOTH):
        for side in condition.operands:
            yield from _conjuncts(side)
    else:
        yield condition


def _parameter(known: KernelFacts, form: Polynomial) -> str:
    """The parameter that a form is, a number; "" for anything else."""
    atom = form.sole_atom
    return atom.name if isinstance(atom, Param) and atom.name not in known.pointers else ""


# Which parameters of kernels are results: memory that a kernel only stores to.


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
