"""Where a value goes: the operations and the accesses that take it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field

from tritonopt.facts.effects import Effect, EffectKind, parts_of
from tritonopt.facts.interpretation import Interpretation
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.values import Value, is_float, is_integer, operands_first
from tritonopt.source.trees import walk

_KEEPS_VALUES = frozenset(
    {"T", "bitcast", "broadcast", "cast", "join", "permute", "ravel", "reshape", "split", "trans"}
)
"""Operations without a shape that is known which move values and do not add them."""


_NAN_OR_NAN = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG})
_NAN_OF_NAN = frozenset({"abs", "exp", "exp2", "log", "log2", "rsqrt", "sqrt"})

_KEEPS_LANES = frozenset({Op.INSERT_AXES, Op.BROADCAST_TO, Op.PHI, Op.CARRIED, Op.RESULT})


def read_by_effects(facts: KernelFacts) -> Iterator[Value]:
    """What decides on effects and loops, what is returned, and all that effects see but what is
    stored."""
    for effect in facts.effects:
        yield from (v for v in (effect.pointer, effect.mask, effect.other) if v)
        yield from (guard.condition for guard in effect.guards)
        stored = effect.kind is EffectKind.STORE and effect.stored
        if effect.kind is not EffectKind.LOAD and not stored:
            inside = (n for n in walk(effect.node) if isinstance(n, ast.expr))
            yield from (facts.values[n] for n in inside if n in facts.values)
    for loop in facts.loops:
        yield from (*loop.bounds, *([loop.condition] if loop.condition else []))
    returns = (n.value for n in facts.kernel.nodes if isinstance(n, ast.Return) and n.value)
    yield from (facts.values[n] for n in returns if n in facts.values)


def taken_as_it_is(facts: KernelFacts, *, stored: bool = True) -> set[int]:
    """Serial numbers of what accesses, the conditions around them and loops take."""
    found = [v for e in facts.effects for v in (e.pointer, e.mask, e.other)]
    found += [e.stored for e in facts.effects if stored]
    found += [guard.condition for e in facts.effects for guard in e.guards]
    for loop in facts.loops:
        found += [*loop.bounds, *loop.initial.values(), *loop.following.values()]
    return {value.serial for value in found if value is not None}


def passes_nan(value: Value) -> bool:
    """Whether a value is NaN in the lanes where one of its operands is, whichever."""
    if value.op is Op.CAST:
        return is_float(value.dtype)
    name = value.function.rpartition(".")[2] if value.op is Op.ELEMENTWISE else ""
    return value.op in _NAN_OR_NAN or name in _NAN_OF_NAN


def users(interpretation: Interpretation) -> dict[int, list[Value]]:
    """The values that take a value as an operand, by its serial number."""
    found: dict[int, list[Value]] = {}
    conditions = (guard.condition for e in interpretation.effects for guard in e.guards)
    seen: set[int] = set()
    for root in (interpretation.computed, conditions):
        for value in root:
            for user in value.walk():
                if user.serial in seen:
                    continue
                seen.add(user.serial)
                for operand in user.operands:
                    found.setdefault(operand.serial, []).append(user)
    return found


def adds_up_floats(interpretation: Interpretation) -> bool:
    """Whether the kernel adds up floats anywhere, in an order that a layout may change.

    Layouts are chosen for a kernel as a whole, so also where no hinted value comes into the sum.
    """
    if any(effect.kind is EffectKind.CALL for effect in interpretation.effects):
        return True
    return any(map(_is_sum, interpretation.computed))


def _is_sum(value: Value) -> bool:
    if value.op is Op.REDUCE:
        return value.reduction.name not in ("max", "min") and not is_integer(value.dtype)
    if value.op is not Op.RESHAPED:
        return value.op is Op.ONE_OF  # which may add up what it is given
    return value.function not in _KEEPS_VALUES


def is_used_otherwise(interpretation: Interpretation, value: Value, but: Collection[Value]) -> bool:
    """Whether a value goes anywhere but lane by lane, into stores and into what stands in `but`."""
    used = users(interpretation)
    todo, seen = [value], {value}
    while todo:
        for user in used.get(todo.pop().serial, ()):
            if user in but or user in seen:
                continue
            if user.op not in ELEMENTWISE | _KEEPS_LANES:
                return True
            seen.add(user)
            todo.append(user)
    return False


def is_stored_elsewhere(
    facts: KernelFacts, load: Effect, loaded: Value, but: Collection[Value]
) -> bool:
    """Whether a lane outside of the mask of a load may be stored, other than by way of `but`."""
    assert load.mask is not None
    mask = facts.forms.condition(load.mask)
    for effect in facts.effects:
        if effect.kind not in (EffectKind.STORE, EffectKind.ATOMIC) or effect.stored is None:
            continue
        if loaded not in parts_of(facts.loops, effect.stored, stop=but.__contains__):
            continue
        if effect.mask is None or effect.mask.is_none or facts.forms.condition(effect.mask) != mask:
            return True
    return False


@dataclass
class SameValues:
    """Numbers the values of a kernel: two have one number where they are surely equal.

    Values are that already, but for loads: two that read the same elements, with nothing between
    them that may write there, are one.
    """

    facts: KernelFacts
    any_other: bool = False
    """Take loads for one that differ only in `other`."""
    _numbers: dict[int, int] = field(default_factory=dict)
    _known: dict[Hashable, int] = field(default_factory=dict)

    def number(self, value: Value) -> int:
        for part in operands_first(value, self._numbers):
            self._numbers[part.serial] = self._known.setdefault(self._key(part), len(self._known))
        return self._numbers[value.serial]

    def _key(self, value: Value) -> Hashable:
        operands = tuple(self._numbers[o.serial] for o in value.operands)
        if value.op is Op.OPAQUE:
            return value.serial
        if value.op is not Op.LOAD:
            return value.op, operands, value.attribute, value.dtype
        load = self.facts.interpretation.loads[value.number]
        if load.volatile:
            return value.serial
        if self.any_other and len(operands) > 2:
            operands = operands[:2]
        return "load", operands, self.facts.memory_version(load), _cache_modifier(load)


def _cache_modifier(load: Effect) -> str:
    """Where the load looks first; not how long a line stays, which changes no value."""
    keywords = load.node.keywords if isinstance(load.node, ast.Call) else []
    return next((ast.dump(k.value) for k in keywords if k.arg == "cache_modifier"), "")
