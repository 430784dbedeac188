"""Loops over tiles: their names, and the tile that an accumulator is until it is reduced."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.emit.sweeps import comes_from
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    block_of,
    filled,
    is_plain,
    names_bound,
    number_code,
    reads_of,
)
from tritonopt.facts import Loop, Value
from tritonopt.facts.language import DTYPES
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import mentions
from tritonopt.facts.reductions import Accumulation, nodes_of
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.source import Change, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk

SPELLED = {short: long for long, short in DTYPES.items()} | {"bool": "int1"}
"""What the language calls a type."""


@dataclass(frozen=True)
class LoopNames:
    """The names of a loop over tiles, which other loops of its kind may have too."""

    writer: Writer
    loop: Loop
    """The outermost one that it takes the place of."""
    wanted: str
    """What the number of elements in a tile is called, ..."""
    size: int
    """... and what it is."""
    _shared: set[str] = field(default_factory=set)
    """Names that are used here and in another loop."""

    @cached_property
    def block(self) -> str:
        """The name of the number of elements in a tile."""
        return self._known or self.writer.fresh(self.wanted)

    @cached_property
    def _known(self) -> str:
        """That name, where another loop is one over tiles already."""
        kernel = self.writer.facts.kernel
        for statement in kernel.node.body:
            match statement:
                case ast.AnnAssign(
                    target=ast.Name(id=name), annotation=kind, value=ast.Constant(value=self.size)
                ) if name.startswith(self.wanted):
                    if kernel.module.resolve(kind) == "triton.language.constexpr":
                        return name
        return ""

    def begins(self) -> Iterator[Change]:
        """Binds that number, where nothing does."""
        if not self._known:
            code = f"{self.block}: {self.writer.language('constexpr')} = {self.size}"
            yield InsertBefore(self.writer.facts.kernel.statements[0], code)

    def local(self, wanted: str) -> str:
        """A name for use in the loop, which other loops may use too."""
        facts, own = self.writer.facts, set(walk(self.loop.node))
        others = (n for n in facts.loops if not n.inlined and n not in self.loop.nest)
        elsewhere = {node for loop in others for node in walk(loop.node)} - own
        places = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == wanted]
        if places and elsewhere.issuperset(places) and wanted not in self._shared:
            known = facts.before[self.loop.node].get(wanted)
            if known is None or known.op is Op.OPAQUE:  # what another loop has counted
                self._shared.add(wanted)
                return wanted
        return self.writer.fresh(wanted)


@dataclass(frozen=True)
class AccumulatorTile:
    """A tile in which every lane has an accumulator of its own."""

    writer: Writer
    name: str
    """Of the accumulator."""
    block: Sequence[ast.stmt]
    """The statements in which the tile is needed, and ..."""
    first: ast.stmt
    """... the one before which it begins."""
    combining: Kind
    initial: Value
    """What the accumulator is before that statement."""
    dtype: str
    extents: Callable[[ast.stmt], str]
    """Code for the extents, right before a statement; raises NotExpressible."""
    keeps_name: bool = False
    """Whether the tile has the name of the accumulator where it starts in its place."""

    @cached_property
    def tile(self) -> str:
        """The name of the tile."""
        own = self.keeps_name and self.start is not None
        return self.name if own else self.writer.fresh(f"{self.name}_tile")

    def begins(self) -> Change:
        """Raises NotExpressible where the tile, or what it starts with, cannot be written."""
        if self.start is None:
            return InsertBefore(self.first, f"{self.tile} = {self._filled()}")
        if not self._keeps(self.start):
            return Replace(self.start, f"{self.tile} = {self._filled()}")
        assert self.start.value is not None
        return ReplaceExpression(self.start.value, self._filled())

    @cached_property
    def start(self) -> ast.Assign | ast.AnnAssign | None:
        """The statement that gives the accumulator its first value, where the tile can have it.

        It stands in the same block, and nothing is done with the accumulator in between.
        """
        before = self.block[: self.block.index(self.first)]
        last = next((s for s in reversed(before) if any(mentions(s, self.name))), None)
        match last:
            case (
                ast.Assign(targets=[ast.Name(id=self.name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=self.name), value=ast.expr() as value)
            ):
                plain = self.writer.facts.values.get(value) is self.initial
                lost = not self._keeps(last) and self.has_comment(last)
                if plain and self._starts_the_tile(value) and not lost:
                    with suppress(NotExpressible):
                        self.extents(last)
                        return last
        return None

    def _keeps(self, start: ast.stmt) -> bool:
        """Whether the statement stays, with another value: an annotation is of the old one."""
        return self.keeps_name and not isinstance(start, ast.AnnAssign)

    def has_comment(self, statement: ast.stmt) -> bool:
        """Whether a comment stands behind a statement, in its last line."""
        last = statement.end_lineno or statement.lineno
        return bool(self.writer.facts.kernel.module.comments(last, last + 1))

    @cached_property
    def filler(self) -> float | int | None:
        """The number that the accumulator starts with; None where it is not known."""
        initial = self.initial
        if initial.op is Op.FULL:
            initial = initial.operand
        number = initial.constant
        return number if isinstance(number, (int, float)) and not math.isnan(number) else None

    @property
    def _as_written(self) -> str:
        """That number in the kernel's own words: `-1e30`, `NEG_INF`; "" where it has none here."""
        value = self.start.value if self.start is not None else None
        given = [value, *value.args] if isinstance(value, ast.Call) else [value]
        for node in filter(None, given):
            known = self.writer.facts.values.get(node)
            if known is not None and known.constant is not None and known.shape == ():
                return self.writer.text(node) if known.constant == self.filler else ""
        return ""

    def _starts_the_tile(self, value: ast.expr) -> bool:
        """Whether what it starts with changes nothing, or may be in every lane."""
        facts = self.writer.facts
        if self.filler is None or not facts.effect_nodes.isdisjoint(walk(value)):
            return False
        return self.combining.repeats or self.starts_with_identity

    @property
    def starts_with_identity(self) -> bool:
        """Whether what it starts with changes nothing of what comes to it."""
        return self.filler is not None and self.filler == self.combining.identity

    def _filled(self) -> str:
        """Code for the tile as it is before the loop."""
        shape = self.extents(self.start or self.first)
        dtype = self.writer.language(SPELLED[self.dtype])
        if self.combining.repeats:
            if self.filler is not None:
                filler = self._as_written or number_code(self.filler)
            elif self.initial.shape == ():
                filler = self.name
            else:
                raise NotExpressible(f"{self.name} starts with another value in each lane")
        else:
            filler = str(self.combining.identity)
            if filler == "1" and self.dtype in FLOAT_BITS:
                filler = "1.0"
        return filled(self.writer, shape, filler, dtype)


# An accumulator of a second sweep that a first one is to keep: its name, its start, what goes


@dataclass(frozen=True)
class Total:
    """The accumulator, in the merged sweep."""

    name: str
    first_lines: tuple[str, ...] = ()
    """What it starts with, where that has to be written."""
    removed: tuple[ast.stmt, ...] = ()
    """Where it started before."""
    said: tuple[str, ...] = ()
    """Comments on that: a heading of what the second loop was for."""


class MovedAccumulator:
    """Where an accumulator of the second loop starts, and what only that sweep needs."""

    def __init__(self, writer: Writer, sweeps: TwoSweeps, accumulation: Accumulation) -> None:
        self.writer = writer
        self.facts = sweeps.facts
        self.sweeps = sweeps
        self.accumulation = accumulation
        self.first, self.second = sweeps.first.node, sweeps.second.node
        self.start = self.facts.before[self.first]
        block = block_of(self.facts.kernel.node, self.second)
        self.between = block[block.index(self.first) + 1 : block.index(self.second)]

    def total(self, zero: str, instead: str) -> Total:
        """It keeps its name where that stands for nothing else; else it gets the one `instead`."""
        name = self.accumulation.name
        starts = [s for s in self.between if names_bound(s) == {name} and is_plain(self.facts, s)]
        if self.start.get(name) is self.accumulation.initial and not self._is_mentioned(name):
            return Total(name)
        total = name
        if len(starts) != 1 or self._is_mentioned(name, but=starts[0]):
            total = self.writer.fresh(instead)
        last_read = max((n.lineno for s in self.between for n in reads_of(s, name)), default=0)
        removed = tuple(s for s in starts if s.lineno > last_read)
        said = tuple(
            line for s in removed for line in excerpts.said_of(self.facts.kernel.module, s)
        )
        return Total(total, (f"{total} = {zero}",), removed, said)

    def _is_mentioned(self, name: str, but: ast.stmt | None = None) -> bool:
        """Whether a name is read or bound in the first loop, or from there to the second."""
        statements = (s for s in (self.first, *self.between) if s is not but)
        nodes = (n for s in statements for n in walk(s))
        return any(isinstance(n, ast.Name) and n.id == name for n in nodes)

    def zero(self) -> str:
        """What it starts with, as it can be written before the first loop."""
        initial = self.accumulation.initial
        if initial.op is Op.CONST:
            return "0.0"
        for node, value in self.facts.values.items():
            same = value is initial and not isinstance(node, ast.Name)
            if same and self.writer.means_the_same(node, self.start):
                return self.writer.text(node)
        name = self.accumulation.name
        raise NotExpressible(f"the start of {name} has no expression before the first loop")

    def no_longer_read(
        self,
        total: Total,
        written: Sequence[str],
        *,
        heads_nothing: bool = False,
        headings: frozenset[str] = frozenset(),
    ) -> Iterator[Remove]:
        """Takes away where the accumulator started, and what the second loop alone needed.

        But not what is read in the code that was written. `heads_nothing` says that comments on the
        start were written elsewhere, for nothing is left where they stood; `headings` stay.
        """
        yield from (Remove(s, moved=heads_nothing, headings=headings) for s in total.removed)
        inside = set(walk(self.second))
        around = self.sweeps.second.parent
        for statement in self.between:
            names = names_bound(statement)
            if statement in total.removed or len(names) != 1 or not is_plain(self.facts, statement):
                continue
            (name,) = names
            inner = nodes_of(self.facts, [statement])
            if any(comes_from(self.facts.values[node], self.sweeps.first) for node in inner):
                continue  # what comes of the first loop stays, whoever reads it
            if any(re.search(rf"\b{name}\b", text) for text in written):
                continue
            if around is not None and name in around.carried:
                continue  # the next iteration of the loop around may read it
            reads = reads_of(self.facts.kernel.node, name)
            later = [n for n in reads if n.lineno > statement.lineno]
            if later and all(n in inside for n in later) and not reads_of(statement, name):
                yield Remove(statement)
