"""An accumulator of a second sweep that a first one is to keep: its name, its start, what goes.

The second sweep is left with nothing to do, and with it may go what was computed for it alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.emit.writing import NotExpressible, Writer, block_of, is_plain, names_bound, reads_of
from tritonopt.facts import Loop, Value
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import Accumulation, nodes_of
from tritonopt.source import Remove
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Total:
    """The accumulator, in the merged sweep."""

    name: str
    first_lines: tuple[str, ...] = ()
    """What it starts with, where that has to be written."""
    removed: tuple[ast.stmt, ...] = ()
    """Where it started before."""
    said: tuple[str, ...] = ()
    """Comments on that: a heading of what the second sweep was for."""


class MovedAccumulator:
    """Where an accumulator of the second sweep starts, and what only that sweep needs."""

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
        """Whether a name is read or bound in the first sweep, or from there to the second."""
        statements = (s for s in (self.first, *self.between) if s is not but)
        nodes = (n for s in statements for n in walk(s))
        return any(isinstance(n, ast.Name) and n.id == name for n in nodes)

    def zero(self) -> str:
        """What it starts with, as it can be written before the first sweep."""
        initial = self.accumulation.initial
        if initial.op is Op.CONST:
            return "0.0"
        for node, value in self.facts.values.items():
            same = value is initial and not isinstance(node, ast.Name)
            if same and self.writer.means_the_same(node, self.start):
                return self.writer.text(node)
        name = self.accumulation.name
        raise NotExpressible(f"the start of {name} has no expression before the first sweep")

    def no_longer_read(
        self,
        total: Total,
        written: Sequence[str],
        *,
        heads_nothing: bool = False,
        headings: frozenset[str] = frozenset(),
    ) -> Iterator[Remove]:
        """Takes away where the accumulator started, and what the second sweep alone needed.

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
            if any(mentions(self.facts.values[node], self.sweeps.first) for node in inner):
                continue  # what comes of the first sweep stays, whoever reads it
            if any(re.search(rf"\b{name}\b", text) for text in written):
                continue
            if around is not None and name in around.carried:
                continue  # the next iteration of the loop around may read it
            reads = reads_of(self.facts.kernel.node, name)
            later = [n for n in reads if n.lineno > statement.lineno]
            if later and all(n in inside for n in later) and not reads_of(statement, name):
                yield Remove(statement)


def mentions(value: Value, loop: Loop) -> bool:
    """Whether a value is made from what a loop has left."""
    return any(v.op is Op.RESULT and v.carrier.loop == loop.identity for v in value.walk())
