"""Writes a sweep that also adds up what a later one did, coefficient by coefficient."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.emit.accumulator_tile import MovedAccumulator, Total
from tritonopt.emit.reuse import Stretch, reused
from tritonopt.emit.trip_guards import runs
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.passes.fuse_stats.linear_sums import LinearSum, Reference
from tritonopt.source import (
    Change,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceExpression,
    applied,
)
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import remade, walk


class _Part(NamedTuple):
    """One of the sums that take the place of the second loop's."""

    name: str
    numbers: tuple[str, ...]
    """What it is multiplied by behind the loop; nothing for the one that is added as it is."""
    coefficient: ast.expr


class LinearSweep:
    """Two sweeps in one. Raises NotExpressible where that cannot be written."""

    def __init__(self, sum_: LinearSum) -> None:
        self.sum = sum_
        self.facts = sum_.facts
        self.first, self.second = sum_.sweeps.first.node, sum_.sweeps.second.node
        self.writer = Writer(self.facts)
        self.moved = MovedAccumulator(self.writer, sum_.sweeps, sum_.added)
        self.zero = self.moved.zero()
        self.total: Total = self.moved.total(self.zero, f"{sum_.name}_sum")
        self.parts = self._parts()

    def changes(self, attempt: Attempt) -> list[Change]:
        """Raises Declined where nothing is saved."""
        behind = self._together()
        begun = [*self.total.first_lines] if () in self.sum.split else []
        for part in self.parts:
            if part.numbers:
                what = ", ".join(part.numbers)
                begun.append(f"# Multiplied after the loop by {what}.")
                begun.append(f"{part.name} = {self.zero}")
        begun += self._reference()
        loop = self._merged(begun, attempt)
        changes: list[Change] = [InsertBefore(self.first, "\n".join(begun))]
        changes += [Replace(self.first, loop), Replace(self.second, behind)]
        written = [change.code for change in changes if not isinstance(change, Remove)]
        changes += self.moved.no_longer_read(self.total, written)
        return changes

    def _parts(self) -> list[_Part]:
        """The sums that the first loop keeps; equal coefficients are added up once."""
        coefficients: dict[str, tuple[ast.expr, list[str]]] = {}
        parts: list[_Part] = []
        for monomial, coefficient in self.sum.split.items():
            if not monomial:
                parts.append(_Part(self.total.name, (), coefficient))
                continue
            same = coefficients.setdefault(ast.dump(coefficient), (coefficient, []))
            same[1].append(" * ".join(monomial))
        underscore = "_" if self.sum.name.startswith("_") else ""
        for coefficient, numbers in coefficients.values():
            inner = self._without_sum(coefficient)
            of = inner.id if isinstance(inner, ast.Name) else "weight"
            name = self.writer.fresh(f"{underscore}{of.strip('_')}_sum")
            parts.append(_Part(name, tuple(numbers), coefficient))
        return parts

    def _without_sum(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Call(args=[inner, *rest]) if node in self.sum.made and len(rest) < 2:
                return inner
        return node

    @property
    def _running(self) -> Reference | None:
        reference = self.sum.reference
        return reference if reference is not None and reference.is_running else None

    def _reference(self) -> list[str]:
        """What a running maximum is before the first iteration."""
        running = self._running
        if running is None:
            return []
        zero = f"{self.writer.language('zeros_like')}({running.name})" if running.shape else "0.0"
        return [f"{self.sum.close} = {zero}"]

    # Behind the loop

    def _together(self) -> str:
        """What the second loop came to."""
        name, end = self.sum.name, self.facts.before[self.second]
        products: list[str] = []
        for part in self.parts:
            if part.numbers:
                several = f"({' + '.join(part.numbers)})"
                numbers = part.numbers[0] if len(part.numbers) == 1 else several
                products.append(f"{numbers} * {part.name}")
        product = " + ".join(products)
        if self.sum.may_be_empty:
            where = self.writer.language("where")
            condition = runs(self.writer, self.sum.sweeps.first, end)
            product = f"{where}({condition}, {product}, 0.0)"
        if () not in self.sum.split:
            return f"{name} = {product}"
        total = self.total.name
        return f"{name} += {product}" if total == name else f"{name} = {total} + {product}"

    # In the loop

    def _merged(self, begun: Sequence[str], attempt: Attempt) -> str:
        """The code of the first loop with what the second one does. Raises EditConflict."""
        module = self.facts.kernel.module
        last = self.first.body[-1]
        assert isinstance(self.first, ast.For)
        changes: list[Change] = [InsertBefore(self.first, "\n".join(begun))]
        changes.append(InsertAfter(last, self._body()))
        changed = applied(module, changes)
        kernel = changed.kernel(self.facts.kernel.qualname)
        assert kernel is not None
        place = _loops(self.facts.kernel.node).index(self.first)
        loop = _loops(kernel.node)[place]
        stretch = Stretch(self.facts.after(kernel), loop, "body", 0, 0)
        loads = stretch.loads
        stretch = reused(stretch, frozenset())
        saved = loads - stretch.loads
        if saved <= 0:
            detail = "the second loop reads no element that the first loop reads"
            raise refuted("same-elements", "nothing-read-twice", detail)
        attempt.prove("same-elements", f"{saved} of {loads} loads read what was read before")
        return excerpts.statement_code(
            stretch.facts.kernel.module, stretch.owner, comments_above=False
        )

    def _body(self) -> str:
        """What the second loop does in an iteration, for the end of the first one's."""
        module = self.facts.kernel.module
        names = self._renamed()
        gone = {node for s in (self.sum.update, *self.sum.used_up) for node in walk(s)}
        changes: list[Change] = [Replace(self.sum.update, self._added(names))]
        changes += map(Remove, self.sum.used_up)
        changes += [
            ReplaceExpression(node, names[node.id])
            for statement in self.second.body
            for node in walk(statement)
            if isinstance(node, ast.Name) and node.id in names and node not in gone
        ]
        changed, (second,) = excerpts.after(module, changes, [self.second])
        assert isinstance(second, ast.For)
        return excerpts.block_code(changed, second.body)

    def _renamed(self) -> dict[str, str]:
        """The first loop's name for the counter, by the second one's."""
        assert isinstance(self.first, ast.For) and isinstance(self.second, ast.For)
        assert isinstance(self.first.target, ast.Name) and isinstance(self.second.target, ast.Name)
        ours, theirs = self.first.target.id, self.second.target.id
        return {theirs: ours} if theirs != ours else {}

    def _added(self, names: dict[str, str]) -> str:
        """The statements that add up the coefficients."""

        def renamed(node: ast.AST) -> ast.AST:
            if isinstance(node, ast.Name):
                return ast.Name(names.get(node.id, node.id), node.ctx)
            return remade(node, renamed)

        lines = []
        here = self.facts.before[self.sum.update]
        for part in self.parts:
            sign, coefficient = self._signed(part.coefficient)
            for leaf in walk(coefficient):
                if not isinstance(leaf, ast.Name) or leaf not in self.facts.values:
                    continue
                if not self.writer.means_the_same(leaf, here):
                    raise NotExpressible(f"{leaf.id} is bound again after line {leaf.lineno}")
            if not self.facts.effect_nodes.isdisjoint(walk(coefficient)):
                line = self.sum.update.lineno
                raise NotExpressible(f"line {line} loads a value that has no name")
            text = ast.unparse(renamed(coefficient))
            lines.append(f"{part.name} {'-' if sign < 0 else '+'}= {text}")
        return "\n".join([*self._moved_on(), *lines])

    def _moved_on(self) -> list[str]:
        """The sum so far is one of differences to the maximum so far."""
        running, close = self._running, self.sum.close
        if running is None:
            return []
        lines, largest = [], running.name
        if running.may_be_infinite:
            where, largest = self.writer.language("where"), self.writer.fresh(f"new_{close}")
            chosen = f'{where}({running.name} == -float("inf"), 0.0, {running.name})'
            lines = [f"{largest} = {chosen}"]
        moved = [f"({largest} - {close}) * {part.name}" for part in self.parts if part.numbers]
        return [*lines, f"{self.total.name} += {' + '.join(moved)}", f"{close} = {largest}"]

    def _signed(self, node: ast.expr) -> tuple[int, ast.expr]:
        """A sign in front of all else, and the rest."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                sign, rest = self._signed(operand)
                return -sign, rest
            case ast.BinOp(left=left, op=(ast.Mult() | ast.Div()) as op, right=right):
                if node not in self.facts.values:
                    sign, rest = self._signed(left)
                    return sign, ast.BinOp(rest, op, right)
            case ast.Call(args=[first, *rest_]) if node in self.sum.made:
                if len(rest_) == 2:
                    sign, rest = self._signed(rest_[0])
                    return sign, ast.Call(node.func, [first, rest, rest_[1]], [])
                sign, rest = self._signed(first)
                return sign, ast.Call(node.func, [rest, *rest_], node.keywords)
        return 1, node


def _loops(root: ast.AST) -> list[ast.For]:
    return sorted((n for n in walk(root) if isinstance(n, ast.For)), key=lambda n: n.lineno)
