"""block-pointer: block pointers become tiles of pointers, with masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.passes.block_pointer.pointer_tiles import BlockTiles

_Written: TypeAlias = "tuple[tuple[Change, ...], str, str]"
"""The changes, what is said of them, and what they write."""


@dataclass(frozen=True)
class BlockPointers(Pass):
    """Replace block pointers, which Triton 3.9 removed, by pointers with masks.

    ## What it does

    `tl.make_block_ptr` becomes a tile of pointers, `boundary_check` a mask, `padding_option` an
    `other`, and `tl.advance` an addition. All block pointers of a kernel are replaced, or none.
    Offsets that several of them share are computed once.

    A helper with a block pointer as a parameter gets base, shape, strides and offsets instead, and
    builds the tile; a helper that returns a block pointer returns tile and mask. The helper and its
    callers change together.

    `block-pointer{write=descriptors}` writes tensor descriptors instead, which GPUs from sm_90 on
    load and store in hardware. Each launch sets the allocator that they need, unless the file does.

    ## Why

    Triton 3.9 has no `make_block_ptr`, `advance` or `boundary_check`; earlier versions lower them
    to the same pointers and masks. The pass is a migration and runs only if it is named.

    ## Conditions

    - All uses of each block pointer are known (`block-pointers-are-followed`): its name is bound
      only by `make_block_ptr` and `advance`, and read only by loads, stores, `advance` and
      `.dtype.element_ty`. Shape, strides, offsets and extents are tuples with one entry per axis.
    - Helpers are jit functions without other decorators. The file's kernels call them and do not
      use them otherwise; we assume that other files do not call them (`no-other-launches`). A block
      pointer that a helper gets or returns was not advanced before, and has the same number of axes
      and the same checked axes at every call.
    - The tensor is not boolean, because block pointers load booleans as int8. If no launch shows
      the type, this is assumed (`block-is-a-descriptor`).

    Descriptors also require (`block-is-a-descriptor`):

    - The base is a parameter, and aligned: the launcher allocates the tensor or checks it (`assert
      x.data_ptr() % 16 == 0`). The last stride is 1. The other strides and the offsets along the
      last axis are multiples of 16 bytes, by a check (`assert n % 16 == 0`) or `--assume`. A block
      has at least 16 bytes along its last axis.
    - Each access checks all axes, as descriptors do, except those along which the block is always
      inside the tensor. It has no cache hints.
    - The kernel does not read what it writes, and every launch is a statement in the file. We
      assume sizes below 2**31, as block pointers do.

    ## Numerics

    `exact`, bits `same`. Offsets have 64 bits like the original's, unless they are proved to be
    small. A mask checks the lower bound only if an offset may be negative. Without
    `padding_option`, elements outside the tensor stay undefined.

    ## Example

    ```python
    x_block = tl.make_block_ptr(X, (M, N), (stride, 1), (0, 0), (ROWS, BLOCK), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    var = tl.sum(x, axis=1)
    ```

    becomes

    ```python
    offs_m = tl.arange(0, ROWS).to(tl.int64)
    offs_n = tl.arange(0, BLOCK)
    x_block = X + offs_m[:, None] * stride + offs_n[None, :]
    x = tl.load(x_block, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N), other=0.0)
    var = tl.sum(x, axis=1)
    ```

    ## Measured

    1.03x to 1.10x as pointers; as descriptors 1.14x to 1.22x from size 2048 on, and 0.92x for 1024.

    Square fp16 products up to 8192, tiles of 128 by 128; one H200, Triton 3.6, cold L2, medians of
    15 runs (`benchmarks/matrix_products_speed.py`). All results had the same bits.
    """

    write: Literal["pointers", "descriptors"] = "pointers"

    name: ClassVar[str] = "block-pointer"
    summary: ClassVar[str] = "write block pointers, gone from Triton 3.9, as pointers and masks"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.CONTRACT, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.block_pointer.accesses import first_mention

        first = first_mention(facts.kernel)
        if first is None:
            return
        message = what = ""
        with Attempt() as attempt:
            written = self._as_descriptors if self.write == "descriptors" else self._as_pointers
            changes, message, what = written(facts, attempt)
            attempt.write(changes, f"{what} can be written")
        advice = "write block pointers as pointers and masks: Triton 3.9 has none"
        yield Site.of(
            attempt,
            first,
            message,
            "kept the block pointers",
            needs={Safety.CONTRACT} if self.write == "descriptors" else (),
            advice=advice,
        )

    def _as_pointers(self, facts: KernelFacts, attempt: Attempt) -> _Written:
        from tritonopt.emit.writing import Writer
        from tritonopt.facts.program_ids import sure_callee
        from tritonopt.passes.block_pointer.accesses import followed_blocks
        from tritonopt.passes.block_pointer.handed_blocks import HandedBlocks, ReturnedBlocks
        from tritonopt.passes.block_pointer.pointer_tiles import PointerTiles, prove_block_tiles

        found, what = followed_blocks(facts), "the tiles of pointers and their masks"
        for call, _ in found.handed:
            helper = sure_callee(facts.kernel, call)
            assert helper is not None
            handed = HandedBlocks(facts, helper, self)
            changes = tuple(handed.changes(attempt))
            return changes, handed.message, "their parts, at each call of the helper,"
        if found.with_helpers:
            returned = ReturnedBlocks(facts, found)
            changes = tuple(returned.changes(attempt))
            return changes, _message(*returned.proofs, others=returned.others), what
        writer = Writer(facts)
        proof = prove_block_tiles(facts, writer, attempt, found)
        return tuple(PointerTiles(facts, writer, proof).changes()), _message(proof), what

    def _as_descriptors(self, facts: KernelFacts, attempt: Attempt) -> _Written:
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.block_pointer.accesses import followed_blocks, lost
        from tritonopt.passes.block_pointer.descriptors import DescriptorLegality, Descriptors
        from tritonopt.passes.block_pointer.pointer_tiles import prove_block_tiles

        writer, found = Writer(facts), followed_blocks(facts)
        if found.with_helpers:
            raise lost("a helper is given a block pointer, or returns one")
        proof = prove_block_tiles(facts, writer, attempt, found)
        DescriptorLegality(facts, writer, proof.accesses, attempt).check()
        changes = tuple(Descriptors(facts, writer, proof).changes())
        what = "the descriptors, and an allocator at each launch"
        return changes, f"replaced {_number(proof)} by tensor descriptors", what


def _message(*proofs: BlockTiles, others: Sequence[str] = ()) -> str:
    message = f"replaced {_number(*proofs)} by pointers and masks"
    if others:
        message += f", with those of {', '.join(others)}"
    accesses = [access for proof in proofs for access in proof.accesses.accesses]
    undefined = sum(a.is_load and bool(a.checked) and not a.padding for a in accesses)
    if undefined:
        loads = "a load finds" if undefined == 1 else f"{undefined} loads find"
        message += f"; values that {loads} outside of the tensor are undefined, as before"
    return message


def _number(*proofs: BlockTiles) -> str:
    number = sum(b.helper is None for proof in proofs for b in proof.accesses.blocks)
    return f"{number} block pointer{'s' if number > 1 else ''}"
