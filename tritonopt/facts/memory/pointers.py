"""Which parameters are pointers, which are integers, and which buffer an address is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.facts import language
from tritonopt.facts.interpretation import Interpretation
from tritonopt.facts.operations import ARITHMETIC, BITS, COMPARISONS, Op
from tritonopt.facts.values import Carrier, Value

_NUMBERS = (
    frozenset({Op.CONST, Op.LANE, Op.ITERATION, Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.CONSTEXPR})
    | {Op.LOAD, Op.REDUCE, Op.IS, Op.IS_NOT, Op.BOTH, Op.EITHER, Op.MINIMUM, Op.MAXIMUM}
    | {Op.CDIV}
    | (ARITHMETIC - {Op.ADD, Op.SUB, Op.CAST})
    | BITS
    | COMPARISONS
)
"""What is no pointer: nothing else than adding and choosing can be done to one.

A loaded address must be cast before its use.
"""

_SIZES = frozenset({Op.MUL, Op.FLOORDIV, Op.MOD, Op.NEG, Op.MINIMUM, Op.MAXIMUM})
_SUMMED_SIZES = _SIZES | {Op.ADD, Op.SUB, Op.CDIV}

_ARITHMETIC = _SIZES | {Op.DIV, Op.LT, Op.LE, Op.GT, Op.GE, Op.LANE}
"""What is not done to pointers."""

_PASSED_THROUGH = frozenset({Op.INSERT_AXES, Op.BROADCAST_TO, Op.WIDENED, Op.IN_BRANCH})

_REARRANGED = frozenset({"reshape", "view", "ravel", "trans", "permute", "flip", "T", "broadcast"})
"""What only moves the lanes of the first operand: pointers stay pointers, integers integers."""

_COMPUTED = frozenset({"cumsum", "cumprod", "sum", "max", "min", "argmax", "argmin", "xor_sum"}) | (
    language.MATRIX | language.RANDOM | frozenset({"histogram", "softmax", "sort", "topk"})
)
"""What computes with its operands, which pointers do not allow."""


def find_pointers(interpretation: Interpretation, numbers: frozenset[str]) -> frozenset[str]:
    """Parameters that are the base of some access, found until no more are."""
    known: frozenset[str] = frozenset()
    while True:
        found = set(known)
        for effect in interpretation.effects:
            if effect.pointer is not None:
                found |= _candidates(effect.pointer, interpretation, known, numbers) or frozenset()
        if found == known:
            return known
        known = frozenset(found)


def pointer_bases(
    pointer: Value,
    interpretation: Interpretation,
    known: frozenset[str],
    numbers: frozenset[str],
) -> frozenset[str] | None:
    """The pointer parameters that an address may be in the buffer of; None when not known."""
    return _candidates(pointer, interpretation, known, numbers)


def _candidates(
    pointer: Value,
    interpretation: Interpretation,
    known: frozenset[str],
    numbers: frozenset[str],
    open_loops: frozenset[Carrier] = frozenset(),
) -> frozenset[str] | None:
    def inside(value: Value) -> frozenset[str] | None:
        return _candidates(value, interpretation, known, numbers, open_loops)

    match pointer.op:
        case Op.PARAM:
            return None if pointer.name in numbers else frozenset({pointer.name})
        case Op.ADD | Op.SUB:
            surely = _Numbers(interpretation, numbers)
            leaves = [v for v in _summands(pointer) if not surely.is_number(v)]
            named = [leaf for leaf in leaves if leaf.op is Op.PARAM and leaf.name in known]
            if len(named) == 1:
                return inside(named[0])
            # `ptrs += stride`: what a loop adds to is the pointer, and what it adds is none.
            if any(v.op in (Op.CARRIED, Op.RESULT) and v.carrier in open_loops for v in leaves):
                return frozenset()
            return inside(leaves[0]) if len(leaves) == 1 else None
        case Op.PHI | Op.WHERE:
            return _union(inside(side) for side in (pointer.then, pointer.other))
        case Op.CONST:
            return frozenset() if pointer.constant is None else None
        case Op.CARRIED | Op.RESULT:
            identity, name = pointer.carrier
            if pointer.carrier in open_loops:
                return frozenset()
            loop = interpretation.loops[identity]
            opened = open_loops | {pointer.carrier}
            ends = (loop.initial[name], loop.following[name])
            return _union(_candidates(end, interpretation, known, numbers, opened) for end in ends)
        case Op.BLOCK_POINTER:
            return inside(pointer.operand)
        case op if op in _PASSED_THROUGH or _is_rearranged(pointer):
            return inside(pointer.operand)
    return None


def _is_rearranged(value: Value) -> bool:
    return value.op is Op.RESHAPED and value.function in _REARRANGED


@dataclass(frozen=True)
class _Numbers:
    """Tells what can be added to a pointer but is none."""

    interpretation: Interpretation
    parameters: frozenset[str]
    """Those that are known to be numbers."""

    def is_number(self, value: Value) -> bool:
        todo, seen = [value], {value.serial}
        while todo:
            part = todo.pop()
            parts = () if self._is_by_itself(part) else self._parts(part)
            if parts is None:
                return False
            todo += [p for p in parts if p.serial not in seen]
            seen.update(p.serial for p in parts)
        return True

    def _is_by_itself(self, value: Value) -> bool:
        # Pointers have no type here: only numbers do.
        if value.op in _NUMBERS or value.dtype is not None:
            return not value.is_none
        if value.op is Op.RESHAPED:
            return value.function in _COMPUTED
        return value.op is Op.PARAM and value.name in self.parameters

    def _parts(self, value: Value) -> Sequence[Value] | None:
        """What must be numbers for the value to be one; None where nothing makes it one."""
        match value.op:
            case Op.ADD:
                return value.operands
            case Op.SUB:
                return (value.left,)
            case Op.WHERE | Op.PHI:
                return (value.then, value.other)
            case Op.ELEMENTWISE:
                return ()
            case Op.FULL:
                return (value.operand,)
            case Op.CARRIED | Op.RESULT:
                # What a loop carries keeps its type.
                identity, name = value.carrier
                return (self.interpretation.loops[identity].initial[name],)
            case op if op in _PASSED_THROUGH or _is_rearranged(value):
                return (value.operand,)
        return None


def _union(parts: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    result: frozenset[str] = frozenset()
    for part in parts:
        if part is None:
            return None
        result |= part
    return result


def _summands(value: Value) -> Iterator[Value]:
    """The leaves of a chain of additions; of a subtraction, only what is added."""
    match value.op:
        case Op.ADD:
            for operand in value.operands:
                yield from _summands(operand)
        case Op.SUB:
            yield from _summands(value.left)
        case op if op in _PASSED_THROUGH:
            yield from _summands(value.operand)
        case _:
            yield value


def find_numbers(interpretation: Interpretation) -> frozenset[str]:
    """Parameters that are multiplied, divided or ordered, or bound a loop: never a pointer."""
    found: set[str] = set()
    for value in interpretation.computed:
        if value.op in _ARITHMETIC:
            found.update(o.name for o in value.operands if o.op is Op.PARAM)
    for loop in interpretation.loops:
        terms = loop.bounds  # the sum of a pointer and a number would be a pointer, and no bound
        while terms:
            term = terms.pop()
            if term.op in (Op.ADD, Op.SUB):
                terms += term.operands
            elif term.op is Op.PARAM:
                found.add(term.name)
    return frozenset(found)


@dataclass(frozen=True)
class Integers:
    """What only an integer can be: it bounds a loop, shapes a tile or indexes memory."""

    parameters: frozenset[str]
    loads: frozenset[int]
    """Loads, by their place in the order of effects."""


def find_integers(interpretation: Interpretation, pointers: frozenset[str]) -> Integers:
    """Parameters and loaded values that only an integer can be."""
    found: set[str] = set()
    loads: set[int] = set()
    seen: set[int] = set()

    def descend(value: Value) -> None:
        if value.serial in seen:
            return
        seen.add(value.serial)
        if value.op in (Op.PARAM, Op.CONSTEXPR):
            found.add(value.name)
        elif value.op is Op.LOAD:
            loads.add(value.number)
        elif value.op in _SUMMED_SIZES:
            for operand in value.operands:
                descend(operand)
        elif value.op in _PASSED_THROUGH or value.op is Op.REDUCE:
            descend(value.operand)

    for value in interpretation.computed:
        if value.op is Op.LANE:
            descend(value.extent)
    for loop in interpretation.loops:
        for bound in loop.bounds:
            descend(bound)
    for effect in interpretation.effects:
        if effect.pointer is not None:
            descend(effect.pointer)
    return Integers(frozenset(found - pointers), frozenset(loads))


def find_extents(interpretation: Interpretation) -> frozenset[str]:
    """Parameters that are the extent of a tile, and so at least 1."""
    return frozenset(
        extent.name
        for value in interpretation.computed
        if value.op is Op.LANE
        for extent in value.operands
        if extent.op in (Op.PARAM, Op.CONSTEXPR)
    )
