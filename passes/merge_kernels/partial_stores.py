"""The store by which a kernel leaves a partial result, and whether an atomic can take its place."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible, names_bound
from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.atoms import Mod, ProgramId
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.memory.masked_off_value import LARGEST
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import is_integer
from tritonopt.passes.merge_kernels.slot_reductions import COMBINED as CLAIM
from tritonopt.passes.merge_kernels.slot_reductions import Coordinate, coordinates_of
from tritonopt.source.trees import walk

_PASSED = frozenset({Op.INSERT_AXES, Op.BROADCAST_TO, Op.IN_BRANCH, Op.FULL, Op.CAST})
_MAGNITUDES = frozenset({"abs", "floor", "ceil"})
_ACCESSES = frozenset({EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC})


@dataclass(frozen=True)
class PartialStore:
    """A store of the kernel, once in each program."""

    facts: KernelFacts
    effect: Effect
    buffer: str
    """The parameter that it goes to."""
    statement: ast.Expr
    call: ast.Call
    pointer: ast.expr
    coordinates: tuple[Coordinate, ...]
    bumps: tuple[ast.stmt, ...]
    """Statements that move the parameter for this store alone."""
    lock: LockedSums | None = None
    """The lock under which it adds to what other programs have stored."""

    @property
    def is_of_numbers(self) -> bool:
        """Whether what it stores is never NaN, of which atomics make something else."""
        assert self.effect.stored is not None
        extremes = (Op.MAXIMUM, Op.MINIMUM)
        return _is_made_of(self.facts, self.effect.stored, _is_number, extremes)

    @property
    def is_not_negative(self) -> bool:
        """Whether what it stores is never below 0, as what is made of comparisons is not."""
        assert self.effect.stored is not None
        return _is_made_of(self.facts, self.effect.stored, _is_not_negative, (Op.MAXIMUM,))


def partial_store(facts: KernelFacts, buffer: str) -> PartialStore:
    """All that a kernel does with one buffer, if it is one store. Raises Declined.

    Or one sum, under a lock.
    """
    name = facts.kernel.name
    touching = [e for e in facts.effects if e.pointer is not None and _touches(facts, e, buffer)]
    lock = locked_sums(facts)
    effect = lock.store_to(buffer) if lock is not None else touching[0]
    kinds = [e.kind for e in touching]
    summed = lock is not None and effect is not None
    wanted = [EffectKind.LOAD, EffectKind.STORE] if summed else [EffectKind.STORE]
    if effect is None or kinds != wanted:
        text = f"{name} accesses {buffer} in more places than one store"
        raise refuted(CLAIM, "partials-are-used-elsewhere", text)
    where = f"line {effect.line}"
    if any(e.kind is EffectKind.EXIT for e in facts.effects):
        raise refuted(CLAIM, "early-exit", f"{name} may exit before {where} stores")
    if any(e.kind is EffectKind.CALL for e in facts.effects):
        raise unknown(CLAIM, "unknown-call", f"{name} calls a function that is not understood")
    if effect.guards or effect.loops or effect.inlined:
        text = f"{where} stores under a condition, in a loop, or in a helper"
        raise refuted(CLAIM, "partials-do-not-match", text)
    statement = facts.kernel.module.names.parents.get(effect.node)
    call = effect.node
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
        raise refuted(CLAIM, "partials-do-not-match", f"{where} is not a store statement")
    keywords = {keyword.arg for keyword in call.keywords}
    if len(call.args) not in (2, 3) or keywords - {"mask"}:
        raise NotExpressible(f"{where} has store options")
    coordinates = coordinates_of(facts, effect, lock.group if lock is not None else None)
    bumps = _bumps(facts, buffer)
    if lock is not None:
        _check_below(lock, call)
    pointer = call.args[0]
    return PartialStore(facts, effect, buffer, statement, call, pointer, coordinates, bumps, lock)


def _check_below(lock: LockedSums, call: ast.Call) -> None:
    """Without the lock, all that the store asks for has the value that it had."""
    bound, body = set().union(*map(names_bound, lock.section)), lock.facts.kernel.node.body
    after = body[body.index(lock.section[-1]) + 1 :]
    asked = [n for part in (*call.args[2:], *call.keywords, *after) for n in walk(part)]
    if any(isinstance(n, ast.Name) and n.id in bound for n in asked):
        text = f"what is computed under the lock is used in line {call.lineno}, or after it"
        raise refuted(CLAIM, "lock-is-not-understood", text)


def _touches(facts: KernelFacts, effect: Effect, buffer: str) -> bool:
    bases = facts.bases(effect)
    return bases is None or buffer in bases


def _bumps(facts: KernelFacts, buffer: str) -> tuple[ast.stmt, ...]:
    """The assignments that move a parameter; raises Declined where more is made of it."""
    names = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == buffer]
    moved = []
    for statement in facts.kernel.node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name))
            ) if name == buffer:
                moved.append(statement)
    inside = {node for statement in moved for node in walk(statement)}
    for node in names:
        if isinstance(node.ctx, ast.Store) and node not in inside:
            text = f"line {node.lineno} binds {buffer} again"
            raise refuted(CLAIM, "partials-are-used-elsewhere", text)
    return tuple(moved)


def _is_number(value: Value) -> bool:
    number = value.constant if value.op is Op.CONST else None
    whole = is_integer(value.dtype) or value.dtype == "int"
    return whole or (isinstance(number, (int, float)) and not math.isnan(number))


def _is_not_negative(value: Value) -> bool:
    number = value.constant if value.op is Op.CONST else None
    return value.op in COMPARISONS or (isinstance(number, (int, float)) and 0 <= number <= LARGEST)


def _is_made_of(
    facts: KernelFacts,
    value: Value,
    leaf: Callable[[Value], bool],
    dropping: Collection[Op],
    taken: frozenset[int] = frozenset(),
) -> bool:
    """Whether what a value is made of shows that it is as each leaf is.

    Of the extremes that are `dropping` one operand is enough: NaN is dropped, say.
    """

    def inside(part: Value) -> bool:
        return _is_made_of(facts, part, leaf, dropping, taken)

    if value.serial in taken or leaf(value):
        return True
    match value.op:
        case Op.MAXIMUM | Op.MINIMUM:
            drops = value.attribute is None and value.op in dropping
            return (any if drops else all)(map(inside, (value.left, value.right)))
        case Op.REDUCE:
            return value.reduction.name in ("max", "min") and inside(value.operand)
        case Op.WHERE | Op.PHI:
            return inside(value.then) and inside(value.other)
        case Op.CARRIED | Op.RESULT:
            loop, name = facts.loops[value.carrier.loop], value.carrier.name
            taken |= {loop.carried[name].serial}
            ends = loop.initial[name], loop.following[name]
            return all(_is_made_of(facts, end, leaf, dropping, taken) for end in ends)
        case Op.ELEMENTWISE if value.function.rpartition(".")[2] in _MAGNITUDES:
            return inside(value.operands[0])
        case op if op in _PASSED:
            return inside(value.operands[0])
    return False


@dataclass(frozen=True)
class LockedSums:
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

    Between the two ends of the lock nothing else is done. So once all programs are done, a row
    holds what its group has added up, in whatever order.
    """

    facts: KernelFacts
    lock: str
    """The parameter: the locks, and after them whether a sum was begun."""
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
    _need(len(taking) == 1, "there are several locks")
    return _Section(facts, taking[0]).read()


def _need(holds: bool, text: str) -> None:
    if not holds:
        raise refuted(CLAIM, "lock-is-not-understood", text)


@dataclass(frozen=True)
class _Section:
    facts: KernelFacts
    taking: Effect

    def read(self) -> LockedSums:
        facts, group, statements = self.facts, self._group(), self._statements()
        inside = {node for statement in statements for node in walk(statement)}
        effects = [e for e in facts.effects if e.node in inside]
        lock = self._base(self.taking)
        plain = not any(e.inlined or e.volatile for e in effects)
        _need(plain, "a helper, or a volatile load, is under the lock")
        of_lock = [e for e in facts.effects if e.kind in _ACCESSES and lock == self._base(e)]
        flagged = self._flag(group, of_lock)
        stores = [e for e in effects if e.kind is EffectKind.STORE]
        loads = [e for e in effects if e.kind is EffectKind.LOAD and e not in of_lock]
        rest = [e for e in effects if e not in (*of_lock, *stores, *loads)]
        alone = len(loads) == len(stores) and all(e.kind is EffectKind.BARRIER for e in rest)
        _need(alone, "there is other code under the lock")
        for store, load in zip(stores, loads, strict=True):
            self._check_sum(store, load, flagged)
        return LockedSums(facts, lock, group, statements, tuple(stores))

    def _base(self, effect: Effect) -> str:
        found = self.facts.bases(effect) or frozenset()
        _need(len(found) == 1, f"where line {effect.line} goes to is not known")
        return next(iter(found))

    def _offset(self, effect: Effect) -> Polynomial:
        assert effect.pointer is not None
        return self.facts.forms.address(effect.pointer)[1]

    def _group(self) -> Mod:
        """The number of the lock: that of the program, modulo how many there are."""
        match self._offset(self.taking).sole_atom:
            case Mod(dividend=dividend) as atom if isinstance(dividend.sole_atom, ProgramId):
                return atom
        text = "which lock is taken is not the number of the program modulo another"
        raise refuted(CLAIM, "lock-is-not-understood", text)

    def _statements(self) -> tuple[ast.stmt, ...]:
        """Those of the kernel's own block, from the lock to the end of it."""
        body = self.facts.kernel.node.body
        node = self.taking.loops[-1].node if self.taking.loops else None
        match node:
            case ast.While(
                test=ast.Compare(
                    left=ast.Call(args=[_, free, taken], keywords=[]) as call,
                    ops=[ast.Eq()],
                    comparators=[ast.Constant(value=1)],
                ),
                body=[ast.Pass()],
                orelse=[],
            ) if node in body and call is self.taking.node:
                numbers = [n.value if isinstance(n, ast.Constant) else None for n in (free, taken)]
                text = "the lock is not 0 when free and 1 when taken"
                _need(numbers == [0, 1], text)
            case _:
                _need(False, "an atomic is not a loop that waits for a lock")
        last = next((e for e in reversed(self.facts.effects) if e.name == "atomic_xchg"), None)
        around = self.facts.kernel.module.names.parents.get(last.node) if last else None
        same = last is not None and self._offset(last) == self._offset(self.taking)
        _need(same and around in body, "the lock is not released at the kernel's top level")
        assert last is not None and isinstance(around, ast.stmt) and isinstance(node, ast.stmt)
        given = last.stored is not None and last.stored.constant == 0 and last.mask is None
        _need(given, "the lock is not released")
        return tuple(body[body.index(node) : body.index(around) + 1])

    def _flag(self, group: Mod, of_lock: Sequence[Effect]) -> Value | None:
        """What says whether a sum was begun; None where nothing does."""
        names = [e.name for e in of_lock]
        if names == ["atomic_cas", "atomic_xchg"]:
            return None
        known = names == ["atomic_cas", "load", "atomic_xchg", "atomic_xchg"]
        _need(known, "the locks are used for more than taking and releasing them")
        _, load, begins, _ = of_lock
        after = self._offset(load) - Polynomial.of(group)
        same = self._offset(begins) == self._offset(load) and begins.mask is None
        one = begins.stored is not None and begins.stored.constant == 1
        asks = len(begins.guards) == 1 and begins.guards[0].holds and not load.guards
        condition = begins.guards[0].condition if asks else None
        sides = condition.operands if condition is not None and condition.op is Op.EQ else ()
        zero = any(side.constant == 0 for side in sides) and any(_is(load, s) for s in sides)
        known = after == group.divisor and same and one and zero
        _need(known, "the flag that a sum was started is not understood")
        return condition

    def _check_sum(self, store: Effect, load: Effect, flagged: Value | None) -> None:
        """A store adds to what stands there, or is the first one there; what is added has, above
        the lock, the name that is stored."""
        where = f"line {store.line}"
        same = self._base(store) == self._base(load) and self._offset(store) == self._offset(load)
        _need(same, f"{where} stores to another address than it loaded from")
        all_of_it = not (store.guards or store.loops or load.loops) and store.mask is load.mask
        _need(all_of_it, f"{where} does not store all loaded elements")
        value, new, under = store.stored, store.stored, load.guards
        assert value is not None
        known = not under
        if flagged is not None:
            chosen = value.op is Op.PHI and value.condition is flagged
            known = chosen and [(g.condition, g.holds) for g in under] == [(flagged, False)]
            new, value = (value.then, value.other) if chosen else (value, value)
        parts = value.operands if value.op is Op.ADD else ()
        others = [part for part in parts if not _is(load, part)]
        known = known and len(parts) == 2 and len(others) == 1
        known = known and (flagged is None or others[0] is new)
        _need(known, f"{where} does not store a sum")
        call = store.node
        named = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
        above = self.facts.before[self.taking.loops[-1].node]
        known = isinstance(named, ast.Name) and above.get(named.id) is others[0]
        _need(known, f"{where} stores a value that had another name before the lock")


def _is(load: Effect, value: Value) -> bool:
    return value.op is Op.LOAD and value.number == load.order
