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
from tritonopt.emit.statement_lists import StatementLists
from tritonopt.emit.unused_names import unused_names
from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts
from tritonopt.passes.block_pointer.accesses import Access, Block, Use
from tritonopt.passes.block_pointer.block_legality import BlockTiles, form_of
from tritonopt.passes.block_pointer.offset_tiles import OffsetTile, OffsetTiles, indices
from tritonopt.source import Change, Kernel, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.width import call_on_lines, line_width
from tritonopt.source.trees import walk


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
