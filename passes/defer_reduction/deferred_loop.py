"""Writes a loop whose reductions wait: a tile before it, the tile in it, one reduction after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import AccumulatorTile
from tritonopt.emit.writing import NotExpressible, Writer, block_of
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.reduction_calls import Reduced, Update
from tritonopt.passes.defer_reduction.regrouping import Deferral
from tritonopt.source import Change, InsertAfter, Remove, ReplaceExpression
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.trees import remade, walk

_SHAPED = {"arange": (0, 1), "zeros": (0,), "full": (0,), "broadcast_to": (1,), "reshape": (1,)}
"""Functions of the language that are told extents, and in which arguments."""


@dataclass(frozen=True)
class DeferredLoop:
    """The changes that make a proved deferral."""

    deferral: Deferral

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.deferral.facts)

    @cached_property
    def accumulator(self) -> AccumulatorTile:
        deferral = self.deferral
        return AccumulatorTile(
            self.writer,
            deferral.name,
            deferral.block,
            deferral.first,
            deferral.combining,
            deferral.initial,
            deferral.dtype,
            self._extent,
            keeps_name=True,
        )

    @property
    def tile(self) -> str:
        """The name of the tile."""
        return self.accumulator.tile

    def changes(self) -> Iterator[Change]:
        """Raises NotExpressible where the tile, or what it starts with, cannot be written."""
        yield self.accumulator.begins()
        for update in self.deferral.updates:
            yield from self._updated(update)
        yield InsertAfter(self.deferral.last, self._end())

    # Before the loop

    def _extent(self, statement: ast.stmt) -> str:
        """Code for the extent of the tile, right before a statement. Raises NotExpressible."""
        deferral, extent = self.deferral, self.deferral.extent
        environment = deferral.facts.before[statement]
        if isinstance(extent.constant, int):
            return str(extent.constant)
        if extent.op is Op.CONSTEXPR and environment.get(extent.name) is extent:
            return extent.name
        for node in self._written_extents:
            if deferral.facts.values.get(node) is extent and self.writer.means_the_same(
                node, environment
            ):
                return self.writer.text(node)
        raise NotExpressible("the extent of the tile has no name before the loop")

    @cached_property
    def _written_extents(self) -> list[ast.expr]:
        """Expressions that the kernel gives its tiles as extents."""
        found: list[ast.expr] = []
        module = self.deferral.facts.kernel.module
        for node in self.deferral.facts.kernel.nodes:
            if not isinstance(node, ast.Call):
                continue
            for place in _SHAPED.get(function(module.resolve(node.func)), ()):
                for argument in node.args[place : place + 1]:
                    several = isinstance(argument, (ast.List, ast.Tuple))
                    found += argument.elts if several else [argument]  # type: ignore[attr-defined]
        return found

    # In the loop

    def _updated(self, update: Update) -> Iterator[Change]:
        inside = {place for one in update.reduced for place in walk(one.whole)}
        for place in update.names:
            if place not in inside and place.id != self.tile:
                yield ReplaceExpression(place, self.tile)
        for one in update.reduced:
            names = dict.fromkeys(update.names, self.tile)
            code = self._tile_code(one, names)
            if one.named is None:
                yield ReplaceExpression(one.whole, code)
            elif self._follows(update.statement, one.named):
                assert one.reader is not None
                # Its code goes into the next statement, and so does what explains it.
                said = said_of(self.deferral.facts.kernel.module, one.named)
                yield Remove(one.named, headings=frozenset(said))
                yield ReplaceExpression(one.reader, code)
            else:
                yield ReplaceExpression(one.whole, code)

    def _follows(self, statement: ast.stmt, other: ast.stmt) -> bool:
        """Whether a statement stands in the line after another one that has no comment."""
        block = block_of(self.deferral.facts.kernel.node, other)
        place = block.index(other) + 1
        next_line = statement.lineno == (other.end_lineno or other.lineno) + 1
        has_comment = self.accumulator.has_comment(other)
        return next_line and block[place : place + 1] == [statement] and not has_comment

    def _tile_code(self, one: Reduced, names: Mapping[ast.Name, str]) -> str:
        """The tile, as the loop has it, on one line. Raises NotExpressible."""
        text = self.deferral.facts.kernel.module.text_with(one.tile, names)
        if "#" in text and "\n" in text:
            raise NotExpressible(f"a comment is in the reduction in line {one.whole.lineno}")
        own: dict[ast.AST, ast.expr] = {n: ast.Name(new, ast.Load()) for n, new in names.items()}
        return ast.unparse(_copied(one.tile, own)) if "\n" in text else text

    # After the loop

    def _end(self) -> str:
        """The one reduction, of the tile as it is after the loop."""
        deferral = self.deferral
        one = deferral.updates[0].reduced[0]
        self._check_names(one)
        reduced = ast.unparse(_of_tile(one, self.tile))
        if deferral.combining.repeats or self.accumulator.starts_with_identity:
            return f"{deferral.name} = {reduced}"
        return f"{deferral.name} {deferral.combining.symbol}= {reduced}"

    def _check_names(self, one: Reduced) -> None:
        """A name that the kernel binds may be another one after the loop, or none."""
        scope = self.deferral.facts.kernel.module.names.scopes[self.deferral.facts.kernel.node]
        for node in set(walk(one.whole)) - set(walk(one.tile)):
            if isinstance(node, ast.Name) and node.id in scope.bindings:
                raise NotExpressible(f"the reduction names {node.id}, which the kernel binds")


def _of_tile(one: Reduced, tile: str) -> ast.expr:
    """The reduction, without its casts, of the tile that it now has."""
    replaced: dict[ast.AST, ast.expr] = {one.tile: ast.Name(tile, ast.Load())}
    for cast in reversed(one.casts):
        assert isinstance(cast.func, ast.Attribute)
        replaced[cast] = _copied(cast.func.value, replaced)
    return _copied(one.whole, replaced)


def _copied(node: ast.expr, replaced: Mapping[ast.AST, ast.expr]) -> ast.expr:
    """An expression with others in the place of some of its parts."""

    def copied(part: ast.AST) -> ast.AST:
        return replaced.get(part) or remade(part, copied)

    whole = copied(node)
    assert isinstance(whole, ast.expr)
    return whole
