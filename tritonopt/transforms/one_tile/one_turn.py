"""Loops that run once, without the loop: the body, in which the counter has its first value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tritonopt.facts import KernelFacts
from tritonopt.facts.language import HINTS, function
from tritonopt.facts.values import INTEGER_DTYPES
from tritonopt.source import Change, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.comments import heads_more
from tritonopt.source.trees import children
from tritonopt.transforms.one_tile.stretch import Stretch
from tritonopt.transforms.one_tile.sweeps import RowSweeps
from tritonopt.transforms.writing import NotExpressible, names_bound, reads_of

_WIDTHS = frozenset({"int", "int32", "int64"})


@dataclass(frozen=True)
class Straightened:
    """The stretch from the first loop to the last, with the loops gone."""

    stretch: Stretch
    ends: tuple[int, ...]
    """For each loop, the place in the block behind what was its body."""
    copies: frozenset[str]
    """Names that are another name for something, now that a 0 is no longer added to it."""


def straightened(sweeps: RowSweeps, updates: Sequence[Change]) -> Straightened:
    """Takes the bodies of the loops out of them.

    `updates` are changes inside of the loops, which come first; they leave every statement in its
    place. Raises NotExpressible, EditConflict.
    """
    block = sweeps.block
    places = [block.index(loop.node) for loop in sweeps.loops]
    before = block.index(sweeps.statements[0])
    behind = len(block) - before - len(sweeps.statements)
    headings = frozenset(_headings(sweeps))
    stretch = Stretch(sweeps.facts, sweeps.owner, sweeps.field, before, behind, headings)
    stretch = stretch.after(updates)
    counters = [_Counter(stretch.facts, _for(stretch, place)) for place in places]
    stretch = stretch.after([change for counter in counters for change in counter.changes()])
    module = stretch.facts.kernel.module
    loops = [_for(stretch, place) for place in places]
    bodies = [Replace(loop, excerpts.block_code(module, loop.body)) for loop in loops]
    more = accumulate(len(loop.body) - 1 for loop in loops)
    ends = tuple(place + 1 + added for place, added in zip(places, more, strict=True))
    copies = frozenset(name for counter in counters for name in counter.copies)
    return Straightened(stretch.after(bodies), ends, copies)


def _headings(sweeps: RowSweeps) -> Iterator[str]:
    """The comments above loops, or above what starts what the loop right below goes on with."""
    statements, loops = sweeps.statements, {loop.node for loop in sweeps.loops}
    for place, statement in enumerate(statements):
        below = statements[place + 1 :]
        pairs = zip(statements[place:], below, strict=False)
        apart = (i for i, (one, other) in enumerate(pairs) if other.lineno - 1 != one.end_lineno)
        attached = below[: next(apart, None)]
        if statement in loops or heads_more(statement, attached, set(below) - loops):
            yield from excerpts.said_of(sweeps.facts.kernel.module, statement)


def _for(stretch: Stretch, place: int) -> ast.For:
    loop = stretch.block[place]
    assert isinstance(loop, ast.For)
    return loop


@dataclass(frozen=True)
class _Counter:
    """The variable that a loop counts with, and what is made of it alone."""

    facts: KernelFacts
    loop: ast.For
    zeros: set[str] = field(default_factory=set)
    """Names that are the integer 0 throughout the one turn."""
    copies: set[str] = field(default_factory=set)

    def changes(self) -> Iterator[Change]:
        """Puts its first value in its place. Raises NotExpressible."""
        known = self.facts.loop_of(self.loop)
        assert known is not None and known.start is not None
        assert isinstance(self.loop.target, ast.Name) and isinstance(self.loop.iter, ast.Call)
        name, body = self.loop.target.id, self.loop.body
        if known.start.constant == 0:
            self.zeros.add(name)
        elif any(reads_of(statement, name) for statement in body):
            start = self.facts.kernel.module.text_of(self.loop.iter.args[0])
            yield InsertBefore(body[0], f"{name} = {start}")
        for statement in body:
            if self._binds_zero(statement):
                yield Remove(statement)
            else:
                self._check_uses(statement, statement, {name} | self.zeros)
                yield from self._without_zeros(statement)
                match statement:
                    case ast.Assign(targets=[ast.Name(id=copy)], value=ast.BinOp() as value):
                        if isinstance(self._kept(value), ast.Name):
                            self.copies.add(copy)

    def _binds_zero(self, statement: ast.stmt) -> bool:
        """Whether a statement only binds 0 to a name that the loop keeps for itself."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_zero(value):
                known = self.facts.loop_of(self.loop)
                bindings = [s for s in self.loop.body if name in names_bound(s)]
                if known is not None and name not in known.carried and len(bindings) == 1:
                    self.zeros.add(name)
                    return True
        return False

    def _is_zero(self, node: ast.expr) -> bool:
        """Whether an expression is the integer 0, and has no lanes."""
        match node:
            case ast.Name(id=name):
                return name in self.zeros
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                zero = self._is_zero(left) or self._is_zero(right)
                return zero and all(map(self._is_one_integer, (left, right)))
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                return self._is_zero(left) and self._is_zero(right)
            case ast.Call(args=[inner, *_]):
                called = function(self.facts.kernel.module.resolve(node.func))
                return called in HINTS and self._is_zero(inner)
        return False

    def _is_one_integer(self, node: ast.expr) -> bool:
        value, forms = self.facts.values.get(node), self.facts.forms
        return value is not None and value.shape == () and forms.is_integer(forms.of(value))

    def _without_zeros(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.expr):
            kept = self._kept(node)
            if kept is None:
                yield ReplaceExpression(node, "0")
                return
            if kept is not node:
                if any(reads_of(kept, zero) for zero in self.zeros):
                    raise NotExpressible(f"line {node.lineno} has the counter of its loop twice")
                yield ReplaceExpression(node, self.facts.kernel.module.text_of(kept))
                return
        for child in children(node):
            yield from self._without_zeros(child)

    def _kept(self, node: ast.expr) -> ast.expr | None:
        """`0 + x`, `x + 0` and `x - 0` are `x`; None where nothing is left but a 0."""
        if self._is_zero(node):
            return None
        match node:
            case ast.BinOp(op=ast.Add(), left=left, right=right) if self._is_zero(left):
                return self._kept(right) if self._stays_itself(right) else node
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right) if self._is_zero(
                right
            ):
                return self._kept(left) if self._stays_itself(left) else node
        return node

    def _stays_itself(self, node: ast.expr) -> bool:
        """Whether 0 added to something is the same thing: no narrower integer, no -0.0."""
        value = self.facts.values.get(node)
        if value is None or (value.dtype in INTEGER_DTYPES and value.dtype not in _WIDTHS):
            return False
        of = self.facts.forms
        return self.facts.forms.is_integer(of.of(value)) or of.address(value)[0] is not None

    def _check_uses(self, node: ast.AST, around: ast.AST, names: set[str]) -> None:
        """A counter is a tensor, and its first value a number, which not everything takes."""
        read = isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        if read and not isinstance(around, (ast.BinOp, ast.Compare)):
            assert isinstance(node, ast.Name)
            text = f"line {node.lineno} takes the counter of the loop for a tensor"
            raise NotExpressible(f"{text}, and its first value is a number")
        for child in children(node):
            hint = isinstance(node, ast.Call) and self._is_hint(node)
            self._check_uses(child, around if hint else node, names)

    def _is_hint(self, call: ast.Call) -> bool:
        return function(self.facts.kernel.module.resolve(call.func)) in HINTS
