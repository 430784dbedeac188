"""What an iteration adds, split by numbers that are known only behind the loop.

`(lse - x) * p` is `lse * p - x * p`: of each product of such numbers the coefficient is code that
an earlier loop can compute. Where both are large and alike, digits would cancel, so something is
taken from both that is known in time: `(lse - largest) * p + (largest - x) * p`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.language import function
from tritonopt.source.trees import walk

Split = Mapping[tuple[str, ...], ast.expr]
"""Coefficients by the later numbers, as code, that they are multiplied by; `()` for none."""


class NotLinear(Exception):
    """What is added is no sum of products with later numbers, each of which goes in once."""


@dataclass
class LaterNumbers:
    """Splits the expressions of a loop's body."""

    facts: KernelFacts
    is_later: Callable[[ast.expr], bool]
    """Whether a name or an expression of the loop is a number that is known only later."""
    close_to: Callable[[ast.expr], str]
    """A name for something close to such a number, which is known in time; "" where there is
    none."""
    differences: list[ast.expr] = field(default_factory=list)
    """Such numbers from which a tile is taken, or to which it is added."""
    names: dict[str, Split] = field(default_factory=dict)
    """Names of the loop that stand for something with a later number in it."""
    conditions: list[ast.expr] = field(default_factory=list)
    """Of each `tl.where` that has a later number in what it chooses from."""
    made: set[ast.expr] = field(default_factory=set)
    """Calls in the coefficients that are not the kernel's own."""
    _numbers: list[ast.expr] = field(default_factory=list)

    def has_any(self, node: ast.AST) -> bool:
        """Whether a later number goes into what is computed in a statement or an expression."""
        if isinstance(node, ast.AugAssign) and names_bound(node) & self.names.keys():
            return True
        names = (n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        return any(name.id in self.names or self.is_later(name) for name in names)

    def of(self, node: ast.expr) -> Split:
        """Raises NotLinear."""
        if not self.has_any(node):
            return {(): node}
        if self.is_later(node):
            self._numbers.append(node)
            return {(Writer(self.facts).operand(node),): ast.Constant(1.0)}
        match node:
            case ast.Name(id=name):
                return self.names[name]
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                if self.is_later(left) and not self.has_any(right):
                    return self._difference(left, right, op)
                if self.is_later(right) and not self.has_any(left):
                    split = self._difference(right, left, op)
                    negated = isinstance(op, ast.Sub)
                    return {m: _negative(c) for m, c in split.items()} if negated else split
                return _sum(self.of(left), self.of(right), op)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return _product(self.of(left), self.of(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right) if not self.has_any(right):
                return {m: ast.BinOp(c, ast.Div(), right) for m, c in self.of(left).items()}
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return {m: _negative(c) for m, c in self.of(operand).items()}
            case ast.Call():
                return self._call(node)
        raise NotLinear

    def _difference(self, number: ast.expr, tile: ast.expr, op: ast.operator) -> Split:
        """`number - tile` or `number + tile`, with what is close to the number in both."""
        self.differences.append(number)
        self._numbers.append(number)
        writer, close = Writer(self.facts), self.close_to(number)
        if not close:
            rest = _negative(tile) if isinstance(op, ast.Sub) else tile
            return {(writer.operand(number),): ast.Constant(1.0), (): rest}
        rest = ast.BinOp(ast.Name(close, ast.Load()), op, tile)
        is_sum = isinstance(number, ast.BinOp) and isinstance(number.op, (ast.Add, ast.Sub))
        code = writer.text(number) if is_sum else writer.operand(number)
        return {(f"({code} - {close})",): ast.Constant(1.0), (): rest}

    def _call(self, call: ast.Call) -> Split:
        called = function(self.facts.kernel.module.resolve(call.func))
        match called, call.args:
            case "sum", [tile, *axis] if not any(map(self.has_any, axis)):
                split = self.of(tile)
                if any(self.facts.values[number].shape != () for number in self._numbers):
                    raise NotLinear  # with other axes than those of the sum
                return {
                    m: self._called(call, [self._as_wide(c, tile), *axis], call.keywords)
                    for m, c in split.items()
                }
            case "where", [condition, chosen, zero] if (
                not call.keywords and not self.has_any(condition) and self._is_zero(zero)
            ):
                self.conditions.append(condition)
                split = self.of(chosen)
                return {m: self._called(call, [condition, c, zero], []) for m, c in split.items()}
        raise NotLinear

    def _called(
        self, call: ast.Call, arguments: list[ast.expr], keywords: list[ast.keyword]
    ) -> ast.Call:
        made = ast.Call(call.func, arguments, keywords)
        self.made.add(made)
        return made

    def _is_zero(self, node: ast.expr) -> bool:
        value = self.facts.values.get(node)
        return value is not None and value.constant == 0

    def _as_wide(self, coefficient: ast.expr, tile: ast.expr) -> ast.expr:
        """The coefficient, if it has the lanes of what is summed. Raises NotLinear."""
        shape = self._shape(coefficient)
        if shape is None or shape != self.facts.values[tile].shape:
            raise NotLinear
        return coefficient

    def _shape(self, node: ast.expr) -> tuple[Value, ...] | None:
        value = self.facts.values.get(node)
        if value is not None:
            return value.shape
        match node:
            case ast.BinOp(left=left, right=right):
                return _broadcast(self._shape(left), self._shape(right))
            case ast.UnaryOp(operand=operand):
                return self._shape(operand)
            case ast.Call(args=[condition, chosen, _]):  # one that `_call` made
                return _broadcast(self._shape(condition), self._shape(chosen))
        return ()


def _broadcast(
    one: tuple[Value, ...] | None, other: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    if one is None or other is None:
        return None
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    lead = len(longer) - len(shorter)
    pairs = zip(longer[lead:], shorter, strict=True)
    return (*longer[:lead], *(b if a.constant == 1 else a for a, b in pairs))


def _sum(one: Split, other: Split, op: ast.operator) -> Split:
    found = dict(one)
    for monomial, coefficient in other.items():
        mine = found.get(monomial)
        if mine is not None:
            found[monomial] = ast.BinOp(mine, op, coefficient)
        else:
            found[monomial] = coefficient if isinstance(op, ast.Add) else _negative(coefficient)
    return found


def _product(one: Split, other: Split) -> Split:
    found: dict[tuple[str, ...], ast.expr] = {}
    for mine, left in one.items():
        for theirs, right in other.items():
            monomial = (*mine, *theirs)
            if len(set(monomial)) < len(monomial) or monomial in found:
                raise NotLinear
            found[monomial] = _times(left, right)
    return found


def _times(left: ast.expr, right: ast.expr) -> ast.expr:
    if _is_one(left):
        return right
    return left if _is_one(right) else ast.BinOp(left, ast.Mult(), right)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _negative(node: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return operand
    return ast.UnaryOp(ast.USub(), node)
