"""Products in addresses that may be beyond 2**31, and where a cast of a factor is enough.

Triton computes `row * stride` in 32 bits where both fit 32, whatever the product is. What grows
with the data is a *position*: a program id, the number of an iteration, an index that is loaded.
A tile's lanes alone are no more than 2**20.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.uses import users
from tritonopt.rewriting.checklist import Declined, unknown

_POSITIONS = frozenset({Op.PROGRAM_ID, Op.ITERATION, Op.LOAD})
_WIDE = frozenset({"int64", "uint64"})
_ARITHMETIC = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.INSERT_AXES, Op.BROADCAST_TO, Op.MINIMUM, Op.MAXIMUM}
    | {Op.FLOORDIV, Op.MOD, Op.CDIV, Op.NEG}
)
"""What gives 64 bits where an operand has them, and the same number."""


@dataclass(frozen=True, eq=False)
class Product:
    """`position * other`, in an address."""

    node: ast.BinOp
    position: ast.expr
    other: ast.expr


class WideProducts:
    """Those of one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts

    def products(self) -> Iterator[Product]:
        """In the order of the source; of a product in a product the inner one."""
        found: set[ast.AST] = set()
        for node in self._facts.kernel.nodes:
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
                continue
            value = self._facts.values.get(node)
            if value is None or value not in self._in_addresses or value.dtype in _WIDE:
                continue
            product = self._product(node)
            if product is not None:
                found.add(node)
                yield product

    def _product(self, node: ast.BinOp) -> Product | None:
        for position, other in ((node.left, node.right), (node.right, node.left)):
            inner = position
            while isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult):
                inner = inner.left
            if inner is not position and self._has_position(inner) and self._grows(inner, position):
                return None  # that one is a product itself
            if self._has_position(position) and self._is_number_at_run_time(other):
                return Product(node, position, other)
        return None

    def _grows(self, inner: ast.expr, product: ast.expr) -> bool:
        """Whether a product of a position is with more than constants."""
        return any(
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mult)
            and self._is_number_at_run_time(node.right)
            for node in ast.walk(product)
        )

    def _has_position(self, node: ast.expr) -> bool:
        value = self._facts.values.get(node)
        if value is None or value.dtype in _WIDE:
            return False
        parts = list(_without_addresses(value))
        return any(part.op in _POSITIONS for part in parts) and not any(
            part.dtype in _WIDE for part in parts if part.op is not Op.LOAD
        )

    def _is_number_at_run_time(self, node: ast.expr) -> bool:
        """A size or a stride that the launch passes; of constexprs the compiler sees the product."""
        value = self._facts.values.get(node)
        if value is None:
            return False
        return any(part.op is Op.PARAM for part in _without_addresses(value))

    @cached_property
    def _in_addresses(self) -> frozenset[Value]:
        """What addresses are made of, in the kernel and in helpers."""
        found: set[Value] = set()
        todo = [e.pointer for e in self._facts.effects if e.pointer is not None]
        while todo:
            value = todo.pop()
            if value in found:
                continue
            found.add(value)
            if value.op in (Op.CARRIED, Op.RESULT):
                identity, name = value.carrier
                loop = self._facts.loops[identity]
                todo += [loop.initial[name], loop.following[name]]
            elif value.op is not Op.LOAD:
                todo += value.operands
        return frozenset(found)

    def is_tensor(self, node: ast.expr) -> bool:
        """Whether an expression is one of Triton's values for certain, and no number of Python's."""
        value = self._facts.values[node]
        tensors = (Op.PROGRAM_ID, Op.LOAD, Op.LANE)
        return any(part.op in tensors for part in _without_addresses(value))

    # Where the wider number goes

    def check_uses(self, value: Value, line: int) -> None:
        """Raises Declined where the type of a number may matter for more than its address."""
        todo, seen = [value], {value}
        while todo:
            part = todo.pop()
            if part in self._carried:
                raise self._elsewhere(line, "a loop carries it on")
            for user in self._users.get(part.serial, ()):
                if user in seen or self._is_pointer(user):
                    continue
                seen.add(user)
                if user.op in COMPARISONS or user.op is Op.LOAD or user.op is Op.AND:
                    continue
                if user.op not in _ARITHMETIC:
                    raise self._elsewhere(line, f"it goes into {user.op}")
                todo.append(user)
        stored = {e.stored for e in self._facts.effects if e.stored is not None}
        if stored & seen:
            raise self._elsewhere(line, "it is stored")

    def _elsewhere(self, line: int, how: str) -> Declined:
        detail = f"the type of the product in line {line} may matter elsewhere: {how}"
        return unknown("type-is-free", "number-is-used-otherwise", detail)

    def _is_pointer(self, value: Value) -> bool:
        base, _ = self._facts.forms.address(value)
        return base is not None

    @cached_property
    def _users(self) -> dict[int, list[Value]]:
        return users(self._facts.interpretation)

    @cached_property
    def _carried(self) -> frozenset[Value]:
        return frozenset(
            value
            for loop in self._facts.loops
            for names in (loop.initial, loop.following)
            for value in names.values()
        )


def _without_addresses(value: Value) -> Iterator[Value]:
    """The value and what it is made of, without what it is loaded from."""
    todo, seen = [value], {value}
    while todo:
        part = todo.pop()
        yield part
        if part.op is not Op.LOAD:
            todo += [operand for operand in part.operands if operand not in seen]
            seen.update(part.operands)
