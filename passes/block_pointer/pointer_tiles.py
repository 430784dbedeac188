"""Writing the tile of pointers that a block pointer is.

    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_k = tl.arange(0, BLOCK_K)
    a = A + offs_m[:, None] * stride + offs_k[None, :]

`make_block_ptr` takes offsets of 32 bits and multiplies them with strides in 64, so the tiles of
offsets are of 64 bits wherever an element or its address may be beyond 2**31.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import CodeEdits, StatementLists, unused_names
from tritonopt.emit.writing import Writer, block_of, check_no_comment, is_elif
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.operations import Op
from tritonopt.passes.block_pointer.accesses import (
    CLAIM,
    Access,
    Block,
    BlockAccesses,
    Move,
    Use,
    lost,
)
from tritonopt.source import Change, InsertBefore, Remove, Replace
from tritonopt.source.editing.excerpts import said_of
from tritonopt.source.editing.width import call_on_lines, line_width
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class BlockTiles:
    accesses: BlockAccesses
    masks_where_made: frozenset[str]
    """Names whose masks are computed where they are made: elsewhere it would not be known which."""
    never_negative: frozenset[tuple[Block, int]]
    """Axes along which a block never begins before the tensor."""


def prove_block_tiles(
    facts: KernelFacts, writer: Writer, attempt: Attempt, accesses: BlockAccesses
) -> BlockTiles:
    """Raises Declined at the first condition that does not hold."""
    number = len(accesses.blocks)
    attempt.prove(CLAIM, f"{number} made, {len(accesses.accesses)} loads and stores through them")
    legality = _Legality(facts, writer, accesses)
    legality.check_moves()
    masks_where_made = frozenset(
        access.name for access in accesses.accesses if not legality.keeps_its_parts(access)
    )
    legality.check_text()
    legality.check_element_types(attempt)
    return BlockTiles(accesses, masks_where_made, legality.never_negative(attempt))


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    writer: Writer
    accesses: BlockAccesses

    def check_moves(self) -> None:
        """Where a block pointer moves, and is read after that, it is known where it was made."""
        accesses = self.accesses
        for move in accesses.moves:
            if len(move.deltas) != move.block.rank:
                raise lost(f"line {move.statement.lineno} moves it along another number of axes")
        moved = {block.name for block in accesses.moved}
        reads: list[Use] = [*accesses.accesses, *accesses.types]
        for read in reads:
            if read.block is None and read.name in moved:
                raise lost(f"{read.name} is made in several places, and moves in one of them")
        for access in accesses.accesses:
            if access.deltas and access.block in accesses.moved:
                line = access.node.lineno
                raise lost(f"line {line} advances {access.name} again after another advance")

    def keeps_its_parts(self, access: Access) -> bool:
        """Whether what a mask needs can be written at an access. Raises Declined where it must."""
        block = access.block
        whole = bool(access.deltas) or block in self.accesses.moved
        if block is not None:
            parts: list[ast.expr] = [block.shape[axis] for axis in access.checked]
            if whole:
                parts += [block.base, *block.strides]
            if access.deltas:
                parts += block.offsets
            if self._mean_the_same(parts, access.statement):
                return True
        if whole:
            detail = "accesses a block pointer made elsewhere, and its parts are unknown"
            raise lost(f"line {access.node.lineno} {detail} there")
        return False

    def _mean_the_same(self, nodes: Iterable[ast.expr], at: ast.stmt) -> bool:
        environment = self.facts.before.get(at)
        return environment is not None and all(
            self.writer.means_the_same(node, environment) for node in nodes
        )

    def check_text(self) -> None:
        """What goes takes no comment with it, and what comes has a place."""
        accesses = self.accesses
        nodes: list[ast.stmt | ast.expr] = [b.statement for b in accesses.blocks if b.name]
        nodes += accesses.unread
        nodes += [access.node for access in accesses.accesses]
        for node in nodes:
            check_no_comment(self.facts.kernel.module, node)
        for access in accesses.accesses:
            before = bool(access.deltas) or not access.name
            statement = access.statement
            if before and (isinstance(statement, ast.While) or is_elif(self.facts, statement)):
                detail = f"line {access.node.lineno} has no place for statements before it"
                raise unknown("is-expressible", "not-expressible", detail)
        for read in accesses.types:
            block = read.block
            blocks = [block] if block is not None else accesses.of(read.name)
            if not all(map(accesses.has_tile, blocks)) and not (
                block is not None and self._mean_the_same([blocks[0].base], read.statement)
            ):
                detail = f"the type of {read.name} in line {read.node.lineno} has no name there"
                raise unknown("is-expressible", "not-expressible", detail)

    def check_element_types(self, attempt: Attempt) -> None:
        """Through a block pointer booleans are int8; through a pointer they are int1."""
        claim = "elements-are-not-boolean"
        calls = {access.node for access in self.accesses.accesses}
        types = [self.facts.types.behind(e) for e in self.facts.effects if e.node in calls]
        for found in types:
            if found.some_in(BOOLEANS):
                detail = f"the elements are {found.where}, which block pointers load as int8"
                raise refuted(claim, "elements-are-boolean", detail)
        if types and all(t.complete for t in types):
            attempt.prove(claim, "every launch passes tensors of other types")
        else:
            attempt.assume(claim, "no tensor of booleans is passed for what they point to")

    def never_negative(self, attempt: Attempt) -> frozenset[tuple[Block, int]]:
        """The axes on which no block begins below 0, for sizes and calls that are told."""
        facts, blocks = self.facts, self.accesses.blocks
        nodes = [node for block in blocks for node in block.extents]
        extents = [facts.values[node] for node in nodes if node in facts.values]
        names = {value.name for value in extents}
        found, sizes = self._not_below_zero(blocks, Bounds(facts, extents))
        # The extent of a tile is at least 1 in any kernel that compiles.
        if sizes - names:
            attempt.assume("sizes-are-positive", f"{', '.join(sorted(sizes - names))} at least 1")
        return frozenset(found)

    def _not_below_zero(
        self, blocks: Iterable[Block], bounds: Bounds
    ) -> tuple[set[tuple[Block, int]], set[str]]:
        found, sizes = set(), set()
        for block in blocks:
            for axis in range(block.rank):
                forms = [form_of(self.facts, node) for node in self._along(block, axis)]
                least = [bounds.lower_bound(form) for form in forms if form is not None]
                if None not in forms and all(b is not None and b.number >= 0 for b in least):
                    found.add((block, axis))
                    sizes |= {size for b in least if b is not None for size in b.sizes}
        return found, sizes

    def _along(self, block: Block, axis: int) -> Iterator[ast.expr]:
        """Where a block begins on an axis, and all that is ever added to that."""
        yield block.offsets[axis]
        yield from deltas(self.accesses, block, axis)


def deltas(accesses: BlockAccesses, block: Block, axis: int) -> Iterator[ast.expr]:
    """All that is ever added to where a block begins on an axis."""
    yield from (move.deltas[axis] for move in accesses.moves if move.block is block)
    for access in accesses.accesses:
        if access.block is block and access.deltas:
            yield access.deltas[axis]


def form_of(facts: KernelFacts, node: ast.expr) -> Polynomial | None:
    """The form of an integer of the kernel; None where it has no value."""
    value = facts.values.get(node)
    if value is None or value.op in (Op.TUPLE, Op.DTYPE, Op.OPAQUE):
        return None
    return facts.forms.of(value)


def sum_of(facts: KernelFacts, nodes: Iterable[ast.expr]) -> Polynomial | None:
    """The form of a sum; None where that of a part is not known."""
    total = Polynomial.constant(0)
    for node in nodes:
        form = form_of(facts, node)
        if form is None:
            return None
        total = total + form
    return total


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
    is_read: bool = False


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
        self.lists = StatementLists(self.facts)

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
        for tile in filter(lambda tile: tile.is_read, self._tiles):
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


@dataclass
class PointerTiles:
    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
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
            for axis, tile in enumerate(self._offsets[what]):
                tile.is_read |= not self._is_point(block, self._offsets[what], axis)
        yield from tiles.placed()
        self._name_masks()
        for read in accesses.types:
            if read.block is not None and not accesses.has_tile(read.block):
                self._edits.instead[read.node] = f"{self.writer.operand(read.block.base)}.dtype"
        # Of a call inside of another one, the inner one first.
        for access in sorted(accesses.accesses, key=lambda a: len(list(walk(a.node)))):
            self._edits.instead[access.node] = self._call(access)
        for statement in self.facts.kernel.node.body:
            yield from self._edits.changes(statement)
        for block in accesses.blocks:
            if block.name:
                yield self._made(block)
        yield from map(tiles.gone, accesses.unread)
        yield from unread_orders(self.facts, accesses.blocks)
        for move in accesses.moves:
            yield tiles.moved(move, self._offsets[move.block])

    def _is_point(self, block: Block, tiles: Sequence[OffsetTile], axis: int) -> bool:
        """Whether a block has one element along an axis, the first: `[:, None]` of another axis
        says as much."""
        if block.name in self.proof.masks_where_made:
            return False  # masks stand apart then

        def is_first(tile: OffsetTile, size: ast.expr) -> bool:
            extent = form_of(self.facts, tile.extent)
            one = extent is not None and extent.constant_value == 1
            begins = tile.begin is not None and tile.begin.is_zero
            return one and begins and self._is_inside(tile, size)

        points = [is_first(t, size) for t, size in zip(tiles, block.shape, strict=True)]
        return points[axis] and not all(points)

    def _is_placed(self, block: Block) -> bool:
        """Whether it has tiles of offsets of its own."""
        own = self._accesses.has_tile(block) or block in self._accesses.moved
        return own or not block.name

    def _name_masks(self) -> None:
        """Names for masks that are computed where a block is made, if any block may end outside."""
        for access in self._accesses.accesses:
            key = (access.name, access.checked)
            if not self._takes_mask(access) or key in self._masks:
                continue
            blocks = filter(self._accesses.has_tile, self._accesses.of(access.name))
            if any(self._mask(block, access.checked) for block in blocks):
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

    # Expressions

    def _pointers(self, block: Block, tiles: Sequence[OffsetTile]) -> list[str]:
        """The base, and what is added to it along each axis."""
        terms = [self.writer.summand(block.base)]
        for axis, (index, stride) in enumerate(zip(indices(tiles), block.strides, strict=True)):
            if self._is_point(block, tiles, axis):
                continue
            form = form_of(self.facts, stride)
            is_one = form is not None and form.constant_value == 1
            factor = self.writer.text if isinstance(stride, ast.UnaryOp) else self.writer.operand
            terms.append(index if is_one else f"{index} * {factor(stride)}")
        return terms

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
            if self._is_point(block, tiles, axis):
                continue
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


def unread_orders(facts: KernelFacts, gone: Iterable[Block]) -> Iterator[Remove]:
    """Statements that bind names which are read for the order of what goes, and nowhere else."""
    orders = [node for block in gone if block.order is not None for node in walk(block.order)]
    return unused_names(facts, orders, (), ())
