"""What each expression of a kernel becomes when its program handles several rows at once.

The rows are the first axis of all that differs between them. What is computed lane by lane stays
as it is written, but for what has fewer axes than the rest: a number of each row gets a new axis
behind, a tile that all rows share one in front. New axes go to the names that an operator is
applied to, for there they are read most easily: `X + rows[:, None] * stride + cols[None, :]`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritonopt.checks.condition import Declined, unknown
from tritonopt.source import Kernel
from tritonopt.source.trees import children
from tritonopt.transforms.code_edits import CodeEdits
from tritonopt.transforms.rank_lifting.axes import (
    CLAIM,
    OF_ROWS,
    ROWS,
    SCALAR,
    Axes,
    changes_kind,
    met,
    not_lifted,
    widening,
)

_ARITHMETIC = (
    (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
    + (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
)  # fmt: skip
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_OF_THE_TYPE = frozenset({"dtype"})
"""What can be asked of a value whatever its axes are."""


@dataclass
class Names:
    """What names stand for at one place of a function."""

    of_rows: dict[str, Axes] = field(default_factory=dict)
    """Those that have one value for each row; all others have one value for all of them."""
    unclear: set[str] = field(default_factory=set)
    """Those that may be of either kind."""

    def copy(self) -> Names:
        return Names(dict(self.of_rows), set(self.unclear))

    def bind(self, name: str, axes: Axes) -> None:
        self.unclear.discard(name)
        self.of_rows.pop(name, None)
        if ROWS in axes:
            self.of_rows[name] = axes


@dataclass
class LiftedExpressions:
    """Finds the axes of expressions, and notes what must be edited for them."""

    kernel: Kernel
    """The kernel, or a helper that it calls."""
    edits: CodeEdits
    shared: Callable[[ast.expr], Axes]
    """The axes of an expression that is the same for all rows."""
    call: Callable[[LiftedExpressions, ast.Call], Axes]
    """The axes of a call that has to do with rows."""
    ids: frozenset[ast.expr] = frozenset()
    """The program ids, which become rows."""
    names: Names = field(default_factory=Names)

    def axes(self, node: ast.expr) -> Axes:
        """The axes of an expression. Raises Declined where it cannot do several rows at once."""
        if node in self.ids:
            return OF_ROWS
        if not self.has_rows(node):
            return SCALAR if isinstance(node, ast.Constant) else self.shared(node)
        find = _FIND.get(type(node))
        if find is None:
            raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)
        return find(self, node)

    def has_rows(self, node: ast.AST) -> bool:
        """Whether something in it may differ between rows. Raises Declined."""
        if node in self.ids:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _OF_THE_TYPE:
            return False
        if isinstance(node, ast.Name):
            if node.id in self.names.unclear:
                raise changes_kind(node.id, node.lineno)
            return node.id in self.names.of_rows
        return any(self.has_rows(child) for child in children(node))

    # Axes that meet

    def together(self, parts: Sequence[ast.expr], line: int) -> Axes:
        """The axes of what is computed lane by lane; parts with fewer axes are widened."""
        found = [self.axes(part) for part in parts]
        target = met(found, line)
        for part, axes in zip(parts, found, strict=True):
            self.widen(part, axes, target)
        return target

    def widen(self, node: ast.expr, axes: Axes, target: Axes) -> None:
        """Notes the new axes that a value needs beside others."""
        index = widening(axes, target)
        if index:
            self._index(node, axes, index)

    def _index(self, node: ast.expr, axes: Axes, index: str) -> None:
        parts = _operands(node)
        inner = [self.axes(part) for part in parts]
        if parts and all(part in (SCALAR, axes) for part in inner):
            for part, own in zip(parts, inner, strict=True):
                if own == axes:
                    self._index(part, own, index)
        else:
            self.edits.behind[node] = index

    # Expressions that have to do with rows

    def _name(self, node: ast.Name) -> Axes:
        return self.names.of_rows[node.id]

    def _binary(self, node: ast.BinOp) -> Axes:
        if not isinstance(node.op, _ARITHMETIC):
            raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)
        return self.together([node.left, node.right], node.lineno)

    def _unary(self, node: ast.UnaryOp) -> Axes:
        if isinstance(node.op, ast.Not):
            raise not_lifted("`not`", node.lineno)
        return self.axes(node.operand)

    def _comparison(self, node: ast.Compare) -> Axes:
        if len(node.ops) > 1 or not isinstance(node.ops[0], _COMPARISONS):
            raise not_lifted(f"`{ast.unparse(node)}`", node.lineno)
        return self.together([node.left, *node.comparators], node.lineno)

    def _conditional(self, node: ast.IfExp) -> Axes:
        if self.has_rows(node.test):
            raise on_the_row(node.test)
        then, other = self.axes(node.body), self.axes(node.orelse)
        if then != other:
            raise changes_kind(f"`{ast.unparse(node)}`", node.lineno)
        return then

    def _attribute(self, node: ast.Attribute) -> Axes:
        raise not_lifted(f".{node.attr}", node.lineno)

    def _call(self, node: ast.Call) -> Axes:
        return self.call(self, node)


def on_the_row(test: ast.expr) -> Declined:
    """The reason for a branch that is not the same for all rows."""
    detail = f"`{ast.unparse(test)}` in line {test.lineno} may hold for some rows only"
    return unknown(CLAIM, "rows-differ", detail)


def _operands(node: ast.expr) -> list[ast.expr]:
    """What an operator is applied to; nothing where the node is none."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            return [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _COMPARISONS):
            return [left, right]
    return []


_FIND: Mapping[type[ast.expr], Callable[[LiftedExpressions, Any], Axes]] = {
    ast.Name: LiftedExpressions._name,
    ast.BinOp: LiftedExpressions._binary,
    ast.UnaryOp: LiftedExpressions._unary,
    ast.Compare: LiftedExpressions._comparison,
    ast.IfExp: LiftedExpressions._conditional,
    ast.Attribute: LiftedExpressions._attribute,
    ast.Call: LiftedExpressions._call,
}
