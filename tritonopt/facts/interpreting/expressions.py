"""Expressions: the value of each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonopt.facts.effects import Guard
from tritonopt.facts.interpreting.calls import Calls
from tritonopt.facts.interpreting.lookup import Bindings, Lookup
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Value, broadcast_shapes

_BINARY: Mapping[type[ast.operator], Op] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUB,
    ast.Mult: Op.MUL,
    ast.Div: Op.DIV,
    ast.FloorDiv: Op.FLOORDIV,
    ast.Mod: Op.MOD,
    ast.Pow: Op.POW,
    ast.BitAnd: Op.AND,
    ast.BitOr: Op.OR,
    ast.BitXor: Op.XOR,
    ast.LShift: Op.SHL,
    ast.RShift: Op.SHR,
}
_UNARY: Mapping[type[ast.unaryop], Op] = {
    ast.USub: Op.NEG,
    ast.UAdd: Op.POS,
    ast.Invert: Op.INVERT,
    ast.Not: Op.NOT,
}
_COMPARE: Mapping[type[ast.cmpop], Op] = {
    ast.Lt: Op.LT,
    ast.LtE: Op.LE,
    ast.Gt: Op.GT,
    ast.GtE: Op.GE,
    ast.Eq: Op.EQ,
    ast.NotEq: Op.NE,
    ast.Is: Op.IS,
    ast.IsNot: Op.IS_NOT,
}


@dataclass(frozen=True)
class Expressions:
    """Evaluates expressions of the function that is interpreted."""

    state: State
    lookup: Lookup
    bindings: Bindings
    calls: Calls

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression, whose effects are noted."""
        evaluate = _EVALUATE.get(type(node))
        value = evaluate(self, node) if evaluate is not None else self._not_understood(node)
        self.state.note_value(node, value)
        return value

    def _not_understood(self, node: ast.expr) -> Value:
        """Whatever stands inside may have effects."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)
        return self.state.table.opaque(f"{type(node).__name__} is not understood")

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, (bool, int, float, str)) or value is None:
            return self.state.table.constant(value)
        return self.state.table.opaque("constant of another kind")

    def _name(self, node: ast.Name) -> Value:
        known = self.state.frame.environment.get(node.id)
        return self.lookup.name(node) if known is None else self.bindings.under_guards(known)

    def _attribute(self, node: ast.Attribute) -> Value:
        dotted = self.lookup.dotted(node)
        if dotted:
            return self.lookup.imported(node, dotted)
        table, value = self.state.table, self.evaluate(node.value)
        if node.attr == "T":
            shape = None if value.shape is None else tuple(reversed(value.shape))
            return table.make(Op.RESHAPED, (value,), "T", shape=shape, dtype=value.dtype)
        if node.attr == "shape" and value.shape:
            return table.make(Op.TUPLE, value.shape, shape=None)
        if node.attr == "dtype" and value.dtype not in (None, "int", "float"):
            return table.make(Op.DTYPE, (), value.dtype)
        if node.attr == "value" and value.op in (Op.CONSTEXPR, Op.CONST):
            return value
        if value.op is Op.OPAQUE:
            return table.opaque("attribute of a value not understood")
        return table.make(Op.ATTRIBUTE, (value,), node.attr)

    # Operators

    def _binary_operation(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.binary(node.op, left, right, (node.left, node.right))

    def binary(
        self, op: ast.operator, left: Value, right: Value, sides: Sequence[ast.expr]
    ) -> Value:
        """What an operator makes of the values of two expressions."""
        table, name = self.state.table, _BINARY.get(type(op))
        if name is None:
            # `@` is the only other: a matrix product, pure.
            return table.make(Op.RESHAPED, (left, right), "matmul", shape=None)
        a, b = left.constant, right.constant
        if isinstance(a, int) and isinstance(b, int) and name in (Op.ADD, Op.SUB, Op.MUL):
            return table.constant({Op.ADD: a + b, Op.SUB: a - b, Op.MUL: a * b}[name])
        rounding = None
        if name in (Op.FLOORDIV, Op.MOD):
            rounding = self.state.rounding(sides, (left, right))
        return table.elementwise(name, (left, right), rounding)

    def _unary_operation(self, node: ast.UnaryOp) -> Value:
        table, operand = self.state.table, self.evaluate(node.operand)
        constant = operand.constant
        if isinstance(node.op, ast.USub) and type(constant) in (int, float):
            return table.constant(-constant)  # type: ignore[operator]
        name = _UNARY[type(node.op)]
        dtype = "bool" if name is Op.NOT else operand.dtype
        return table.elementwise(name, (operand,), dtype=dtype)

    def _comparison(self, node: ast.Compare) -> Value:
        table = self.state.table
        result: Value | None = None
        before = self.evaluate(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            after = self.evaluate(comparator)
            part = self._compared(op, before, after)
            if result is None:
                result = part
            else:
                shape = broadcast_shapes([result.shape, part.shape])
                result = table.make(Op.BOTH, (result, part), shape=shape, dtype="bool")
            before = after
        assert result is not None
        return result

    def _compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        name = _COMPARE.get(type(op))
        if name is None:
            return self.state.table.opaque("membership test", shape=())
        if name in COMPARISONS:
            return self.state.table.elementwise(name, (left, right))
        return self.state.table.make(name, (left, right), dtype="bool")

    def _logical_operation(self, node: ast.BoolOp) -> Value:
        parts = [self.evaluate(v) for v in node.values]
        name = Op.BOTH if isinstance(node.op, ast.And) else Op.EITHER
        result = parts[0]
        for part in parts[1:]:
            shape = broadcast_shapes([result.shape, part.shape])
            result = self.state.table.make(name, (result, part), shape=shape)
        return result

    def _conditional(self, node: ast.IfExp) -> Value:
        condition = self.evaluate(node.test)
        then = self._side(condition, True, node)
        return self.bindings.choice(condition, then, self._side(condition, False, node))

    def _side(self, condition: Value, holds: bool, node: ast.IfExp) -> Value:
        """One side of `a if condition else b`; what it loads is loaded in that case only."""
        self.state.guards.append(Guard(condition, holds, node))
        value = self.evaluate(node.body if holds else node.orelse)
        self.state.guards.pop()
        return value

    # What holds other expressions

    def _assignment(self, node: ast.NamedExpr) -> Value:
        result = self.evaluate(node.value)
        self.bindings.assign(node.target, result)
        return result

    def _tuple(self, node: ast.Tuple | ast.List) -> Value:
        return self.state.table.make(Op.TUPLE, [self.evaluate(e) for e in node.elts], shape=None)

    def _subscript(self, node: ast.Subscript) -> Value:
        table, value, index = self.state.table, self.evaluate(node.value), node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        pattern = _inserted_axes(parts, value.rank)
        if pattern is not None:
            return table.insert_axes(value, pattern)
        position = self.evaluate(index)
        place = position.constant
        if value.op is Op.TUPLE and isinstance(place, int):
            if -len(value.operands) <= place < len(value.operands):
                return value.operands[place]
            return table.opaque("element that is not there")
        if value.op is Op.OPAQUE or self.bindings.elements_change:
            return table.opaque("element of a value not understood")
        return table.make(Op.ELEMENT, (value, position), shape=None)

    def _call(self, node: ast.Call) -> Value:
        return self.calls.call(node)

    def _comprehension(self, node: ast.expr) -> Value:
        # Its names are its own, and it may run any number of times.
        self.bindings.unknown_expression(node)
        return self.state.table.opaque("comprehension")

    def _lambda(self, node: ast.Lambda) -> Value:
        return self.state.table.opaque("lambda")

    def _formatted_string(self, node: ast.JoinedStr) -> Value:
        return self.state.table.opaque("formatted string")


_EVALUATE: Mapping[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.BinOp: Expressions._binary_operation,
    ast.UnaryOp: Expressions._unary_operation,
    ast.Compare: Expressions._comparison,
    ast.BoolOp: Expressions._logical_operation,
    ast.IfExp: Expressions._conditional,
    ast.NamedExpr: Expressions._assignment,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._tuple,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.Lambda: Expressions._lambda,
    ast.JoinedStr: Expressions._formatted_string,
}


def _inserted_axes(parts: Sequence[ast.expr], rank: int | None) -> tuple[bool, ...] | None:
    """The pattern of `x[:, None]`; None when the subscript is anything else."""
    pattern: list[bool] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            pattern.append(True)
        elif isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
            pattern.append(False)
        elif isinstance(part, ast.Constant) and part.value is Ellipsis and rank is not None:
            pattern.extend([False] * (rank - sum(isinstance(p, ast.Slice) for p in parts)))
        else:
            return None
    if rank is not None:
        pattern.extend([False] * (rank - pattern.count(False)))
    return tuple(pattern)
