"""Whether block pointers can be tiles of pointers, and what their masks must ask."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer, comments_in, is_elif
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.operations import Op
from tritonopt.passes.block_pointer.accesses import (
    CLAIM,
    Access,
    Block,
    BlockAccesses,
    Use,
    lost,
    never_negative,
)


@dataclass(frozen=True)
class BlockTiles:
    """What was shown of a kernel's block pointers."""

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
    legality.check_returned()
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
                raise lost(f"line {line} goes on from where {access.name} has moved to")

    def keeps_its_parts(self, access: Access) -> bool:
        """Whether what a mask needs can be written at an access. Raises Declined where it must."""
        block = access.block
        whole = bool(access.deltas) or block in self.accesses.moved
        if block is not None and block.helper is None:
            parts: list[ast.expr] = [block.shape[axis] for axis in access.checked]
            if whole:
                parts += [block.base, *block.strides]
            if access.deltas:
                parts += block.offsets
            if self._mean_the_same(parts, access.statement):
                return True
        if whole:
            detail = "is about the block of other statements, and what it was made of is not known"
            raise lost(f"line {access.node.lineno} {detail} there")
        return False

    def check_returned(self) -> None:
        """What is returned is where it was made, and its mask can be written where it returns."""
        for returned in self.accesses.returned:
            block, statement = returned.block, returned.statement
            assert block is not None
            moved = block in self.accesses.moved
            if moved or not self._mean_the_same(block.shape, statement):
                detail = "returns one that is not what it was where it was made"
                raise lost(f"line {statement.lineno} {detail}")

    def _mean_the_same(self, nodes: Iterable[ast.expr], at: ast.stmt) -> bool:
        environment = self.facts.before.get(at)
        return environment is not None and all(
            self.writer.means_the_same(node, environment) for node in nodes
        )

    def check_text(self) -> None:
        """What goes takes no comment with it, and what comes has a place."""
        accesses = self.accesses
        nodes: list[ast.stmt | ast.expr] = [
            b.statement for b in accesses.blocks if b.name and b.helper is None
        ]
        nodes += [*accesses.unread, *(returned.node for returned in accesses.returned)]
        nodes += [access.node for access in accesses.accesses]
        for node in nodes:
            if comments_in(self.facts.kernel.module.text_of(node)):
                detail = f"a comment inside line {node.lineno} would be lost"
                raise refuted("nothing-else-is-lost", "comment-inside", detail)
        for access in accesses.accesses:
            before = bool(access.deltas) or not access.name
            statement = access.statement
            if before and (isinstance(statement, ast.While) or is_elif(self.facts, statement)):
                detail = f"line {access.node.lineno} has no place for statements before it"
                raise unknown("is-expressible", "not-expressible", detail)
        for read in accesses.types:
            block = read.block
            if all(
                map(accesses.has_tile, [block] if block is not None else accesses.of(read.name))
            ):
                continue
            if (
                block is None
                or block.helper is not None
                or not (self._mean_the_same([block.base], read.statement))
            ):
                detail = f"the type of {read.name} in line {read.node.lineno} has no name there"
                raise unknown("is-expressible", "not-expressible", detail)

    def check_element_types(self, attempt: Attempt) -> None:
        """Through a block pointer booleans are int8; through a pointer they are int1."""
        claim = "block-is-a-descriptor"
        calls = {access.node for access in self.accesses.accesses}
        types = [self.facts.types.behind(e) for e in self.facts.effects if e.node in calls]
        for found in types:
            if found.some_in(BOOLEANS):
                detail = f"the elements are {found.where}, and block pointers give them as int8"
                raise refuted(claim, "not-a-descriptor", detail)
        if types and all(t.complete for t in types):
            attempt.prove(claim, "every launch passes tensors of other types")
        else:
            attempt.assume(claim, "no tensor of booleans is passed for what they point to")

    def never_negative(self, attempt: Attempt) -> frozenset[tuple[Block, int]]:
        """The axes on which no block begins below 0, for sizes and calls that are told."""
        facts = self.facts
        blocks = [block for block in self.accesses.blocks if block.helper is None]
        nodes = [node for block in blocks for node in block.extents]
        extents = [facts.values[node] for node in nodes if node in facts.values]
        names = {value.name for value in extents}
        found, sizes = self._not_below_zero(blocks, Bounds(facts, extents))
        given = frozenset[str]()
        if len(found) < sum(block.rank for block in blocks):
            given = never_negative(facts, names)
        if given:
            before = len(found)
            found, sizes = self._not_below_zero(blocks, Bounds(facts, extents, given))
            if len(found) > before:
                attempt.assume_no_other_launches(
                    "files that were not given call the helper nowhere"
                )
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
