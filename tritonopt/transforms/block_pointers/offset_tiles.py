"""Tiles of offsets: which are wanted, which of them are one, and where each is computed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.source import InsertBefore
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import Block, BlockAccesses, Move
from tritonopt.transforms.block_pointers.block_legality import form_of, sum_of
from tritonopt.transforms.writing import Writer

_LARGEST_EXTENT = 2**20
"""Triton has no tile of more elements."""
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


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

    def __post_init__(self) -> None:
        self._lists = dict(_lists(self.facts.kernel.node.body, ()))

    def want(
        self, block: Block, axis: int, at: ast.stmt, delta: ast.expr | None = None
    ) -> OffsetTile:
        """The tile of offsets of a block, moved by `delta`, for a statement."""
        terms = (block.offsets[axis], *([delta] if delta is not None else []))
        moves = () if delta is not None else self.moves(block.name, axis)
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

    def moves(self, name: str, axis: int) -> tuple[Move, ...]:
        """The statements that move a block along an axis, in order."""
        moves = (move for move in self.accesses.moves if move.name == name)
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
        one, other = self._lists[tile.at], self._lists[wanted.at]
        for depth, (statements, statement) in enumerate(one):
            height = next((i for i, (others, _) in enumerate(other) if others is statements), None)
            if height is None:
                continue
            both_guarded = _is_guarded(one[1 : depth + 1]) and _is_guarded(other[1 : height + 1])
            if both_guarded and not isinstance(tile.extent, ast.Constant):
                return False  # where no branch is taken, the extent may be none
            first = min(statement, other[height][1], key=statements.index)
            if first is not tile.at and not self._is_known(tile, first):
                return False
            tile.at = first
            tile.wide |= wanted.wide
            return True
        return False

    def is_guarded(self, statement: ast.stmt) -> bool:
        """Whether a statement stands below an `if`."""
        return _is_guarded(self._lists[statement][1:])

    def _is_known(self, tile: OffsetTile, at: ast.stmt) -> bool:
        """Whether the first offset can be computed before a statement further up."""
        environment = self.facts.before.get(at)
        nodes = (*tile.terms, tile.extent)
        return environment is not None and all(
            self.writer.means_the_same(node, environment) for node in nodes
        )

    def _move_together(self, tile: OffsetTile, wanted: OffsetTile) -> bool:
        """Whether two block pointers move at one place by as much, and nothing tells them apart."""
        if self._lists[tile.at][0][0] is not self._lists[wanted.at][0][0]:
            return False
        if len(tile.moves) != len(wanted.moves):
            return False
        return all(
            self._is_one_step(one, other)
            for one, other in zip(tile.moves, wanted.moves, strict=True)
        ) and self._same_deltas(tile, wanted)

    def _same_deltas(self, tile: OffsetTile, wanted: OffsetTile) -> bool:
        one, other = ([form_of(self.facts, d) for d in t.deltas] for t in (tile, wanted))
        return one == other and None not in one

    def _is_one_step(self, one: Move, other: Move) -> bool:
        """Whether two moves stand in one block, with no access to what moves between them."""
        statements = self._lists[one.statement][0][0]
        if statements is not self._lists[other.statement][0][0]:
            return False
        first, last = sorted(map(statements.index, (one.statement, other.statement)))
        between = {node for s in statements[first + 1 : last] for node in walk(s)}
        moved = self.accesses.moved
        return not any(a.call in between and a.name in moved for a in self.accesses.accesses)

    # Writing

    def placed(self) -> Iterator[InsertBefore]:
        """Gives each tile its name, and the statements that compute them."""
        for tile in self._tiles:
            tile.name = self.writer.fresh(tile.wanted)
            arange = f"{self.writer.language('arange')}(0, {self.writer.text(tile.extent)})"
            if tile.wide:
                arange += f".to({self.writer.language('int64')})"
            terms = [summand(self.writer, t) for t in tile.terms if not is_zero(self.facts, t)]
            yield InsertBefore(tile.at, f"{tile.name} = {' + '.join([*terms, arange])}")


_Lists = tuple[tuple[list[ast.stmt], ast.stmt], ...]
"""The lists of statements that one stands in, each with its member around it; innermost first."""


def _lists(statements: list[ast.stmt], around: _Lists) -> Iterator[tuple[ast.stmt, _Lists]]:
    for statement in statements:
        lists = ((statements, statement), *around)
        yield statement, lists
        for field_name in ("body", "orelse"):
            yield from _lists(getattr(statement, field_name, []), lists)


def _is_guarded(around: _Lists) -> bool:
    """Whether the compiler may leave out what stands in these statements."""
    return any(isinstance(statement, ast.If) for _, statement in around)


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


def summand(writer: Writer, node: ast.expr) -> str:
    """The text of a number or a pointer, ready to be the first of a sum or to be compared."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return writer.text(node)
    return writer.operand(node)


def indices(tiles: Sequence[OffsetTile]) -> list[str]:
    """The offsets along each axis, with an axis for each of the block."""
    if len(tiles) == 1:
        return [tiles[0].name]
    return [
        f"{tile.name}[{', '.join(':' if i == axis else 'None' for i in range(len(tiles)))}]"
        for axis, tile in enumerate(tiles)
    ]
