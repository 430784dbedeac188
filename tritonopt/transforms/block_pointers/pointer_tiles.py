"""Writing the tile of pointers that a block pointer is.

    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_k = tl.arange(0, BLOCK_K)
    a = A + offs_m[:, None] * stride + offs_k[None, :]

`make_block_ptr` takes offsets of 32 bits and multiplies them with strides in 64, so the tiles of
offsets are of 64 bits wherever an element or its address may be beyond 2**31.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.source import Change, Kernel, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.width import line_width
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import (
    Access,
    Block,
    Move,
    Returned,
)
from tritonopt.transforms.block_pointers.block_legality import BlockTiles, form_of
from tritonopt.transforms.block_pointers.offset_tiles import (
    OffsetTile,
    OffsetTiles,
    indices,
    is_zero,
)
from tritonopt.transforms.block_pointers.unread_orders import unread_orders
from tritonopt.transforms.code_edits import CodeEdits
from tritonopt.transforms.writing import Writer, block_of


@dataclass
class PointerTiles:
    """Writes the changes for one kernel."""

    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
    returned_masks: Mapping[Kernel, tuple[int, ...]] = field(default_factory=dict)
    """The axes that a mask checks which a helper returns beside a tile; none where it has none."""
    _offsets: dict[Block | Access | Returned, list[OffsetTile]] = field(default_factory=dict)
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
            if read.block is not None and not accesses.has_tile(read.block):
                self._edits.instead[read.node] = f"{self.writer.operand(read.block.base)}.dtype"
        # Of a call inside of another one, the inner one first.
        for access in sorted(accesses.accesses, key=lambda a: len(list(walk(a.call)))):
            self._edits.instead[access.call] = self._call(access)
        for returned in accesses.returned:
            self._edits.instead[returned.value] = self._given_back(returned)
        for statement in self.facts.kernel.node.body:
            yield from self._edits.changes(statement)
        for block in accesses.blocks:
            if block.helper is not None:
                yield from self._unpacked(block)
            elif block.name:
                yield self._made(block)
        yield from map(self._gone, accesses.unread)
        yield from unread_orders(self.facts, accesses.blocks)
        added: set[tuple[OffsetTile, int]] = set()
        for move in accesses.moves:
            yield self._moved(tiles, move, added)

    def _with_offsets(self) -> Iterator[Block | Access | Returned]:
        accesses = self.proof.accesses
        for block in accesses.blocks:
            if block.helper is None and (block in accesses.moved or accesses.has_tile(block)):
                yield block
        yield from (returned for returned in accesses.returned if not returned.block.name)
        for access in accesses.accesses:
            if access.deltas or not access.name:
                yield access

    def _wanted(self, tiles: OffsetTiles, what: Block | Access | Returned) -> list[OffsetTile]:
        if not isinstance(what, Access):
            made = what.block if isinstance(what, Returned) else what
            return [tiles.want(made, axis, what.statement) for axis in range(made.rank)]
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
            if not self._takes_mask(access) or key in self._masks:
                continue
            blocks = filter(self.proof.accesses.has_tile, self.proof.accesses.of(access.name))
            if any(self._may_end_outside(block, access.checked) for block in blocks):
                self._masks[key] = self.writer.fresh(f"{access.name}_mask")

    def _may_end_outside(self, block: Block, checked: tuple[int, ...]) -> bool:
        if block.helper is not None:
            return bool(checked)
        return bool(self._mask(block, checked, self._offsets[block]))

    def _takes_mask(self, access: Access) -> bool:
        """Whether its mask is one that is computed where its block is made."""
        moves = bool(access.deltas) or access.block in self.proof.accesses.moved
        return access.name in self.proof.masks_where_made and not moves

    # Statements

    def _made(self, block: Block) -> Change:
        if not self.proof.accesses.has_tile(block):
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

    def _unpacked(self, block: Block) -> Iterator[Change]:
        """The mask that a helper returns beside the tile gets its name."""
        assert block.helper is not None and isinstance(block.statement, ast.Assign)
        checked = self.returned_masks[block.helper]
        if checked and self.proof.accesses.has_tile(block):
            (target,) = block.statement.targets
            mask = self._masks.get((block.name, checked))
            mask = mask or self.writer.fresh(f"{block.name}_mask")  # which nothing reads
            yield ReplaceExpression(target, f"{block.name}, {mask}")

    def _moved(self, tiles: OffsetTiles, move: Move, added: set[tuple[OffsetTile, int]]) -> Change:
        """What a move adds to the offsets, but for what another one has added to the same tile."""
        lines = []
        offsets = self._offsets[move.block]
        for axis, (tile, delta) in enumerate(zip(offsets, move.deltas, strict=True)):
            if is_zero(self.facts, delta):
                continue
            step = (tile, tiles.moves(move.block, axis).index(move))
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

    def _given_back(self, returned: Returned) -> str:
        """What a helper returns in the place of a block pointer."""
        block = returned.block
        tiles = self._offsets[block if block.name else returned]
        parts = [block.name or " + ".join(self._pointers(block, tiles))]
        checked = self.returned_masks[self.facts.kernel]
        if checked:
            parts.append(self._mask(block, checked, tiles, whole=True))
        line, indent = ", ".join(parts), returned.statement.col_offset
        if len(parts) == 1 or indent + len("return ") + len(line) <= self._width:
            return line
        margin = self.facts.kernel.module.text[
            self.facts.kernel.module.lines.start(returned.statement.lineno) :
        ][:indent]
        return "\n".join(["(", *(f"{margin}    {part}," for part in parts), f"{margin})"])

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
        tiles = self._offsets.get(access) or []
        if not tiles and block is not None and block.helper is None:
            tiles = self._offsets[block]
        if block is not None and (
            access in self._offsets or not self.proof.accesses.has_tile(block)
        ):
            pointers = " + ".join(self._pointers(block, tiles))
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
        return self._laid_out(access.call, arguments)

    def _laid_out(self, call: ast.Call, arguments: Sequence[str]) -> str:
        module = self.facts.kernel.module
        function = module.text_of(call.func)
        line = f"{function}({', '.join(arguments)})"
        if any(call in walk(a.call) and a.call is not call for a in self.proof.accesses.accesses):
            return line  # the one around it is broken, where that is necessary
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
