"""Writes the loop over tiles: its header, its mask, its body, and what is reduced behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import AccumulatorTile
from tritonopt.emit.code_edits import keeping_comments
from tritonopt.emit.writing import Writer, number_code
from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.passes.scalar_loop.lane_statements import LaneStatements, LoopHeader
from tritonopt.passes.scalar_loop.vector_proof import Carried, LaneMerge, Vectorization
from tritonopt.source import Change, InsertAfter, InsertBefore, Module, Replace
from tritonopt.source.editing import excerpts


@dataclass(frozen=True)
class VectorLoop:
    proof: Vectorization
    size: int

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.proof.facts)

    @cached_property
    def header(self) -> LoopHeader:
        return LoopHeader(self.proof.loop, self.writer, self.size)

    @cached_property
    def statements(self) -> LaneStatements:
        return LaneStatements(self.proof, self.writer, self.header)

    def changes(self) -> tuple[Change, ...]:
        """Raises Declined where the loop cannot be written, or a comment would be lost."""
        return keeping_comments(self.proof.facts.kernel.module, self._changes())

    def _changes(self) -> Iterator[Change]:
        loop = self.proof.loop
        yield from self.header.changes()
        for tile in self.statements.tiles.values():
            yield tile.begins()
        yield Replace(loop.node, self._code())
        end = "\n".join(self._ends())
        if end:
            yield InsertAfter(loop.node, end)

    # The loop

    def _code(self) -> str:
        """The whole loop: first its expressions are changed, then its statements."""
        module, loop = self.proof.facts.kernel.module, self.proof.loop.node
        statements = self.statements
        anew = {s.node: code for s in self.proof.body.steps if (code := statements.anew(s))}
        changes: list[Change] = list(self.header.inside())
        for step in self.proof.body.steps:
            if step.node not in anew:
                changes += statements.inside(step)
        changes += self._tests_that_stay()
        questions = {q: statements.masks_of(q) for q in self.proof.body.questions}
        places = sorted([*anew, *questions], key=lambda s: (s.lineno, s.col_offset), reverse=True)
        changed, nodes = excerpts.after(module, changes, [loop, *places])
        # From the last to the first, so that what is not done yet stays in its place.
        for index, place in enumerate(places, 1):
            node = nodes[index]
            if isinstance(place, ast.If):
                assert isinstance(node, ast.If)
                code = _without_if(changed, node, questions[place])
            else:
                code = anew[place]
            assert isinstance(node, ast.stmt)
            left = [n for n in (nodes[0], *nodes[index + 1 :]) if isinstance(n, ast.stmt)]
            changed, (nodes[0], *nodes[index + 1 :]) = excerpts.after(
                changed, [Replace(node, code)], left
            )
        assert isinstance(nodes[0], ast.For)
        first = InsertBefore(nodes[0].body[0], self.header.first_lines)
        changed, (whole,) = excerpts.after(changed, [first], [nodes[0]])
        assert isinstance(whole, ast.stmt)
        return excerpts.statement_code(changed, whole, comments_above=False)

    def _tests_that_stay(self) -> Iterator[Change]:
        """An `if` that all lanes answer alike may ask for names that are others now."""
        asked = set(self.proof.body.questions)
        for node in self.proof.loop.nodes:
            if isinstance(node, ast.If) and node not in asked:
                yield from self.statements.lanes.changes(node.test, self.header.mask)

    def _ends(self) -> Iterator[str]:
        """What is reduced behind the loop; an index, once its extremum is known."""
        carried = [c for c in self.proof.carried if c.kind is not LaneMerge.PREFIX]
        for one in sorted(carried, key=lambda c: c.kind is LaneMerge.INDEX):
            yield lanes_together(one, self.statements.tiles)


def _without_if(module: Module, node: ast.If, masks: Sequence[str]) -> str:
    """The code of both branches, below their masks, and with what is said of them."""
    masked, *otherwise = masks
    if node.body[0].lineno > (node.test.end_lineno or node.test.lineno):
        masked += excerpts.header_comment(module, node)
    lines = [masked, *otherwise, excerpts.block_code(module, node.body)]
    if node.orelse:
        above, behind = excerpts.else_comments(module, node)
        lines[1] += behind
        lines += [*above.split("\n")[:-1], excerpts.block_code(module, node.orelse)]
    return "\n".join(lines)


def lanes_together(carried: Carried, tiles: Mapping[str, AccumulatorTile]) -> str:
    """Code for one reduction of a tile, as it is after the loop."""
    accumulator = tiles[carried.name]
    language, combining = accumulator.writer.language, carried.combining
    name, tile = carried.name, accumulator.tile
    if combining in (Kind.ADD, Kind.XOR):
        function = language("sum" if combining is Kind.ADD else "xor_sum")
        sign = "=" if accumulator.start is not None else f"{combining.symbol}="
        return f"{name} {sign} {function}({tile}, axis=0)"
    greatest = combining in (Kind.MAX, Kind.OR)
    outer, inner = ("max", "min") if greatest else ("min", "max")
    if carried.kind is LaneMerge.CHOSEN_INNER:
        start = name if accumulator.filler is None else number_code(accumulator.filler)
        whole, outer, inner = f"{tile} == {start}", inner, outer
        tile = f"{language('where')}({whole}, {language(inner)}({tile}, axis=0), {tile})"
    elif carried.kind is LaneMerge.INDEX:
        beside = f"{tiles[carried.extremum].tile} == {carried.extremum}"
        tile = f"{language('where')}({beside}, {tile}, {language(inner)}({tile}, axis=0))"
    elif accumulator.dtype in BOOLEANS:
        reduced = f"{language(outer)}({tile}.to({language('int32')}), axis=0)"
        return f"{name} = {reduced} != 0"
    return f"{name} = {language(outer)}({tile}, axis=0)"
