"""How an index comes into the addresses of loads, stores and atomics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value, is_integer

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


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
            if not found and any(part in self._same for part in self._all(pointer)):
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

    def _all(self, pointer: Value) -> Iterator[Value]:
        """What an address is made of, without what is loaded on the way."""
        todo, seen = [pointer], set()
        while todo:
            value = todo.pop()
            if value in seen:
                continue
            seen.add(value)
            yield value
            if value.op in (Op.CARRIED, Op.RESULT):
                identity, name = value.carrier
                todo.append(self._facts.loops[identity].initial[name])
                todo.append(self._facts.loops[identity].following[name])
            elif value.op is not Op.LOAD:
                todo.extend(value.operands)
