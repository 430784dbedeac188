"""Writes the merged sweep: what it is made of, and what becomes of the second one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from tritonopt.emit.accumulator_tile import MovedAccumulator
from tritonopt.emit.sweep_legality import Fusion, float_type
from tritonopt.emit.writing import NotExpressible, Writer, block_of, is_plain, names_bound
from tritonopt.facts import Polynomial, Value
from tritonopt.facts.algebra.polynomial import ONE, monomial_polynomial
from tritonopt.facts.algebra.variation import move_axes
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.reductions import Accumulation, nodes_of
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.source import Change, InsertAfter, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.editing.width import line_width, on_lines
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Lines:
    """What a formula writes."""

    before: Sequence[str]
    """Before the first loop, ..."""
    inside: Sequence[str]
    """... in it, ..."""
    after: Sequence[str]
    """... and in the place of the second."""
    result: str
    """The name of the sum of the squared deviations."""


@dataclass(frozen=True)
class _Tile:
    """The tile that the first loop adds."""

    source: ast.expr
    name: str
    is_exact: bool
    """It is 0 where the mask is off."""
    is_wide: bool
    changes: tuple[Change, ...] = ()
    """What gives it its name where it had none."""


class MergedSweep:
    """Two sweeps in one: the words for what is in it, and the edits around a formula.

    Raises NotExpressible where there are none.
    """

    def __init__(self, fusion: Fusion) -> None:
        self.facts = fusion.facts
        self.fusion = fusion
        self.squares: Accumulation = fusion.squares
        self.sum = fusion.sum
        self.first = fusion.sweeps.first.node
        self.second = fusion.sweeps.second.node
        self.writer = Writer(self.facts)
        self.rank = len(self.squares.shape)
        self.by_lane = not self.squares.axes and self.rank > 0
        """Whether the second accumulator is a tile, to be summed after the loop."""
        self.update = self._update()
        self.start: Environment = self.facts.before[self.first]
        self.inside: Environment = self.facts.before[self.update]
        self.end: Environment = self.facts.before[self.second]
        self.expressions = list(self.facts.values)
        self.moved = MovedAccumulator(self.writer, fusion.sweeps, fusion.squares)
        self.tile = self._tile()
        self.mask = self._mask()
        """An expression of the kernel for the lanes that count; None where all do."""
        self.zero = self.moved.zero()
        self.total = self.moved.total(self.zero, f"{self.squares.name}_squares")

    def _update(self) -> ast.stmt:
        """The statement that adds to the first sum; what is new goes right behind it."""
        update = self.sum.update
        if update is None or not is_plain(self.facts, update):
            raise NotExpressible("no plain assignment of the first loop adds to its sum")
        if names_bound(update) != {self.sum.name}:
            raise NotExpressible(f"line {update.lineno} binds more than {self.sum.name}")
        return update

    def changes(self, formula: Formula) -> list[Change]:
        """The edits. Raises NotExpressible."""
        lines = formula(self)
        after = self._block(lines.after, self.first)
        changes: list[Change] = [*self.tile.changes]
        if self.by_lane:
            changes += [ReplaceExpression(use, lines.result) for use in self.fusion.uses]
        changes.append(InsertBefore(self.first, self._block(lines.before, self.first)))
        changes.append(InsertAfter(self.update, self._block(lines.inside, self.update)))
        kept = self._kept_headings if after else None
        if kept is not None:  # what heads both stays; what explains the loop alone goes with it
            changes += [InsertBefore(self.second, after), Remove(self.second)]
        else:
            changes.append(Replace(self.second, after) if after else Remove(self.second))
        written = [change.code for change in changes if not isinstance(change, Remove)]
        headings = kept or frozenset()
        return [*changes, *self.moved.no_longer_read(self.total, written, headings=headings)]

    def _block(self, lines: Sequence[str], at: ast.stmt) -> str:
        width = line_width(self.facts.kernel.module) - at.col_offset
        return "\n".join(on_lines(line, width) for line in lines)

    @property
    def _kept_headings(self) -> frozenset[str] | None:
        """The comments above the start of the second sum; None where the loop has none besides."""
        module, block = self.facts.kernel.module, block_of(self.facts.kernel.node, self.second)
        above = block[: block.index(self.second)][-1:]
        starts = [statement for statement in above if statement in self.total.removed]
        if not starts or not said_of(module, self.second):
            return None
        return frozenset(said for start in starts for said in said_of(module, start))

    # What the first loop calls things

    def _tile(self) -> _Tile:
        """A name for the tile of the first loop, or an expression that gets one."""
        forms, term, shape = self.facts.forms, self.sum.term, self.sum.shape
        mask = monomial_polynomial((a, 1) for a in self.fusion.mask)
        wide = {dtype for dtype, bits in FLOAT_BITS.items() if bits >= 32}
        choices = [n for n in walk(self.update) if isinstance(n, (ast.IfExp, ast.BoolOp))]
        conditional = {inner for choice in choices for inner in walk(choice)}
        # The tile in its widened form first: that is what the kernel adds.
        for widened, exact in product((True, False), (True, False)):

            def wanted(value: Value, widened: bool = widened, exact: bool = exact) -> bool:
                if value.shape != shape or (widened and value.dtype not in wide):
                    return False
                form = forms.of(value)
                return form == term if exact else mask * form == term

            named = self.writer.find(wanted, self.inside)
            written = [
                node
                for node in nodes_of(self.facts, [self.update])
                if isinstance(node, (ast.Call, ast.BinOp))
                and node not in conditional
                and wanted(self.facts.values[node])
            ]
            if named is None and not written:
                continue
            name = self.writer.text(named) if named is not None else self.writer.fresh("tile")
            value = self.inside[name] if named is not None else self.facts.values[written[0]]
            is_wide = value.dtype in wide
            if is_wide and value.dtype != float_type(self.squares.initial):
                raise NotExpressible(f"the tile is {value.dtype} and {self.squares.name} is not")
            if named is not None:
                return _Tile(named, name, exact, is_wide)
            naming = (
                InsertBefore(self.update, f"{name} = {self.writer.text(written[0])}"),
                ReplaceExpression(written[0], name),
            )
            return _Tile(written[0], name, exact, is_wide, naming)
        raise NotExpressible("the tile that the first loop adds has no expression in it")

    def _mask(self) -> ast.expr | None:
        if not self.fusion.mask:
            return None
        nodes = nodes_of(self.facts, list(self.sum.loops[-1].node.body))
        return self.writer.find_mask(self.fusion.mask, self.inside, nodes)

    # Expressions

    @property
    def wide(self) -> str:
        dtype = "float64" if self.squares.initial.dtype == "fp64" else "float32"
        return self.writer.language(dtype)

    def widened(self, text: str) -> str:
        """The tile in the accumulator's type: the sweep would not compile if that were narrower."""
        return text if self.tile.is_wide else f"{text}.to({self.wide})"

    @property
    def keeps_dims(self) -> bool:
        if self.by_lane:
            return self.fusion.keep_dims
        return self.squares.keep_dims

    def summed(self, text: str) -> str:
        """The sum over the summed axes, with the shape that the kernel's own sum has."""
        return self.writer.sum(text, self.fusion.axes, self.rank, self.keeps_dims)

    def against_tile(self, text: str) -> str:
        """A sum with its axes put back, so that it meets the tile lane by lane."""
        axes = self.fusion.axes
        if len(axes) == self.rank or self.keeps_dims:
            return text
        return self.writer.against(text, axes, self.rank)

    def masked(self, text: str) -> str:
        if self.mask is None:
            return text
        return f"{self.writer.language('where')}({self.writer.text(self.mask)}, {text}, 0.0)"

    def count_text(self) -> str:
        return self.writer.find_form(self.fusion.number, self.end, self.expressions)

    def added(self, text: str) -> str:
        """What one iteration adds to an accumulator of the second one's shape."""
        return text if self.by_lane else self.summed(text)

    def total_of_first(self) -> str:
        """The first loop's sum, with the shape of the second one's."""
        total = self.fusion.mean * self.fusion.number
        if not self.keeps_dims:
            for axis in sorted((self.rank - 1 - a for a in self.fusion.axes), reverse=True):
                total = move_axes(total, {a: a - 1 for a in range(axis + 1, self.rank)})
        return self.writer.find_form(total, self.end, self.expressions)

    def name_of_m2(self) -> str:
        """A name for the finished sum; an accumulator that was summed in its loop keeps its own."""
        return self.writer.fresh("m2", "squared_deviations") if self.by_lane else self.total.name

    def total_sum(self) -> str:
        return self.summed(self.total.name) if self.by_lane else self.total.name

    def finish(self, name: str, m2: str) -> list[str]:
        """The sum of squared deviations, never below zero, where the kernel looks for it."""
        where = self.writer.language("where")
        # Rounding may take it just below. tl.maximum would make a NaN of the row 0; a comparison
        # with a NaN is false.
        lines = [
            f"{name} = {m2}",
            f"{name} = {where}({name} < 0.0, 0.0, {name})",
        ]
        return [*lines, *self.hand_over(name)]

    def hand_over(self, m2: str) -> list[str]:
        """Let the rest of the kernel read the sum where it read the second loop's."""
        if self.by_lane:
            return []
        scale = self.squares.scale
        if scale == ONE:
            return [] if m2 == self.squares.name else [f"{self.squares.name} = {m2}"]
        # The loop divided every term, so an empty row stayed 0.
        divisor = self.writer.find_form(scale.inverse(), self.end, self.expressions)
        where, number = self.writer.language("where"), self.count_text()
        if self.fusion.never_zero:
            number = self.writer.find_form(self.fusion.count.total, self.end, self.expressions)
        return [f"{self.squares.name} = {where}({number} > 0, {m2} / {divisor}, 0.0)"]

    def divisor(self) -> str:
        """The number of elements, kept from 0 unless a division by it follows anyway."""
        text, number = self.count_text(), self.fusion.number
        known = number.constant_value is not None or self.fusion.never_zero
        if known or self._only_divided_by(number):
            return text
        return f"{self.writer.maximum}({text}, 1)"

    def _only_divided_by(self, number: Polynomial) -> bool:
        """Whether the sum is always divided by that number: an empty row is NaN, as before."""
        if not self.by_lane:
            return False
        divided = {
            node.left
            for node in self.expressions
            if isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and self.facts.forms.of(self.facts.values[node.right]) == number
        }
        return all(use in divided for use in self.fusion.uses)


Formula = Callable[[MergedSweep], Lines]
