"""Writing the tile of pointers that a block pointer is.

    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_k = tl.arange(0, BLOCK_K)
    a = A + offs_m[:, None] * stride + offs_k[None, :]

`make_block_ptr` takes offsets of 32 bits and multiplies them with strides in 64, so the tiles of
offsets are of 64 bits wherever an element or its address may be beyond 2**31.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.statement_lists import StatementLists, unused_names
from tritonopt.emit.writing import Writer, block_of
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.passes.block_pointer.accesses import Access, Block, BlockAccesses, Move, Use
from tritonopt.passes.block_pointer.block_legality import BlockTiles, form_of, sum_of
from tritonopt.source import Change, InsertBefore, Kernel, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.editing.width import call_on_lines, line_width
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


# Writing the tile of pointers that a block pointer is


@dataclass
class PointerTiles:
    """Writes the changes for one kernel."""

    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
    returned_masks: Mapping[Kernel, tuple[int, ...]] = field(default_factory=dict)
    """The axes that a mask checks which a helper returns beside a tile; none where it has none."""
    _offsets: dict[Block | Access, list[OffsetTile]] = field(default_factory=dict)
    """The tiles of offsets along each axis of a block, and of an access that is further on."""
    _masks: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    """Names of masks that are computed where their block pointer is made."""

    def __post_init__(self) -> None:
        self._accesses = self.proof.accesses
        self._tiles = OffsetTiles(self.facts, self.writer, self._accesses)
        self._edits = CodeEdits(self.facts.kernel.module)
        self._width = line_width(self.facts.kernel.module)

    def changes(self) -> Iterator[Change]:
        """All that happens to the kernel. Raises Declined where something has no name."""
        accesses, tiles = self._accesses, self._tiles
        wanting = [*filter(self._is_placed, accesses.blocks)]
        wanting += [access for access in accesses.accesses if access.deltas]  # type: ignore[misc]
        # What always runs first: it can serve what stands below an `if`.
        guarded = tiles.lists.is_guarded
        for what in sorted(wanting, key=lambda w: (guarded(w.statement), w.statement.lineno)):
            block, deltas = (what, ()) if isinstance(what, Block) else (what.block, what.deltas)
            self._offsets[what] = [
                tiles.want(block, axis, what.statement, *deltas[axis : axis + 1])
                for axis in range(block.rank)
            ]
        yield from tiles.placed()
        self._name_masks()
        for read in accesses.types:
            if read.block is not None and not accesses.has_tile(read.block):
                self._edits.instead[read.node] = f"{self.writer.operand(read.block.base)}.dtype"
        # Of a call inside of another one, the inner one first.
        for access in sorted(accesses.accesses, key=lambda a: len(list(walk(a.node)))):
            self._edits.instead[access.node] = self._call(access)
        for returned in accesses.returned:
            self._edits.instead[returned.node] = self._given_back(returned)
        for statement in self.facts.kernel.node.body:
            yield from self._edits.changes(statement)
        for block in accesses.blocks:
            if block.helper is not None:
                yield from self._unpacked(block)
            elif block.name:
                yield self._made(block)
        yield from map(tiles.gone, accesses.unread)
        yield from unread_orders(self.facts, tiles.lists, accesses.blocks)
        for move in accesses.moves:
            yield tiles.moved(move, self._offsets[move.block])

    def _is_placed(self, block: Block) -> bool:
        """Whether it has tiles of offsets of its own: those of a helper are not the kernel's."""
        own = self._accesses.has_tile(block) or block in self._accesses.moved
        return block.helper is None and (own or not block.name)

    def _name_masks(self) -> None:
        """Names for masks that are computed where a block is made, if any block may end outside."""
        for access in self._accesses.accesses:
            key = (access.name, access.checked)
            if not self._takes_mask(access) or key in self._masks:
                continue
            blocks = filter(self._accesses.has_tile, self._accesses.of(access.name))
            if any(
                access.checked if block.helper is not None else self._mask(block, access.checked)
                for block in blocks
            ):
                self._masks[key] = self.writer.fresh(f"{access.name}_mask")

    def _takes_mask(self, access: Access) -> bool:
        """Whether its mask is one that is computed where its block is made."""
        moves = bool(access.deltas) or access.block in self._accesses.moved
        return access.name in self.proof.masks_where_made and not moves

    # Statements

    def _made(self, block: Block) -> Change:
        if not self._accesses.has_tile(block):
            return self._tiles.gone(block.statement)
        lines = [
            f"{mask} = {self._mask(block, checked, whole=True)}"
            for (name, checked), mask in self._masks.items()
            if name == block.name
        ]
        terms = self._pointers(block, self._offsets[block])
        line = f"{block.name} = {' + '.join(terms)}"
        if block.statement.col_offset + len(line) > self._width:
            first, *others = terms
            inside = [f"    {first}", *(f"    + {term}" for term in others)]
            line = "\n".join([f"{block.name} = (", *inside, ")"])
        return Replace(block.statement, "\n".join([*lines, line]))

    def _unpacked(self, block: Block) -> Iterator[Change]:
        """The mask that a helper returns beside the tile gets its name."""
        assert block.helper is not None and isinstance(block.statement, ast.Assign)
        checked = self.returned_masks[block.helper]
        if checked and self._accesses.has_tile(block):
            (target,) = block.statement.targets
            mask = self._masks.get((block.name, checked))
            mask = mask or self.writer.fresh(f"{block.name}_mask")  # which nothing reads
            yield ReplaceExpression(target, f"{block.name}, {mask}")

    # Expressions

    def _pointers(self, block: Block, tiles: Sequence[OffsetTile]) -> list[str]:
        """The base, and what is added to it along each axis."""
        terms = [self.writer.summand(block.base)]
        for index, stride in zip(indices(tiles), block.strides, strict=True):
            form = form_of(self.facts, stride)
            is_one = form is not None and form.constant_value == 1
            factor = self.writer.text if isinstance(stride, ast.UnaryOp) else self.writer.operand
            terms.append(index if is_one else f"{index} * {factor(stride)}")
        return terms

    def _given_back(self, returned: Use) -> str:
        """What a helper returns in the place of a block pointer."""
        block, indent = returned.block, returned.statement.col_offset
        assert block is not None
        parts = [block.name or " + ".join(self._pointers(block, self._offsets[block]))]
        checked = self.returned_masks[self.facts.kernel]
        if checked:
            parts.append(self._mask(block, checked, whole=True))
        line = ", ".join(parts)
        if len(parts) == 1 or indent + len("return ") + len(line) <= self._width:
            return line
        module = self.facts.kernel.module
        margin = module.text[module.lines.start(returned.statement.lineno) :][:indent]
        return "\n".join(["(", *(f"{margin}    {part}," for part in parts), f"{margin})"])

    def _mask(
        self,
        block: Block,
        checked: Sequence[int],
        tiles: Sequence[OffsetTile] = (),
        *,
        whole: bool = False,
    ) -> str:
        """The elements of a block that are inside of the tensor.

        Empty where all of them are, but for a mask that other blocks have too, which is `whole`.
        """
        tiles = tiles or self._offsets[block]
        parts = []
        for axis in checked:
            index, tile = indices(tiles)[axis], tiles[axis]
            if (block, axis) not in self.proof.never_negative:
                parts.append(f"{index} >= 0")
            elif not whole and self._is_inside(tile, block.shape[axis]):
                continue
            parts.append(f"{index} < {self.writer.summand(block.shape[axis])}")
        return parts[0] if len(parts) == 1 else " & ".join(f"({part})" for part in parts)

    def _is_inside(self, tile: OffsetTile, size: ast.expr) -> bool:
        """Whether a tile that begins at 0 or above, and never moves, ends before the tensor."""
        end, extent = form_of(self.facts, size), form_of(self.facts, tile.extent)
        if tile.moves or tile.begin is None or end is None or extent is None:
            return False
        left = (end - tile.begin - extent).constant_value
        return left is not None and left >= 0

    def _call(self, access: Access) -> str:
        """A load or a store through pointers, with an argument on each line where it is long."""
        block, pointers = access.block, access.name
        tiles = self._offsets.get(access, [])
        if block is not None and (tiles or not self._accesses.has_tile(block)):
            pointers = " + ".join(self._pointers(block, tiles or self._offsets[block]))
        if self._takes_mask(access):
            mask = self._masks.get((access.name, access.checked), "")
        else:
            assert block is not None
            mask = self._mask(block, access.checked, tiles)
        arguments = [pointers]
        if not access.is_load:
            arguments.append(self._edits.code(access.arguments["value"]))
        if mask:
            arguments.append(f"mask={mask}")
            padding = {"zero": "0.0", "nan": 'float("nan")'}.get(access.padding)
            arguments += [f"other={padding}"] if padding else []
        arguments += [
            f"{name}={self._edits.code(node)}"
            for name, node in access.arguments.items()
            if name not in ("pointer", "value", "boundary_check", "padding_option")
        ]
        return self._laid_out(access.node, arguments)

    def _laid_out(self, call: ast.Call, arguments: Sequence[str]) -> str:
        module = self.facts.kernel.module
        function = module.text_of(call.func)
        line = f"{function}({', '.join(arguments)})"
        if any(call in walk(a.node) and a.node is not call for a in self._accesses.accesses):
            return line  # the one around it is broken, where that is necessary
        first, end = module.lines.span(call)
        start = module.lines.start(call.lineno)
        last = module.lines.start((call.end_lineno or call.lineno) + 1)
        if first - start + len(line) + len(module.text[end:last].rstrip()) <= self._width:
            return line
        around = module.text[start:last]
        margin = around[: len(around) - len(around.lstrip())]
        return call_on_lines(function, arguments, self._width, margin)


def unread_orders(
    facts: KernelFacts, lists: StatementLists, gone: Iterable[Block]
) -> Iterator[Remove]:
    """Statements that bind names which are read for the order of what goes, and nowhere else."""
    orders = [node for block in gone if block.order is not None for node in walk(block.order)]
    return unused_names(facts, lists, orders, (), ())
