"""Sums that programs add up one after the other under a lock, in a row for each group of them.

    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        dw += tl.load(DW + group * N + cols, mask=mask)
    tl.store(DW + group * N + cols, dw, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock + group, 0)

Between the two ends of the lock nothing else is done. So once all programs are done, a row holds
what its group has added up, in whatever order.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import Declined, refuted
from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.atoms import Mod, ProgramId
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.coordinates import CLAIM
from tritonopt.facts.operations import Op
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class LockedSums:
    """All that stands between the ends of the lock."""

    facts: KernelFacts
    lock: str
    """The parameter: the locks, and behind them whether a sum was begun."""
    group: Mod
    """The number of the lock, and of the row of sums."""
    section: tuple[ast.stmt, ...]
    """The statements, from the one that takes the lock to the one that gives it back."""
    stores: tuple[Effect, ...]

    def store_to(self, buffer: str) -> Effect | None:
        found = [e for e in self.stores if self.facts.bases(e) == frozenset({buffer})]
        return found[0] if len(found) == 1 else None


def locked_sums(facts: KernelFacts) -> LockedSums | None:
    """The lock of a kernel, if it has one. Raises Declined where it does something else."""
    taking = [e for e in facts.effects if e.name == "atomic_cas"]
    if not taking:
        return None
    if len(taking) != 1:
        raise _declined("there are several locks")
    return _Section(facts, taking[0]).read()


class _Section:
    def __init__(self, facts: KernelFacts, taking: Effect) -> None:
        self._facts = facts
        self._taking = taking

    def read(self) -> LockedSums:
        facts, taking = self._facts, self._taking
        group = self._group(taking)
        statements = self._statements()
        inside = {node for statement in statements for node in walk(statement)}
        effects = [e for e in facts.effects if e.node in inside]
        (lock,) = self._bases(taking)
        if any(e.inlined or e.volatile for e in effects):
            raise _declined("a helper, or a volatile load, stands below the lock")
        of_lock = [e for e in facts.effects if e.kind in _ACCESSES and lock in self._bases(e)]
        flagged = self._flag(lock, group, of_lock)
        stores = [e for e in effects if e.kind is EffectKind.STORE]
        loads = [e for e in effects if e.kind is EffectKind.LOAD and e not in of_lock]
        rest = [e for e in effects if e not in (*of_lock, *stores, *loads)]
        if any(e.kind is not EffectKind.BARRIER for e in rest) or len(loads) != len(stores):
            raise _declined("something else is done below the lock")
        for store, load in zip(stores, loads, strict=True):
            self._check_sum(store, load, flagged)
        return LockedSums(facts, lock, group, statements, tuple(stores))

    def _bases(self, effect: Effect) -> frozenset[str]:
        found = self._facts.bases(effect)
        if found is None or len(found) != 1:
            raise _declined(f"where line {effect.line} goes to is not known")
        return found

    def _offset(self, effect: Effect) -> Polynomial:
        assert effect.pointer is not None
        return self._facts.forms.address(effect.pointer)[1]

    def _group(self, taking: Effect) -> Mod:
        """The number of the lock: that of the program, modulo how many there are."""
        atom = self._offset(taking).sole_atom
        counted = isinstance(atom, Mod) and isinstance(atom.dividend.sole_atom, ProgramId)
        if not isinstance(atom, Mod) or not counted:
            raise _declined("which lock is taken is not the number of the program modulo another")
        return atom

    def _statements(self) -> tuple[ast.stmt, ...]:
        """Those of the kernel's own block, from the lock to the end of it."""
        body = self._facts.kernel.node.body
        node = self._taking.loops[-1].node if self._taking.loops else None
        match node:
            case ast.While(
                test=ast.Compare(
                    left=ast.Call(args=[_, free, taken]) as call,
                    ops=[ast.Eq()],
                    comparators=[ast.Constant(value=1)],
                ),
                body=[ast.Pass()],
                orelse=[],
            ) if node in body and call is self._taking.node and not call.keywords:
                numbers = [n.value if isinstance(n, ast.Constant) else None for n in (free, taken)]
                if numbers != [0, 1]:
                    raise _declined("the lock is not 0 where it is free, and 1 where it is taken")
            case _:
                raise _declined("an atomic is no loop that waits for a lock")
        ends = [e for e in self._facts.effects if e.name == "atomic_xchg"]
        last = ends[-1] if ends else None
        around = self._facts.kernel.module.names.parents.get(last.node) if last else None
        if last is None or around not in body or self._offset(last) != self._offset(self._taking):
            raise _declined("the lock is not given back in the kernel's own block")
        if last.stored is None or last.stored.constant != 0 or last.mask is not None:
            raise _declined("the lock is not given back")
        assert isinstance(around, ast.stmt)
        return tuple(body[body.index(node) : body.index(around) + 1])

    def _flag(self, lock: str, group: Mod, of_lock: Sequence[Effect]) -> Value | None:
        """What says whether a sum was begun; None where nothing does."""
        names = [e.name for e in of_lock]
        if names == ["atomic_cas", "atomic_xchg"]:
            return None
        if names != ["atomic_cas", "load", "atomic_xchg", "atomic_xchg"]:
            raise _declined("more is done with the locks than to take them and to give them back")
        _, load, begins, _ = of_lock
        behind = self._offset(load) - Polynomial.of(group)
        same = self._offset(begins) == self._offset(load)
        one = begins.stored is not None and begins.stored.constant == 1
        guards = begins.guards
        if behind != group.divisor or not same or not one or len(guards) != 1 or load.guards:
            raise _declined("what says whether a sum was begun is not understood")
        condition = guards[0].condition
        zero = condition.op is Op.EQ and any(o.constant == 0 for o in condition.operands)
        flags = [o for o in condition.operands if o.op is Op.LOAD and o.number == load.order]
        if not zero or not flags or not guards[0].holds or begins.mask is not None:
            raise _declined("what says whether a sum was begun is not understood")
        return condition

    def _check_sum(self, store: Effect, load: Effect, flagged: Value | None) -> None:
        """A store adds to what stands there, or is the first one there."""
        where = f"line {store.line}"
        if self._bases(store) != self._bases(load) or self._offset(store) != self._offset(load):
            raise _declined(f"{where} stores elsewhere than what it adds to was loaded from")
        if store.guards or store.loops or load.loops or store.mask is not load.mask:
            raise _declined(f"{where} does not store all that was loaded")
        value, wanted = store.stored, load.guards
        assert value is not None
        if flagged is not None:
            under = len(wanted) == 1 and wanted[0].condition is flagged and not wanted[0].holds
            if value.op is not Op.PHI or value.condition is not flagged or not under:
                raise _declined(f"{where} stores something else than a sum")
            new, value = value.then, value.other
        elif wanted:
            raise _declined(f"{where} stores something else than a sum")
        else:
            new = value
        parts = list(value.operands) if value.op is Op.ADD else []
        loaded = [p for p in parts if p.op is Op.LOAD and p.number == load.order]
        others = [p for p in parts if p not in loaded]
        if len(loaded) != 1 or len(others) != 1 or (flagged is not None and others[0] is not new):
            raise _declined(f"{where} stores something else than a sum")
        self._check_name(store, others[0])

    def _check_name(self, store: Effect, added: Value) -> None:
        """What is stored has, above the lock, a name for what is to be added."""
        call = store.node
        value = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
        taking = self._taking.loops[-1].node
        known = self._facts.before[taking]
        if not isinstance(value, ast.Name) or known.get(value.id) is not added:
            raise _declined(f"line {store.line} stores what had another name above the lock")


_ACCESSES = frozenset({EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC})


def _declined(text: str) -> Declined:
    return refuted(CLAIM, "lock-is-not-understood", text)
