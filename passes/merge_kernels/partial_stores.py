"""The store by which a kernel leaves a partial result, and whether an atomic can take its place."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import NotExpressible, names_bound
from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.coordinates import CLAIM, Coordinate, coordinates_of
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_integer
from tritonopt.passes.merge_kernels.locked_sums import LockedSums, locked_sums
from tritonopt.source.trees import walk

_PASSED = frozenset({Op.INSERT_AXES, Op.BROADCAST_TO, Op.IN_BRANCH, Op.FULL})
_MAGNITUDES = frozenset({"abs", "floor", "ceil"})


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
        return _is_number(self.facts, self.effect.stored, frozenset())


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
        text = f"{name} does more with {buffer} than to store there in one place"
        raise refuted(CLAIM, "partials-are-used-elsewhere", text)
    where = f"line {effect.line}"
    if any(e.kind is EffectKind.EXIT for e in facts.effects):
        raise refuted(CLAIM, "early-exit", f"{name} may be left before {where} stores")
    if any(e.kind is EffectKind.CALL for e in facts.effects):
        raise unknown(CLAIM, "unknown-call", f"{name} calls what is not understood")
    if effect.guards or effect.loops or effect.inlined:
        text = f"{where} stores under a condition, in a loop, or in a helper"
        raise refuted(CLAIM, "partials-do-not-match", text)
    statement = facts.kernel.module.names.parents.get(effect.node)
    call = effect.node
    if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
        raise refuted(CLAIM, "partials-do-not-match", f"{where} is no statement that stores")
    keywords = {keyword.arg for keyword in call.keywords}
    if len(call.args) not in (2, 3) or keywords - {"mask"}:
        raise NotExpressible(f"{where} says how it stores")
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


def _is_number(facts: KernelFacts, value: Value, taken: frozenset[int]) -> bool:
    """Whether a value is never NaN: what it is made of shows it, or an extreme drops NaN."""

    def inside(part: Value) -> bool:
        return _is_number(facts, part, taken)

    if value.serial in taken or is_integer(value.dtype) or value.dtype == "int":
        return True
    match value.op:
        case Op.CONST:
            number = value.constant
            return isinstance(number, (int, float)) and not math.isnan(number)
        case Op.MAXIMUM | Op.MINIMUM:
            one = inside(value.left) or inside(value.right)
            both = inside(value.left) and inside(value.right)
            return both if value.attribute is not None else one
        case Op.REDUCE:
            return value.reduction.name in ("max", "min") and inside(value.operand)
        case Op.WHERE | Op.PHI:
            return inside(value.then) and inside(value.other)
        case Op.CAST:
            return inside(value.operand)
        case Op.CARRIED | Op.RESULT:
            loop, name = facts.loops[value.carrier.loop], value.carrier.name
            more = taken | {loop.carried[name].serial}
            starts = _is_number(facts, loop.initial[name], taken)
            return starts and _is_number(facts, loop.following[name], more)
        case Op.ELEMENTWISE if value.function.rpartition(".")[2] in _MAGNITUDES:
            return inside(value.operands[0])
        case op if op in _PASSED:
            return inside(value.operands[0])
    return False
