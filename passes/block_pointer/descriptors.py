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
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.code_edits import CodeEdits
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.algebra.divisibility import Divisibility, substitute
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.tensor_expressions import allocation
from tritonopt.facts.host.truths import checked, conjuncts
from tritonopt.facts.operations import Op
from tritonopt.facts.values import FLOAT_BITS, INTEGER_DTYPES, Value
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.plan import LaunchPlan, PlannedLaunch
from tritonopt.passes.block_pointer.accesses import Access, Block, BlockAccesses
from tritonopt.passes.block_pointer.pointer_tiles import (
    BlockTiles,
    OffsetTile,
    OffsetTiles,
    deltas,
    form_of,
    is_zero,
    sum_of,
)
from tritonopt.source import Change, InsertBefore, Launch, Replace
from tritonopt.source.editing.width import line_width, on_lines
from tritonopt.source.trees import walk

_SET = "triton.set_allocator"


@dataclass
class Descriptors:
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


# Whether block pointers can be tensor descriptors, which ask for more

_CLAIM = "block-is-a-descriptor"
_BYTES = 16
_MOST_AXES = 5
_LANE_BY_LANE = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.CAST, Op.NEG, Op.MINIMUM, Op.MAXIMUM, Op.WHERE}
    | {Op.ELEMENTWISE}
)
_BITS = FLOAT_BITS | {t: int(t.lstrip("uint")) for t in INTEGER_DTYPES if t != "bool"}


@dataclass
class DescriptorLegality:
    facts: KernelFacts
    writer: Writer
    accesses: BlockAccesses
    attempt: Attempt

    def check(self) -> None:
        LaunchPlan.of(self.facts, self.attempt)
        self.attempt.assume_no_other_launches()
        self._check_memory()
        for block in self.accesses.blocks:
            self._check_base(block)
            self._check_parts(block)
        if self.accesses.unread:
            raise self._no(f"that of line {self.accesses.unread[0].lineno} may be none")
        for access in self.accesses.accesses:
            self._check_access(access)
        self.attempt.prove(_CLAIM, "strides, extents and checks are those of descriptors")
        self.attempt.prove(_CLAIM, "each is new, or the launcher checks it")

    def _check_memory(self) -> None:
        """What descriptors store is not seen by other loads at once, nor the other way round."""
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD]
        for write in (e for e in self.facts.effects if e.writes):
            for load in loads:
                if self.facts.may_alias(load, write):
                    detail = f"line {write.line} writes to what line {load.line} reads"
                    raise unknown(_CLAIM, "not-a-descriptor", detail)

    # Blocks

    def _check_base(self, block: Block) -> None:
        line, base = block.statement.lineno, block.base
        if not block.name or len(self.accesses.of(block.name)) != 1:
            raise self._no(f"that of line {line} is made in several places, or within an access")
        value = self.facts.values.get(base)
        if value is None or value.op is not Op.PARAM or not isinstance(base, ast.Name):
            raise self._no(f"the base in line {line} is not known to be aligned")
        for launch in self.facts.launches.launches:
            given = launch.arguments.get(value.name)
            if not _is_aligned(launch, given):
                text = ast.unparse(given) if given is not None else value.name
                detail = f"there is no `assert {text}.data_ptr() % 16 == 0` before the launch in "
                detail += f"{launch.where}, and a descriptor needs that alignment"
                raise unknown(_CLAIM, "not-a-descriptor", detail)

    def _check_parts(self, block: Block) -> None:
        line = block.statement.lineno
        if block.rank > _MOST_AXES:
            raise self._no(f"that of line {line} has {block.rank} axes")
        each = self._elements(block)
        *strides, last = block.strides
        if (form := form_of(self.facts, last)) is None or form.constant_value != 1:
            raise self._no(f"its last stride in line {line} is {self.writer.text(last)}, and not 1")
        for stride in strides:
            self._check_divides(each, stride, f"in line {line}")
        extent = form_of(self.facts, block.extents[-1])
        if extent is None or not self._is_at_least(each, extent):
            text = self.writer.text(block.extents[-1])
            raise self._no(f"{text} elements in line {line} may be fewer than 16 bytes")
        for part in (block.offsets[-1], *deltas(self.accesses, block, block.rank - 1)):
            self._check_divides(each, part, "as an offset")

    def _elements(self, block: Block) -> int:
        """So many elements have 16 bytes, whatever their type may be."""
        calls = {a.node for a in self.accesses.accesses if a.name == block.name}
        types = [self.facts.types.behind(e) for e in self.facts.effects if e.node in calls]
        bits = [_BITS.get(t) for found in types for t in found.seen]
        if not types or not all(t.complete for t in types) or None in bits:
            return _BYTES
        return _BYTES * 8 // min(b for b in bits if b is not None)

    def _check_divides(self, number: int, node: ast.expr, where: str) -> None:
        form = form_of(self.facts, node)
        if form is not None and form.constant_value is not None:
            if form.constant_value % number == 0:
                return
        elif form is not None:
            proof = self._divisibility.proof(Polynomial.constant(number), form)
            if proof is not None and proof.given:
                self.attempt.prove(_CLAIM, proof.because, proof.given)
            if proof is not None:
                return
        raise self._no(
            f"{self.writer.text(node)} {where} is not known to be a multiple of 16 bytes"
        )

    @cached_property
    def _divisibility(self) -> Divisibility:
        return Divisibility(self.facts)

    def _is_at_least(self, number: int, extent: Polynomial) -> bool:
        bindings = self.facts.launches.bindings
        found = [substitute(extent, binding).constant_value for binding in bindings]
        return bool(found) and all(n is not None and n >= number for n in found)

    # Accesses

    def _check_access(self, access: Access) -> None:
        line, block = access.node.lineno, access.block
        if block is None:
            raise self._no(f"which one line {line} is about is not known")
        hints = set(access.arguments) - {"pointer", "value", "boundary_check", "padding_option"}
        if hints:
            raise self._no(f"line {line} says {sorted(hints)[0]}, which descriptors do not take")
        for axis in range(block.rank):
            if axis not in access.checked and not self._is_inside(block, axis):
                raise self._no(
                    f"line {line} does not check axis {axis}, and a descriptor checks all axes"
                )
        loads = [a for a in self.accesses.accesses if a.block is block and a.is_load]
        if len({a.padding or "zero" for a in loads if a.checked}) > 1:
            raise self._no(
                f"that of line {block.statement.lineno} has loads with different paddings"
            )
        if not access.is_load:
            self._check_stored(access, block)
        environment = self.facts.before.get(access.statement)
        for part in (*block.offsets, *access.deltas) if block not in self.accesses.moved else ():
            if environment is None or not self.writer.means_the_same(part, environment):
                raise self._no(f"{self.writer.text(part)} is another number in line {line}")

    def _is_inside(self, block: Block, axis: int) -> bool:
        """Whether the block is the beginning of the axis, no longer than it is, and never moves."""
        begin = sum_of(self.facts, [block.offsets[axis], *deltas(self.accesses, block, axis)])
        end, extent = (form_of(self.facts, n[axis]) for n in (block.shape, block.extents))
        if begin is None or not begin.is_zero or end is None or extent is None:
            return False
        left = (end - extent).constant_value
        return left is not None and left >= 0

    def _check_stored(self, access: Access, block: Block) -> None:
        value = self.facts.values.get(access.arguments["value"])
        extents = [form_of(self.facts, extent) for extent in block.extents]
        if value is None or self._shape(value) != extents:
            raise self._no(f"what line {access.node.lineno} stores may have another shape")

    def _shape(self, value: Value) -> list[Polynomial | None] | None:
        """That of a tile; of what a block pointer loads it is that of the block."""
        if value.shape is not None:
            return [self.facts.forms.of(axis) for axis in value.shape]
        if value.op is Op.LOAD:
            call = self.facts.interpretation.loads[value.number].node
            blocks = (a.block for a in self.accesses.accesses if a.node is call)
            block = next(blocks, None)
            return None if block is None else [form_of(self.facts, e) for e in block.extents]
        if value.op not in _LANE_BY_LANE:
            return None
        shapes = [self._shape(operand) for operand in value.operands]
        tiles = [shape for shape in shapes if shape]
        same = None not in shapes and bool(tiles) and all(tile == tiles[0] for tile in tiles)
        return tiles[0] if same else None

    def _no(self, detail: str) -> Exception:
        return refuted(_CLAIM, "not-a-descriptor", f"as a descriptor: {detail}")


def _is_aligned(launch: Launch, argument: ast.expr | None) -> bool:
    """Whether what a launch passes is new memory, or is checked to begin at 16 bytes."""
    launcher = launch.launcher
    if launcher is None or not isinstance(argument, ast.Name):
        return False
    names, name = names_of(launcher), argument.id
    if name in names.bound_otherwise | names.declared | names.stored_by_inner or names.stores_data:
        return False
    given = names.assigned.get(name, [])
    if len(given) == 1 and name not in names.parameters and isinstance(given[0], ast.Call):
        made = allocation(launch.module, given[0])
        return made is not None and not made.may_reuse
    last = max(names.lines.get(name, [0]))
    return any(
        last < statement.lineno < launch.call.lineno and _checks(launch, statement, name)
        for statement in launcher.body
    )


def _checks(launch: Launch, statement: ast.stmt, name: str) -> bool:
    """Whether nobody passes a statement with a tensor that begins elsewhere."""
    known = checked(launch.module, statement)
    for part, holds in conjuncts(*known) if known is not None else ():
        match part:
            case ast.Compare(
                left=ast.BinOp(
                    left=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=tensor), attr="data_ptr"), args=[]
                    ),
                    op=ast.Mod(),
                    right=ast.Constant(value=int() as divisor),
                ),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            ) if holds and tensor == name and divisor % 16 == 0:
                return True
    return False
