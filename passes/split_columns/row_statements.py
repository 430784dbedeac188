"""The statements of a kernel that holds a row in one tile, by what they are to its columns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import names_bound, names_read
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Negative
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import function
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.source.trees import walk

CLAIM = "iterations-are-independent"


class Kind(Enum):
    NUMBER = "number"
    """It computes, loads or stores numbers of the row, and is done once."""
    TILE = "tile"
    """It binds tiles, and is done again in each loop that needs them."""
    STORE = "store"
    """It stores tiles, in the last loop."""


@dataclass(frozen=True, eq=False)
class RowStatement:
    """One statement of the kernel's own block."""

    node: ast.stmt
    kind: Kind
    reductions: tuple[ast.Call, ...]
    """The calls in it that reduce a tile, inner before outer."""

    @cached_property
    def reads(self) -> set[str]:
        return names_read(self.node)

    @cached_property
    def binds(self) -> set[str]:
        return names_bound(self.node)


@dataclass(frozen=True)
class OneTileRow:
    """A kernel without loops, whose tiles are all as long as one constexpr says."""

    facts: KernelFacts
    tile: Value
    """The constexpr."""
    extent: Polynomial
    """How many elements a row has: lanes from there on are masked off."""

    @cached_property
    def place(self) -> Polynomial:
        return Polynomial.of(Lane(self.facts.forms.of(self.tile), 0))

    @cached_property
    def indicator(self) -> Negative:
        """1 in the lanes of the row, 0 behind its end."""
        return Negative(self.place - self.extent)

    @cached_property
    def condition(self) -> Value:
        """A comparison that holds in the lanes of the row."""
        wanted = Polynomial.of(self.indicator)
        own = (v for v in self.facts.values.values() if v.op in COMPARISONS)
        return next(v for v in own if self.facts.forms.condition(v) == wanted)

    @cached_property
    def body(self) -> list[ast.stmt]:
        """The statements of the kernel, without what documents it."""
        body = self.facts.kernel.node.body
        match body[0]:
            case ast.Expr(value=ast.Constant(value=str())):
                return body[1:]
        return body

    @cached_property
    def lanes(self) -> list[ast.Call]:
        """The calls that make lanes, and what a hint says of one of them where it is made."""
        values, module = self.facts.values, self.facts.kernel.module
        own = (n for n in self.facts.kernel.nodes if isinstance(n, ast.Call) and n in values)
        return [
            call
            for call in own
            if values[call].op is Op.LANE
            and any(
                isinstance(part, ast.Call) and function(module.resolve(part.func)) == "arange"
                for part in walk(call)
            )
        ]

    def is_tile(self, node: ast.AST) -> bool:
        value = self.facts.values.get(node) if isinstance(node, ast.expr) else None
        return value is not None and value.shape != ()

    def effects_in(self, statement: ast.stmt) -> list[Effect]:
        inside = set(walk(statement))
        return [e for e in self.facts.effects if e.node in inside]

    @cached_property
    def statements(self) -> tuple[RowStatement, ...]:
        """In order. Raises Declined where one is of no kind."""
        return tuple(self._read(statement) for statement in self.body)

    def _read(self, node: ast.stmt) -> RowStatement:
        values = self.facts.values
        inside = walk(node)
        reductions = [
            n
            for n in inside
            if isinstance(n, ast.Call) and n in values and values[n].op is Op.REDUCE
        ]
        reductions.sort(key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0, -n.col_offset))
        kind = self._kind(node)
        if isinstance(node, ast.If) and (reductions or self.is_tile(node.test)):
            text = f"the `if` in line {node.lineno} reduces a tile"
            raise refuted(CLAIM, "not-lane-by-lane", text)
        return RowStatement(node, kind, tuple(reductions))

    def _kind(self, node: ast.stmt) -> Kind:
        effects = self.effects_in(node)
        writes = [e for e in effects if e.kind is not EffectKind.LOAD]
        tiles = [e for e in writes if e.pointer is not None and e.pointer.shape != ()]
        if tiles:
            if len(tiles) != len(writes) or names_bound(node):
                text = f"line {node.lineno} does more than to store a tile"
                raise refuted(CLAIM, "loop-does-more", text)
            return Kind.STORE
        bound = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        tiled = [n for n in bound if self._binds_tile(node, n)]
        if not tiled:
            return Kind.NUMBER
        if len(tiled) != len(bound) or writes:
            text = f"line {node.lineno} does more than to compute a tile"
            raise refuted(CLAIM, "loop-does-more", text)
        return Kind.TILE

    def _binds_tile(self, statement: ast.stmt, name: ast.Name) -> bool:
        """Whether a name is a tile behind the statement."""
        body = self.body
        place = body.index(statement) + 1
        known = (
            self.facts.before[body[place]] if place < len(body) else self.facts.interpretation.after
        )
        value = known.get(name.id)
        if value is None:
            text = f"what {name.id} is after line {statement.lineno} is not known"
            raise unknown(CLAIM, "opaque-value", text)
        return value.shape != ()


def one_tile_row(facts: KernelFacts) -> OneTileRow | None:
    """The kernel as one that holds a row in a tile and reduces it; None where it seems none."""
    if facts.loops or not facts.kernel.node.body:
        return None
    lengths = {v.extent for v in facts.interpretation.computed if v.op is Op.LANE}
    if len(lengths) != 1:
        return None
    (tile,) = lengths
    reduced = [v for v in facts.interpretation.computed if v.op is Op.REDUCE]
    if tile.op is not Op.CONSTEXPR or not reduced or any(v.operand.rank != 1 for v in reduced):
        return None
    extents = set(_extents(facts, tile))
    if len(extents) != 1:
        return None
    return OneTileRow(facts, tile, extents.pop())


def _extents(facts: KernelFacts, tile: Value) -> Iterator[Polynomial]:
    """What lanes are compared with, as `cols < N` does."""
    place = Polynomial.of(Lane(facts.forms.of(tile), 0))
    for value in facts.values.values():
        if value.op not in COMPARISONS:
            continue
        atom = facts.forms.condition(value).sole_atom
        if isinstance(atom, Negative):
            extent = place - atom.form
            if not any(isinstance(leaf, Lane) for leaf in extent.leaves()):
                yield extent


def check_names(row: OneTileRow, statements: Sequence[RowStatement]) -> None:
    """A name is a tile or a number throughout, and stays what a tile was made of."""
    numbers = {n for s in statements if s.kind is Kind.NUMBER for n in s.binds}
    given = {p.name for p in row.facts.kernel.parameters}
    for statement in statements:
        if statement.kind is not Kind.TILE:
            continue
        for name in sorted(statement.binds & (numbers | given)):
            text = f"{name} is a number, and a tile from line {statement.node.lineno} on"
            raise refuted("type-stays", "rows-differ", text)
    seen: set[str] = set()
    tiles = {n for s in statements if s.kind is Kind.TILE for n in s.binds}
    for statement in statements:
        if statement.kind is Kind.NUMBER:
            reduced = {n for call in statement.reductions for n in walk(call)}
            for node in walk(statement.node):
                if isinstance(node, ast.Name) and node.id in tiles and node not in reduced:
                    text = f"line {node.lineno} uses more of {node.id} than its elements"
                    raise refuted(CLAIM, "not-lane-by-lane", text)
            again = sorted(statement.binds & seen)
            if again:
                text = f"line {statement.node.lineno} binds {again[0]} again, which tiles use"
                raise refuted("type-stays", "name-is-bound-elsewhere", text)
        else:
            seen |= statement.reads
