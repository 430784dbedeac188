"""Writing the tensor descriptor that a block pointer is.

    a_block = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    offs_k = 0
    for k in range(0, tl.cdiv(K, BK)):
        a = a_block.load([pid_m * BM, offs_k])
        offs_k += BK

A descriptor has no place of its own, so what moves is an offset. The host gives the kernel memory
for the descriptors that it makes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import KernelFacts
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.passes.block_pointer.accesses import Access, Block
from tritonopt.passes.block_pointer.block_legality import BlockTiles
from tritonopt.passes.block_pointer.offset_tiles import OffsetTile, OffsetTiles, is_zero
from tritonopt.source import Change, InsertBefore, Launch, Replace
from tritonopt.source.editing.width import line_width, on_lines
from tritonopt.source.trees import walk

_SET = "triton.set_allocator"


@dataclass
class Descriptors:
    """Writes the changes for one kernel and its launches."""

    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
    _moving: dict[Block, list[OffsetTile]] = field(default_factory=dict)

    def changes(self) -> Iterator[Change]:
        """Raises NotExpressible where something has no name."""
        accesses = self.proof.accesses
        tiles = OffsetTiles(self.facts, self.writer, accesses)
        for block in accesses.blocks:
            if block in accesses.moved:
                self._moving[block] = [
                    tiles.want(block, axis, block.statement) for axis in range(block.rank)
                ]
        yield from self._placed()
        edits = CodeEdits(self.facts.kernel.module)
        for read in accesses.types:
            assert read.block is not None
            edits.instead[read.node] = f"{self.writer.operand(read.block.base)}.dtype"
        for access in sorted(accesses.accesses, key=lambda a: len(list(walk(a.node)))):
            edits.instead[access.node] = self._call(access, edits)
        for statement in self.facts.kernel.node.body:
            yield from edits.changes(statement)
        for block in accesses.blocks:
            yield Replace(block.statement, self._made(block))
        for move in accesses.moves:
            yield tiles.moved(move, self._moving[move.block])
        for launch in self.facts.launches.launches:
            yield from _with_allocator(launch, self._device(launch))

    def _placed(self) -> Iterator[Change]:
        """Names for the offsets that move, which start where their block pointer is made."""
        for tiles in self._moving.values():
            for tile in tiles:
                if tile.moves and not tile.name:
                    tile.name = self.writer.fresh(tile.wanted)
                    (begin,) = tile.terms
                    yield InsertBefore(tile.at, f"{tile.name} = {self.writer.text(begin)}")

    def _made(self, block: Block) -> str:
        text = self.writer.text
        lists = (block.shape, block.strides, block.extents)
        parts = [text(block.base), *(f"[{', '.join(map(text, each))}]" for each in lists)]
        if any(a.padding == "nan" for a in self.proof.accesses.accesses if a.block is block):
            parts.append('padding_option="nan"')
        function = self.writer.language("make_tensor_descriptor")
        width = line_width(self.facts.kernel.module) - block.statement.col_offset
        return on_lines(f"{block.name} = {function}({', '.join(parts)})", width)

    def _call(self, access: Access, edits: CodeEdits) -> str:
        block = access.block
        assert block is not None
        offsets = []
        for axis in range(block.rank):
            moving = self._moving[block][axis] if block in self._moving else None
            if moving is not None and moving.moves:
                offsets.append(moving.name)
                continue
            parts = [block.offsets[axis], *access.deltas[axis : axis + 1]]
            terms = [self.writer.summand(p) for p in parts if not is_zero(self.facts, p)]
            offsets.append(" + ".join(terms) or "0")
        place = f"[{', '.join(offsets)}]"
        if access.is_load:
            return f"{access.name}.load({place})"
        return f"{access.name}.store({place}, {edits.code(access.arguments['value'])})"

    def _device(self, launch: Launch) -> str:
        """A tensor that the launch passes, whose device is that of the kernel."""
        for block in self.proof.accesses.blocks:
            given = launch.arguments.get(self.facts.values[block.base].name)
            if isinstance(given, ast.Name):
                return f"{given.id}.device"
        raise NotExpressible(f"line {launch.call.lineno} passes no name for a tensor")


def _with_allocator(launch: Launch, device: str) -> Iterator[Change]:
    """Memory for the descriptors, set before the launch where the file sets none."""
    module = launch.module
    if any(isinstance(n, ast.Call) and module.resolve(n.func) == _SET for n in walk(module.tree)):
        return
    check_builtin(launch, "torch")
    check_builtin(launch, "triton")
    statement = PlannedLaunch(launch).statement
    memory = f"torch.empty(size, dtype=torch.int8, device={device})"
    function = f"lambda size, alignment, stream: {memory}"
    if statement.col_offset + len(f"{_SET}({function})") > line_width(module):
        function = f"\n    {function}\n"
    comment = "# The kernel creates its descriptors in scratch memory."
    yield InsertBefore(statement, f"{comment}\n{_SET}({function})")
