"""Where some rows of a program return early: they are masked from there on."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.operations import Op
from tritonopt.facts.values import INTEGER_DTYPES, is_integer
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses
from tritonopt.transforms.rank_lifting.axes import CLAIM, OF_ROWS, on_the_row
from tritonopt.transforms.rank_lifting.lifted_expressions import LiftedExpressions
from tritonopt.transforms.rank_lifting.lifted_part import LiftedPart

_CONTRARY = {
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
_LOOSE = (ast.Compare, ast.BoolOp, ast.IfExp)
"""What means something else beside a comparison without parentheses."""


@dataclass
class RowExits:
    """The early returns of a kernel that some rows take and others do not."""

    facts: KernelFacts
    part: LiftedPart
    inside: LiftedExpressions
    found: list[ast.If] = field(default_factory=list)
    """In their order."""

    def note(self, statement: ast.If) -> None:
        """An `if` that asks something of the row. Raises Declined.

        It must return and do nothing else, in no other branch or loop: what follows is done for the
        rows that stay, for each access of a row is masked by what rows there are.
        """
        test = statement.test
        value = self.facts.values.get(test)
        match statement:
            case ast.If(body=[ast.Return(value=None)], orelse=[]) if (
                statement in self.part.statements
                and value is not None
                and value.dtype in ("bool", "int1")
                and self.inside.axes(test) == OF_ROWS
            ):
                self._check_comments(statement)
                self.found.append(statement)
            case _:
                raise on_the_row(test)

    def check(self, accesses: Collection[ast.AST]) -> None:
        """Whether all that is done behind such a return is an access of a row. Raises Declined.

        What is done for all rows would be done where all of them have left, too.
        """
        if not self.found:
            return
        first = self.found[0]
        body = self.part.statements
        behind = {node for s in body[body.index(first) + 1 :] for node in walk(s)}
        for effect in self.facts.effects:
            of_rows = effect.kind is EffectKind.EXIT or effect.node in accesses
            if effect.node in behind and not of_rows:
                detail = (
                    f"{on_the_row(first.test)}, and what line {effect.line} does for all of "
                    "them would be done where all have left"
                )
                raise unknown(CLAIM, "rows-differ", detail)
        for node in (node for node in behind if isinstance(node, ast.Call)):
            value = self.facts.values.get(node)
            if value is not None and value.op is Op.LANE and self._may_be_empty(value.extent):
                detail = (
                    f"{on_the_row(first.test)}, and the tile of line {node.lineno} may have "
                    "no lanes, which only rows that leave before it can do with: make it above"
                )
                raise unknown(CLAIM, "rows-differ", detail)

    def _may_be_empty(self, extent: Value) -> bool:
        """Whether a launch may ask for a tile of no lanes: `next_power_of_2(0)` is 0."""
        form = self.facts.forms.of(extent)
        passed = [substitute(form, binding) for binding in self.facts.launches.bindings]
        numbers = [one.constant_value for one in passed]
        return not all(number is not None and number > 0 for number in numbers or [None])

    def _check_comments(self, statement: ast.If) -> None:
        module = self.facts.kernel.module
        start, end = statement.lineno, (statement.end_lineno or statement.lineno) + 1
        if "#" in module.text[module.lines.start(start) : module.lines.start(end)]:
            detail = f"a comment below line {start} would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", detail)

    def stays(self, statement: ast.If) -> str:
        """Code for the contrary of what rows leave for, as far as that is edited already."""
        edits, test = self.inside.edits, statement.test
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if not (
                isinstance(left, _LOOSE) or isinstance(right, _LOOSE)
            ):
                are_whole = self._is_whole(left) and self._is_whole(right)
                # Of NaN neither an order nor its contrary is true.
                if are_whole or isinstance(op, (ast.Eq, ast.NotEq)):
                    return f"{edits.code(left)} {_CONTRARY[type(op)]} {edits.code(right)}"
        return f"~{in_parentheses(edits.code(test))}"

    def _is_whole(self, node: ast.expr) -> bool:
        value = self.facts.values[node]
        whole = is_integer(value.dtype) or value.dtype == "int"
        return whole or self.facts.types.of(value).all_in(INTEGER_DTYPES | {"int"})
