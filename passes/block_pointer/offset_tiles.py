"""Tiles of offsets: which are wanted, which of them are one, and where each is computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.emit.statement_lists import StatementLists
from tritonopt.emit.writing import Writer, block_of
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.passes.block_pointer.accesses import Block, BlockAccesses, Move
from tritonopt.passes.block_pointer.block_legality import form_of, sum_of
from tritonopt.source import Change, InsertBefore, Remove, Replace
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.trees import walk

_LARGEST_EXTENT = 2**20
"""Triton has no tile of more elements."""


@dataclass(eq=False)
class OffsetTile:
    """`pid * BLOCK + tl.arange(0, BLOCK)`, for one block pointer or several."""

    wanted: str
    """What it would best be called."""
    terms: tuple[ast.expr, ...]
    extent: ast.expr
    begin: Polynomial | None
    at: ast.stmt
    """The statement that it is computed before."""
    wide: bool
    name: str = ""
    moves: tuple[Move, ...] = ()
    """The statements that add to it; its name is no other's then, but for what moves with it."""
    deltas: tuple[ast.expr, ...] = ()
    """What each of them adds."""


@dataclass
class OffsetTiles:
    """The tiles of one kernel: first all are wanted, then they are placed and have names."""

    facts: KernelFacts
    writer: Writer
    accesses: BlockAccesses
    _tiles: list[OffsetTile] = field(default_factory=list)
    _added: set[tuple[OffsetTile, int]] = field(default_factory=set)
    """What is written of the moves: of several block pointers that move together one is enough."""

    def __post_init__(self) -> None:
        self.lists = StatementLists(self.facts.kernel.node)

    def want(
        self, block: Block, axis: int, at: ast.stmt, delta: ast.expr | None = None
    ) -> OffsetTile:
        """The tile of offsets of a block, moved by `delta`, for a statement."""
        terms = (block.offsets[axis], *([delta] if delta is not None else []))
        moves = () if delta is not None else self.moves(block, axis)
        begin = sum_of(self.facts, terms)
        wide = bool(moves) or _must_be_wide(self.facts, block.strides[axis], begin)
        wanted = OffsetTile(
            _name(block, axis), terms, block.extents[axis], begin, at, wide, moves=moves
        )
        wanted.deltas = tuple(move.deltas[axis] for move in moves)
        for tile in self._tiles:
            if self._is_same(tile, wanted) and self._can_serve(tile, wanted):
                return tile
        self._tiles.append(wanted)
        return wanted

    def moves(self, block: Block, axis: int) -> tuple[Move, ...]:
        """The statements that move a block along an axis, in order."""
        moves = (move for move in self.accesses.moves if move.block is block)
        return tuple(move for move in moves if not is_zero(self.facts, move.deltas[axis]))

    def _is_same(self, tile: OffsetTile, wanted: OffsetTile) -> bool:
        """Whether two tiles begin with equal offsets and have as many."""
        one, other = form_of(self.facts, tile.extent), form_of(self.facts, wanted.extent)
        same = tile.begin == wanted.begin and one == other
        return same and tile.begin is not None and one is not None

    def _can_serve(self, tile: OffsetTile, wanted: OffsetTile) -> bool:
        """Whether one tile can be both; it is moved up to where both see it."""
        if tile.moves or wanted.moves:
            return self._move_together(tile, wanted)
        first = self.lists.common(tile.at, wanted.at)
        guarded = (self.lists.is_guarded(at, below=first) for at in (tile.at, wanted.at))
        if all(guarded) and not isinstance(tile.extent, ast.Constant):
            return False  # where no branch is taken, the extent may be none
        if first is not tile.at and not self._is_known(tile, first):
            return False
        tile.at = first
        tile.wide |= wanted.wide
        return True

    def _is_known(self, tile: OffsetTile, at: ast.stmt) -> bool:
        """Whether the first offset can be computed before a statement further up."""
        environment = self.facts.before.get(at)
        nodes = (*tile.terms, tile.extent)
        return environment is not None and all(
            self.writer.means_the_same(node, environment) for node in nodes
        )

    def _move_together(self, tile: OffsetTile, wanted: OffsetTile) -> bool:
        """Whether two block pointers move at one place by as much, and nothing tells them apart."""
        if self.lists.around(tile.at) is not self.lists.around(wanted.at):
            return False
        if len(tile.moves) != len(wanted.moves):
            return False
        steps = zip(tile.moves, wanted.moves, strict=True)
        deltas = [[form_of(self.facts, d) for d in t.deltas] for t in (tile, wanted)]
        same = deltas[0] == deltas[1] and None not in deltas[0]
        return same and all(self._is_one_step(one, other) for one, other in steps)

    def _is_one_step(self, one: Move, other: Move) -> bool:
        """Whether two moves stand in one block, with no access to what moves between them."""
        statements = self.lists.around(one.statement)
        if statements is not self.lists.around(other.statement):
            return False
        first, last = sorted(map(statements.index, (one.statement, other.statement)))
        between = {node for s in statements[first + 1 : last] for node in walk(s)}
        moved = self.accesses.moved
        return not any(a.node in between and a.block in moved for a in self.accesses.accesses)

    # Writing

    def placed(self) -> Iterator[InsertBefore]:
        """Gives each tile its name, and the statements that compute them.

        Of a block pointer that goes they are what is left: what explains it stands above them.
        """
        gone = {b.statement for b in self.accesses.blocks if not self.accesses.has_tile(b)}
        for tile in self._tiles:
            said = said_of(self.facts.kernel.module, tile.at) if tile.at in gone else []
            gone.discard(tile.at)
            tile.name = self.writer.fresh(tile.wanted)
            arange = f"{self.writer.language('arange')}(0, {self.writer.text(tile.extent)})"
            if tile.wide:
                arange += f".to({self.writer.language('int64')})"
            terms = [self.writer.summand(t) for t in tile.terms if not is_zero(self.facts, t)]
            line = f"{tile.name} = {' + '.join([*terms, arange])}"
            yield InsertBefore(tile.at, "\n".join([*said, line]))

    def moved(self, move: Move, offsets: Sequence[OffsetTile]) -> Change:
        """What a move adds to the offsets, but for what another one has added to the same."""
        lines = []
        for axis, (tile, delta) in enumerate(zip(offsets, move.deltas, strict=True)):
            if is_zero(self.facts, delta):
                continue
            step = (tile, self.moves(move.block, axis).index(move))
            if step not in self._added:
                self._added.add(step)
                lines.append(f"{tile.name} += {self.writer.text(delta)}")
        return Replace(move.statement, "\n".join(lines)) if lines else self.gone(move.statement)

    def gone(self, statement: ast.stmt) -> Change:
        if len(block_of(self.facts.kernel.node, statement)) == 1:
            return Replace(statement, "pass")
        return Remove(statement)


def _must_be_wide(facts: KernelFacts, stride: ast.expr, begin: Polynomial | None) -> bool:
    """Whether an offset, or its product with the stride, may not fit 32 bits."""
    first = begin.constant_value if begin is not None else None
    form = form_of(facts, stride)
    factor = form.constant_value if form is not None else None
    if first is None or factor is None:
        return True
    last = abs(first) + _LARGEST_EXTENT
    return last >= 2**31 or last * abs(factor) >= 2**31


def _name(block: Block, axis: int) -> str:
    """After the size of the tensor, else after that of the block, as kernels call them."""
    for node in (block.shape[axis], block.extents[axis]):
        if isinstance(node, ast.Name):
            name = node.id.lower()
            for prefix in ("block_size_", "block_"):
                name = name.removeprefix(prefix)
            return f"offs_{name}"
    return f"offs_{axis}"


def is_zero(facts: KernelFacts, node: ast.expr) -> bool:
    form = form_of(facts, node)
    return form is not None and form.is_zero


def indices(tiles: Sequence[OffsetTile]) -> list[str]:
    """The offsets along each axis, with an axis for each of the block."""
    if len(tiles) == 1:
        return [tiles[0].name]
    return [
        f"{tile.name}[{', '.join(':' if i == axis else 'None' for i in range(len(tiles)))}]"
        for axis, tile in enumerate(tiles)
    ]
