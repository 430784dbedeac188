"""The hints that a kernel gives, and whether they can be false.

`tl.max_contiguous(x, C)` and `tl.multiple_of(x, D)` are promises about the operation that computes
x, wherever they are written. What shows them to be true is the kernel's arithmetic, what it
asserts, and what every launch passes; what shows that they can be false is numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Iteration, Lane, NumPrograms, Param, ProgramId
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.effects import EffectKind, is_loaded, parts_of
from tritonopt.facts.language import function
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, read_offsets, stays_below
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value, is_integer
from tritonopt.passes.contiguity_hints.counterexamples import (
    CannotTell,
    Circumstance,
    Promise,
    find_counterexample,
    promise_about,
)
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Hinted:
    """A value and the hints about it; what is promised by axis, from the left."""

    value: Value
    calls: tuple[ast.Call, ...]
    contiguity: tuple[Polynomial | None, ...]
    divisibility: tuple[Polynomial | None, ...]


def read_hints(facts: KernelFacts) -> list[Hinted]:
    """Values with hints, in source order; apart, where a value is computed in two places."""
    calls: dict[tuple[Value, object], list[tuple[ast.Call, str]]] = {}
    for node, value in facts.values.items():
        if isinstance(node, ast.Call) and (name := _hint(facts, node)):
            calls.setdefault((value, _place(facts, node)), []).append((node, name))
    return [_hinted(facts, value, found) for (value, _), found in calls.items()]


def _hint(facts: KernelFacts, call: ast.Call) -> str:
    name = function(facts.kernel.module.resolve(call.func))
    return name if name in ("multiple_of", "max_contiguous") else ""


def _place(facts: KernelFacts, hint: ast.expr) -> object:
    """Tells apart the operations that hints are about: an expression, or the name of one."""
    while isinstance(hint, ast.Call) and _hint(facts, hint) and hint.args:
        hint = hint.args[0]
    return hint.id if isinstance(hint, ast.Name) else hint


def _hinted(facts: KernelFacts, value: Value, calls: Sequence[tuple[ast.Call, str]]) -> Hinted:
    rank = max(value.rank or 0, 1)
    promised: dict[str, tuple[Polynomial | None, ...]] = {}
    for call, name in calls:
        given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "values")]
        promised[name] = _by_axis(facts, given[0] if given else None, rank)
    nothing = (None,) * rank
    nodes = sorted((call for call, _ in calls), key=lambda n: (n.lineno, n.col_offset))
    return Hinted(
        value,
        tuple(nodes),
        promised.get("max_contiguous", nothing),
        promised.get("multiple_of", nothing),
    )


def _by_axis(facts: KernelFacts, node: ast.expr | None, rank: int) -> tuple[Polynomial | None, ...]:
    value = facts.values.get(node) if node is not None else None
    if value is None:
        return (None,) * rank
    parts = value.operands if value.op is Op.TUPLE else (value,)
    if len(parts) != rank:
        return (None,) * rank
    return tuple(facts.forms.of(part) for part in parts)


def is_address(facts: KernelFacts, hinted: Hinted) -> bool:
    """Of pointers, multiples are counted in bytes, and what they point to may be aligned."""
    atoms = facts.forms.of(hinted.value).atoms
    return any(isinstance(a, Param) and a.name in facts.pointers for a in atoms)


def counterexample(
    facts: KernelFacts, divisibility: Divisibility, bounds: Bounds, hinted: Hinted
) -> str:
    """Numbers for which hints are false, in words; empty where they are true, or none were found.

    Raises CannotTell where something stands in the way that numbers cannot be put into.
    """
    return _Truth(facts, divisibility, bounds, hinted).counterexample()


class _Truth:
    """Whether the hints about one value are true."""

    def __init__(
        self, facts: KernelFacts, divisibility: Divisibility, bounds: Bounds, hinted: Hinted
    ) -> None:
        self._facts = facts
        self._divisibility = divisibility
        self._bounds = bounds
        self._hinted = hinted

    def counterexample(self) -> str:
        for promise in self._promises():
            if self._is_shown(promise) or not self._is_judged(promise):
                continue
            circumstances = self._circumstances(promise)
            text = find_counterexample(self._facts, self._divisibility, promise, circumstances)
            if text:
                return text
        return ""

    def _promises(self) -> Iterator[Promise]:
        value = self._hinted.value
        shape = value.shape
        if shape is None:
            return
        extents = [self._facts.forms.of(extent) for extent in shape] or [ONE]
        for place, extent in enumerate(extents):
            contiguity = self._hinted.contiguity[place]
            divisibility = self._hinted.divisibility[place]
            if contiguity is not None or divisibility is not None:
                axis = len(extents) - 1 - place
                yield promise_about(
                    self._facts, value, axis, extent, contiguity, divisibility, needed=True
                )

    def _is_judged(self, promise: Promise) -> bool:
        """Whether the kernel itself makes the values what they are.

        Of a parameter the hint may be the caller's promise, which only the caller can break.
        """
        if promise.wraps or promise.selects:
            return True
        own = {
            atom
            for form in (promise.extent, promise.contiguity, promise.divisibility)
            if form
            for atom in form.atoms
        }
        bindings = self._divisibility.bindings
        return all(
            atom in own
            or isinstance(atom, (Lane, Iteration, ProgramId, NumPrograms))
            or (bindings and all(binding.number(atom) is not None for binding in bindings))
            for atom in promise.offsets.atoms
        )

    def _is_shown(self, promise: Promise) -> bool:
        divisibility = self._divisibility
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            if promise.contiguity is not None or promise.divisibility is None:
                return False
            return divisibility.proof(promise.divisibility, promise.offsets) is not None
        if offsets.axis != promise.axis:
            return False
        if not self._groups_start_alike(promise):
            return False
        inside = offsets.limit is not None and (
            stays_below(self._facts, divisibility, offsets) is not None
        )
        if offsets.kind is Kind.SELECTED and not inside:
            return False
        wraps = offsets.kind is Kind.WRAPPED and not inside
        least = self._bounds.lower_bound(offsets.start)
        if wraps and (least is None or least.number < 0):
            return False
        contiguity, divisor = promise.contiguity, promise.divisibility
        ends = [offsets.start, offsets.limit] if wraps else [offsets.start]
        needed = [(divisor, end) for end in ends]
        if wraps:
            needed += [(contiguity, end) for end in ends]
        return all(
            value is None or end is None or divisibility.proof(value, end) is not None
            for value, end in needed
        )

    def _groups_start_alike(self, promise: Promise) -> bool:
        """Whether what divides the first lane of a group divides that of the next one too."""
        contiguity, divisor = promise.contiguity, promise.divisibility
        if contiguity is None or divisor is None or contiguity == promise.extent:
            return True
        return self._divisibility.proof(divisor, contiguity) is not None

    def _circumstances(self, promise: Promise) -> list[Circumstance]:
        """The conditions under which the hinted values come about, as far as it matters."""
        first = self._hinted.calls[0]
        values = self._facts.values
        found = [
            (values[test], holds)
            for outer, test, holds in _guards(self._facts.kernel.node, first)
            if test in values
            and (not isinstance(outer, ast.While) or self._speaks_of(values[test], promise))
        ]
        for effect in self._facts.effects:
            if effect.kind is EffectKind.EXIT and effect.line < first.lineno:
                if len(effect.guards) != 1 or effect.loops:
                    raise CannotTell(effect.name)
                found.append((effect.guards[0].condition, not effect.guards[0].holds))
        circumstances = []
        for value, holds in found:
            chosen = {v.name for v in value.walk() if v.op is Op.CONSTEXPR}
            if chosen - promise.names:
                # It may well say just what the hint needs: `EVEN_M`.
                raise CannotTell("a choice of the launcher")
            circumstances.append(Circumstance(self._facts.forms.condition(value), holds))
        return circumstances

    def _speaks_of(self, condition: Value, promise: Promise) -> bool:
        """Whether a loop's condition may say how far the offsets go."""
        leaves = self._facts.forms.condition(condition).leaves()
        return any(isinstance(a, Param) and a.name in promise.names for a in leaves)


def _guards(root: ast.AST, node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr, bool]]:
    """What is around a node: the statement, its condition, and whether that holds there."""
    for outer in walk(root):
        match outer:
            case ast.If(test=test, body=body, orelse=orelse):
                blocks: tuple[Sequence[ast.AST], ...] = (body, orelse)
            case ast.IfExp(test=test, body=one, orelse=other):
                blocks = ([one], [other])
            case ast.While(test=test, body=body):
                blocks = (body,)
            case _:
                continue
        for block, holds in zip(blocks, (True, False), strict=False):
            if any(inner is node for part in block for inner in walk(part)):
                yield outer, test, holds


def strides(facts: KernelFacts, value: Value) -> Iterator[Polynomial | None]:
    """By what a value is multiplied before it is added to a pointer; None for other uses."""
    return _Uses(facts, value).strides()


class _Uses:
    """How a value comes into the addresses of loads, stores and atomics."""

    def __init__(self, facts: KernelFacts, value: Value) -> None:
        self._facts = facts
        self._value = value
        self._same = {value}
        table = facts.interpretation.table
        rank = value.rank or 0
        for new in range(1, 4):
            for pattern in product((True, False), repeat=rank + new):
                if pattern.count(False) == rank:
                    self._same.add(table.insert_axes(value, pattern))

    def strides(self) -> Iterator[Polynomial | None]:
        """By what the value is multiplied before it is added to a pointer; None for other uses."""
        for effect in self._facts.effects:
            pointer = effect.pointer
            if pointer is None:
                continue
            found = list(self._in(pointer, ONE, set()))
            yield from found
            if not found and any(
                part in self._same for part in parts_of(self._facts.loops, pointer, stop=is_loaded)
            ):
                yield None

    def _in(self, pointer: Value, stride: Polynomial, seen: set[Value]) -> Iterator[Polynomial]:
        if pointer in self._same:
            yield stride
            return
        if pointer in seen:
            return
        seen.add(pointer)
        match pointer.op:
            case Op.ADD:
                for operand in pointer.operands:
                    yield from self._in(operand, stride, seen)
            case Op.SUB:
                yield from self._in(pointer.left, stride, seen)
            case Op.MUL:
                for factor, other in ((pointer.left, pointer.right), (pointer.right, pointer.left)):
                    if other.rank == 0:
                        forms = self._facts.forms
                        yield from self._in(factor, stride * forms.of(other), seen)
            case Op.PHI | Op.WHERE:
                for operand in (pointer.then, pointer.other):
                    yield from self._in(operand, stride, seen)
            case Op.CAST if is_integer(pointer.dtype):
                yield from self._in(pointer.operand, stride, seen)
            case Op.INSERT_AXES | Op.BROADCAST_TO | Op.IN_BRANCH:
                yield from self._in(pointer.operand, stride, seen)
            case Op.CARRIED | Op.RESULT:
                identity, name = pointer.carrier
                loop = self._facts.loops[identity]
                yield from self._in(loop.initial[name], stride, seen)
                yield from self._in(loop.following[name], stride, seen)
