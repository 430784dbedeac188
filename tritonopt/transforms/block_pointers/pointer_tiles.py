"""Writing the tile of pointers that a block pointer is.

    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_k = tl.arange(0, BLOCK_K)
    a = A + offs_m[:, None] * stride + offs_k[None, :]

`make_block_ptr` takes offsets of 32 bits and multiplies them with strides in 64, so the tiles of
offsets are of 64 bits wherever an element or its address may be beyond 2**31.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.source import Change, Remove, Replace
from tritonopt.source.editing.width import line_width
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import Access, Block, Move
from tritonopt.transforms.block_pointers.block_legality import BlockTiles, form_of
from tritonopt.transforms.block_pointers.offset_tiles import (
    OffsetTile,
    OffsetTiles,
    indices,
    is_zero,
)
from tritonopt.transforms.code_edits import CodeEdits
from tritonopt.transforms.writing import Writer, block_of


@dataclass
class PointerTiles:
    """Writes the changes for one kernel."""

    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
    _offsets: dict[Block | Access, list[OffsetTile]] = field(default_factory=dict)
    """The tiles of offsets along each axis of a block that has a name, and of an access to one
    that has none, or that is further on for this access alone."""
    _masks: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    """Names of masks that are computed where their block pointer is made."""

    def changes(self) -> Iterator[Change]:
        """All that happens to the kernel. Raises Declined where something has no name."""
        accesses = self.proof.accesses
        tiles = OffsetTiles(self.facts, self.writer, accesses)
        # What always runs first: it can serve what stands below an `if`.
        wanting = sorted(self._with_offsets(), key=lambda w: w.statement.lineno)
        for what in sorted(wanting, key=lambda w: tiles.is_guarded(w.statement)):
            self._offsets[what] = self._wanted(tiles, what)
        yield from tiles.placed()
        self._name_masks()
        self._edits = CodeEdits(self.facts.kernel.module)
        for read in accesses.types:
            if not accesses.has_tile(read.name):
                assert read.block is not None
                self._edits.instead[read.node] = f"{self.writer.operand(read.block.base)}.dtype"
        # Of a call inside of another one, the inner one first.
        for access in sorted(accesses.accesses, key=lambda a: len(list(walk(a.call)))):
            self._edits.instead[access.call] = self._call(access)
        for statement in self.facts.kernel.node.body:
            yield from self._edits.changes(statement)
        for block in accesses.blocks:
            if block.name:
                yield self._made(block)
        added: set[tuple[OffsetTile, int]] = set()
        for move in accesses.moves:
            yield self._moved(tiles, move, added)

    def _with_offsets(self) -> Iterator[Block | Access]:
        accesses = self.proof.accesses
        for block in accesses.blocks:
            if block.name in accesses.moved or self.proof.accesses.has_tile(block.name):
                yield block
        for access in accesses.accesses:
            if access.deltas or not access.name:
                yield access

    def _wanted(self, tiles: OffsetTiles, what: Block | Access) -> list[OffsetTile]:
        if isinstance(what, Block):
            return [tiles.want(what, axis, what.statement) for axis in range(what.rank)]
        block = what.block
        assert block is not None
        return [
            tiles.want(block, axis, what.statement, *what.deltas[axis : axis + 1])
            for axis in range(block.rank)
        ]

    def _name_masks(self) -> None:
        """Names for masks that are computed where a block is made, if any block may end outside."""
        for access in self.proof.accesses.accesses:
            key = (access.name, access.checked)
            if access.name not in self.proof.masks_where_made or key in self._masks:
                continue
            blocks = self.proof.accesses.of(access.name)
            if any(self._mask(block, access.checked, self._offsets[block]) for block in blocks):
                self._masks[key] = self.writer.fresh(f"{access.name}_mask")

    # Statements

    def _made(self, block: Block) -> Change:
        if not self.proof.accesses.has_tile(block.name):
            return self._gone(block.statement)
        tiles = self._offsets[block]
        lines = [
            f"{mask} = {self._mask(block, checked, tiles, whole=True)}"
            for (name, checked), mask in self._masks.items()
            if name == block.name
        ]
        terms = self._pointers(block, tiles)
        line = f"{block.name} = {' + '.join(terms)}"
        if block.statement.col_offset + len(line) > self._width:
            line = "\n".join([f"{block.name} = (", *_over_lines(terms), ")"])
        return Replace(block.statement, "\n".join([*lines, line]))

    def _moved(self, tiles: OffsetTiles, move: Move, added: set[tuple[OffsetTile, int]]) -> Change:
        """What a move adds to the offsets, but for what another one has added to the same tile."""
        (block,) = self.proof.accesses.of(move.name)
        lines = []
        for axis, (tile, delta) in enumerate(zip(self._offsets[block], move.deltas, strict=True)):
            if is_zero(self.facts, delta):
                continue
            step = (tile, tiles.moves(move.name, axis).index(move))
            if step not in added:
                added.add(step)
                lines.append(f"{tile.name} += {self.writer.text(delta)}")
        if not lines:
            return self._gone(move.statement)
        return Replace(move.statement, "\n".join(lines))

    def _gone(self, statement: ast.stmt) -> Change:
        if len(block_of(self.facts.kernel.node, statement)) == 1:
            return Replace(statement, "pass")
        return Remove(statement)

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

    def _mask(
        self,
        block: Block,
        checked: Sequence[int],
        tiles: Sequence[OffsetTile],
        *,
        whole: bool = False,
    ) -> str:
        """The elements of a block that are inside of the tensor.

        Empty where all of them are, but for a mask that other blocks have too, which is `whole`.
        """
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
        tiles = self._offsets.get(access) or (self._offsets[block] if block is not None else [])
        if block is not None and (
            access in self._offsets or not self.proof.accesses.has_tile(access.name)
        ):
            pointers = " + ".join(self._pointers(block, tiles))
        mask = self._masks.get((access.name, access.checked), "")
        if access.name not in self.proof.masks_where_made and block is not None:
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
        return self._laid_out(access.call, arguments)

    def _laid_out(self, call: ast.Call, arguments: Sequence[str]) -> str:
        module = self.facts.kernel.module
        function = module.text_of(call.func)
        line = f"{function}({', '.join(arguments)})"
        first, behind = module.lines.span(call)
        start = module.lines.start(call.lineno)
        end = module.lines.start((call.end_lineno or call.lineno) + 1)
        if first - start + len(line) + len(module.text[behind:end].rstrip()) <= self._width:
            return line
        around = module.text[start:end]
        margin = around[: len(around) - len(around.lstrip())]
        inside = f"{margin}    {', '.join(arguments)}\n"
        if len(inside) > self._width:
            inside = "".join(f"{margin}    {argument},\n" for argument in arguments)
        return f"{function}(\n{inside}{margin})"

    @cached_property
    def _width(self) -> int:
        return line_width(self.facts.kernel.module)


def _over_lines(terms: Sequence[str]) -> list[str]:
    return [f"    {'+ ' if i else ''}{term}" for i, term in enumerate(terms)]
