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

from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.source import Change, InsertBefore, Remove, Replace
from tritonopt.source.editing.width import line_width
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import Access, Block, Move
from tritonopt.transforms.block_pointers.legality import BlockTiles, form_of
from tritonopt.transforms.rank_lifting.code_edits import CodeEdits
from tritonopt.transforms.writing import Writer, block_of

_LARGEST_EXTENT = 2**20
"""Triton has no tile of more elements."""
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)

_Key = tuple[Polynomial | ast.AST, Polynomial | ast.AST, bool]


@dataclass
class PointerTiles:
    """Writes the changes for one kernel."""

    facts: KernelFacts
    writer: Writer
    proof: BlockTiles
    _shared: list[tuple[_Key, list[ast.stmt], str]] = field(default_factory=list)
    """Tiles of offsets, with the list of statements that has each, and its name."""
    _indices: dict[Block, tuple[str, ...]] = field(default_factory=dict)
    """The names of a block's offsets, axis by axis."""
    _masks: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    """Names of masks that are computed where their block pointer is made."""

    def __post_init__(self) -> None:
        self._edits = CodeEdits(self.facts.kernel.module)
        for access in self.proof.accesses.accesses:
            key = (access.name, access.checked)
            bound = access.name in self.proof.masks_where_made and access.checked
            if bound and key not in self._masks:
                self._masks[key] = self.writer.fresh(f"{access.name}_mask")

    def changes(self) -> Iterator[Change]:
        accesses = self.proof.accesses
        for owner, _, name in accesses.types:
            if not self._has_tile(name):
                base = accesses.of(name)[0].base
                self._edits.instead[owner] = f"{self.writer.operand(base)}.dtype"
        places: list[Block | Access] = [b for b in accesses.blocks if b.name]
        # Of a call inside of another one, the inner one first.
        places += sorted(accesses.accesses, key=lambda a: len(list(walk(a.call))))
        for what in sorted(places, key=lambda p: p.statement.lineno):
            yield from self._made(what) if isinstance(what, Block) else self._read(what)
        for move in accesses.moves:
            yield self._moved(move)
        for statement in self.facts.kernel.node.body:
            yield from self._edits.changes(statement)

    # Where it was made

    def _has_tile(self, name: str) -> bool:
        """Whether a name goes on as that of a tile of pointers."""
        return name not in self.proof.accesses.moved and any(
            not access.deltas for access in self.proof.accesses.accesses if access.name == name
        )

    def _made(self, block: Block) -> Iterator[Change]:
        moves = block.name in self.proof.accesses.moved
        if not moves and not self._has_tile(block.name):
            if len(block_of(self.facts.kernel.node, block.statement)) > 1:
                yield Remove(block.statement)
            else:
                yield Replace(block.statement, "pass")
            return
        lines = list(self._offsets(block, block.statement, moves))
        for (name, checked), mask in self._masks.items():
            if name == block.name:
                lines.append(f"{mask} = {self._mask(block, checked, self._indices[block])}")
        if not moves:
            lines.append(self._assigned(block))
        yield Replace(block.statement, "\n".join(lines))

    def _offsets(self, block: Block, at: ast.stmt, moves: bool) -> Iterator[str]:
        """The statements that bind the tiles of a block's offsets, but for those that are there."""
        names = []
        for axis in range(block.rank):
            terms = [block.offsets[axis]]
            moved = moves and self._moves_along(block.name, axis)
            name, line = self._tile(block, axis, terms, at, own=moved)
            names.append(name)
            if line:
                yield line
        self._indices[block] = tuple(names)

    def _moves_along(self, name: str, axis: int) -> bool:
        return any(
            move.name == name and not self._is_zero(move.deltas[axis])
            for move in self.proof.accesses.moves
        )

    def _tile(
        self, block: Block, axis: int, terms: Sequence[ast.expr], at: ast.stmt, *, own: bool
    ) -> tuple[str, str]:
        """The name of a tile of offsets, and the statement that binds it if none does already."""
        begin, extent = self._sum_of(terms), form_of(self.facts, block.extents[axis])
        wide = own or self._must_be_wide(block, axis, begin)
        key = (
            begin if begin is not None else block.offsets[axis],
            extent if extent is not None else block.extents[axis],
            wide,
        )
        around = self._lists_around(at)
        for known, home, name in () if own else self._shared:
            is_there = any(home is statements for statements in around)
            if is_there and known[:2] == key[:2] and known[2] >= wide:
                return name, ""
        name = self.writer.fresh(self._name(block, axis))
        arange = f"{self.writer.language('arange')}(0, {self.writer.text(block.extents[axis])})"
        if wide:
            arange += f".to({self.writer.language('int64')})"
        written = [self._summand(t) for t in terms if not self._is_zero(t)]
        if not own:
            self._shared.append((key, around[0], name))
        return name, f"{name} = {' + '.join([*written, arange])}"

    def _must_be_wide(self, block: Block, axis: int, begin: Polynomial | None) -> bool:
        """Whether an offset, or its product with the stride, may not fit 32 bits."""
        first = begin.constant_value if begin is not None else None
        form = form_of(self.facts, block.strides[axis])
        stride = form.constant_value if form is not None else None
        if first is None or stride is None:
            return True
        return (abs(first) + _LARGEST_EXTENT) * max(abs(stride), 1) >= 2**31

    def _sum_of(self, terms: Sequence[ast.expr]) -> Polynomial | None:
        total = Polynomial.constant(0)
        for term in terms:
            form = form_of(self.facts, term)
            if form is None:
                return None
            total = total + form
        return total

    def _is_zero(self, node: ast.expr) -> bool:
        form = form_of(self.facts, node)
        return form is not None and form.is_zero

    def _lists_around(self, statement: ast.stmt) -> list[list[ast.stmt]]:
        """The lists of statements that one stands in, the innermost first."""
        parents = self.facts.kernel.module.names.parents
        found: list[list[ast.stmt]] = []
        node: ast.AST | None = statement
        while node is not None and node is not self.facts.kernel.node:
            if isinstance(node, ast.stmt):
                found.append(block_of(self.facts.kernel.node, node))
            node = parents.get(node)
        return found

    def _name(self, block: Block, axis: int) -> str:
        """After the size of the tensor, else after that of the block, as kernels call them."""
        for node in (block.shape[axis], block.extents[axis]):
            if isinstance(node, ast.Name):
                name = node.id.lower()
                for prefix in ("block_size_", "block_"):
                    name = name.removeprefix(prefix)
                return f"offs_{name}"
        return f"offs_{axis}"

    def _summand(self, node: ast.expr) -> str:
        """The text of an integer or a pointer, ready to be the first of a sum or to be compared."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self.writer.text(node)
        return self.writer.operand(node)

    # Where it is read

    def _read(self, access: Access) -> Iterator[Change]:
        block = access.block
        indices = self._indices.get(block, ()) if block is not None else ()
        if block is not None and (access.deltas or not access.name):
            lines, names = [], []
            for axis in range(block.rank):
                terms = [block.offsets[axis], *access.deltas[axis : axis + 1]]
                name, line = self._tile(block, axis, terms, access.statement, own=False)
                names.append(name)
                lines += [line] if line else []
            indices = tuple(names)
            if lines:
                yield InsertBefore(access.statement, "\n".join(lines))
        pointers = access.name
        if block is not None and (access.deltas or not self._has_tile(access.name)):
            pointers = " + ".join(self._pointers(block, indices))
        mask = self._masks.get((access.name, access.checked), "")
        if not mask and block is not None:
            mask = self._mask(block, access.checked, indices)
        self._edits.instead[access.call] = self._call(access, pointers, mask)

    def _pointers(self, block: Block, indices: Sequence[str]) -> list[str]:
        """The base and what is added to it along each axis."""
        terms = [self._summand(block.base)]
        for axis, name in enumerate(indices):
            index = name + _subscript(axis, block.rank)
            stride = block.strides[axis]
            form = form_of(self.facts, stride)
            if form is None or form.constant_value != 1:
                index = f"{index} * {self.writer.operand(stride)}"
            terms.append(index)
        return terms

    def _mask(self, block: Block, checked: Sequence[int], indices: Sequence[str]) -> str:
        """The elements of a block that are inside of the tensor; empty where all of them are."""
        parts = []
        for axis in checked:
            index = indices[axis] + _subscript(axis, block.rank)
            if (block, axis) not in self.proof.never_negative:
                parts.append(f"{index} >= 0")
            elif self._is_inside(block, axis):
                continue
            parts.append(f"{index} < {self._summand(block.shape[axis])}")
        return parts[0] if len(parts) == 1 else " & ".join(f"({part})" for part in parts)

    def _is_inside(self, block: Block, axis: int) -> bool:
        """Whether a block that never moves along an axis ends before the tensor does."""
        moved = self._moves_along(block.name, axis) or any(
            a.block is block and a.deltas for a in self.proof.accesses.accesses
        )
        size = form_of(self.facts, block.shape[axis])
        begin = form_of(self.facts, block.offsets[axis])
        extent = form_of(self.facts, block.extents[axis])
        if moved or size is None or begin is None or extent is None:
            return False
        left = (size - begin - extent).constant_value
        return left is not None and left >= 0

    def _call(self, access: Access, pointers: str, mask: str) -> str:
        """A load or a store through pointers, with an argument on each line where it is long."""
        function = self.facts.kernel.module.text_of(access.call.func)
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
        line = f"{function}({', '.join(arguments)})"
        lines, call = self.facts.kernel.module.lines, access.call
        start, end = lines.start(call.lineno), lines.start((call.end_lineno or call.lineno) + 1)
        first, behind = lines.span(call)
        text = self.facts.kernel.module.text
        if first - start + len(line) + len(text[behind:end].rstrip()) <= self._width:
            return line
        margin = text[start:end][: len(text[start:end]) - len(text[start:end].lstrip())]
        inside = "".join(f"{margin}    {argument},\n" for argument in arguments)
        return f"{function}(\n{inside}{margin})"

    def _moved(self, move: Move) -> Change:
        (block,) = self.proof.accesses.of(move.name)
        lines = [
            f"{name} += {self.writer.text(delta)}"
            for name, delta in zip(self._indices[block], move.deltas, strict=True)
            if not self._is_zero(delta)
        ]
        return Replace(move.statement, "\n".join(lines) or "pass")

    # Layout

    def _assigned(self, block: Block) -> str:
        terms = self._pointers(block, self._indices[block])
        line = f"{block.name} = {' + '.join(terms)}"
        if block.statement.col_offset + len(line) <= self._width:
            return line
        inside = "".join(f"    {'+ ' if i else ''}{term}\n" for i, term in enumerate(terms))
        return f"{block.name} = (\n{inside})"

    @cached_property
    def _width(self) -> int:
        return line_width(self.facts.kernel.module)


def _subscript(axis: int, rank: int) -> str:
    """`[:, None]` of the first of two axes."""
    if rank == 1:
        return ""
    return f"[{', '.join(':' if i == axis else 'None' for i in range(rank))}]"
