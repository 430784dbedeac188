"""What a kernel does with its block pointers, from where each is made to each load and store.

A block pointer is a name for numbers: a base, a shape, strides, offsets, and the extents of the
block. They are followed through the kernel's own text, where each name of a block pointer must be
bound by `make_block_ptr` or `advance` and read by a load, a store, `advance` or `.dtype`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.condition import Declined, unknown
from tritonopt.source import Kernel

CLAIM = "block-pointers-are-followed"


@dataclass(frozen=True, eq=False)
class Block:
    """One `make_block_ptr`: a block of a tensor, an expression for each axis."""

    statement: ast.stmt
    """The statement that it is made in."""
    name: str
    """The name that it is bound to; empty where a load or a store takes it as it is made."""
    base: ast.expr
    shape: tuple[ast.expr, ...]
    strides: tuple[ast.expr, ...]
    offsets: tuple[ast.expr, ...]
    extents: tuple[ast.expr, ...]
    helper: Kernel | None = None
    """What returns it; its parts are nothing that this kernel has an expression for then."""

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Move:
    """`p = tl.advance(p, deltas)`."""

    statement: ast.stmt
    block: Block
    deltas: tuple[ast.expr, ...]


@dataclass(frozen=True, eq=False)
class Access:
    """A load or a store through a block pointer."""

    statement: ast.stmt
    call: ast.Call
    arguments: Mapping[str, ast.expr]
    name: str
    """The block pointer; empty where it is made in the call."""
    block: Block | None
    """Where it was made; None where that depends on the way that the kernel took."""
    deltas: tuple[ast.expr, ...]
    """How far it is advanced for this access alone; empty where it is not."""
    checked: tuple[int, ...]
    """The axes of `boundary_check`, in order."""
    padding: str
    """`zero`, `nan`, or empty: then the elements outside are undefined."""

    @property
    def is_load(self) -> bool:
        return "value" not in self.arguments


@dataclass(frozen=True, eq=False)
class TypeRead:
    """The `p.dtype` of `p.dtype.element_ty`."""

    statement: ast.stmt
    node: ast.Attribute
    name: str
    block: Block | None
    """Where it was made; None where that depends on the way that the kernel took."""


@dataclass(frozen=True, eq=False)
class Handed:
    """A block pointer that is an argument of a call of a helper."""

    statement: ast.stmt
    call: ast.Call
    node: ast.Name
    block: Block


@dataclass(frozen=True, eq=False)
class Returned:
    """A `return` of a block pointer."""

    statement: ast.Return
    value: ast.expr
    block: Block


@dataclass
class BlockAccesses:
    """All of a kernel's block pointers."""

    blocks: list[Block] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    types: list[TypeRead] = field(default_factory=list)
    unread: list[ast.stmt] = field(default_factory=list)
    """Statements that make one, or bind the name to None, which nothing reads."""
    handed: list[Handed] = field(default_factory=list)
    returned: list[Returned] = field(default_factory=list)

    def of(self, name: str) -> list[Block]:
        return [b for b in self.blocks if b.name == name]

    @cached_property
    def moved(self) -> frozenset[Block]:
        return frozenset(move.block for move in self.moves)

    def has_tile(self, block: Block) -> bool:
        """Whether its name can go on as that of a tile of pointers: it is read as it was made."""
        if block in self.moved or not block.name:
            return False
        return any(returned.block is block for returned in self.returned) or any(
            not access.deltas and access.block in (block, None)
            for access in self.accesses
            if access.name == block.name
        )


def lost(detail: str, reason: str = "block-pointer-is-lost") -> Declined:
    return unknown(CLAIM, reason, detail)
