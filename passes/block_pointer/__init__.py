"""block-pointer: block pointers become tiles of pointers, with masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

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
    `other`, and `tl.advance` an addition. All block pointers of a kernel change, or none. Shared
    offsets are computed once.

    A helper with a block pointer as a parameter receives its parts and builds the tile; one that
    returns a block pointer returns tile and mask. Helper and callers change together.

    ## Why

    A migration, applied only when selected explicitly: Triton 3.9 has no `make_block_ptr`,
    `advance` or `boundary_check`; earlier versions lower them to the same pointers and masks.

    ## Conditions

    - Each block pointer can be followed (`block-pointers-are-followed`): only `make_block_ptr` and
      `advance` bind its name; only loads, stores, `advance` and `.dtype.element_ty` read it. Shape,
      strides, offsets and extents are written per axis.
    - Helpers are plain jit functions, used only in plain calls by the file's kernels, and assumed
      not to be called elsewhere (`no-other-launches`). Block pointers that they receive or return
      have not moved, and have the same number of axes and the same checked axes at every call.
    - The tensor is not boolean, because block pointers load booleans as int8; assumed where no
      launch shows it (`elements-are-not-boolean`).

    ## Numerics

    `exact`, bits `same`. Offsets are 64-bit where the original's are, unless known to be small. A
    mask checks the lower bound only where an offset may be negative. Without `padding_option`,
    elements outside the tensor stay undefined.

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

    1.03x to 1.10x.

    Square fp16 products up to 8192, tiles of 128 by 128; one H200, Triton 3.6, cold L2, medians of
    15 runs (`benchmarks/matrix_products_speed.py`). All results had the same bits.
    """

    name: ClassVar[str] = "block-pointer"
    summary: ClassVar[str] = "write block pointers, gone from Triton 3.9, as pointers and masks"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.block_pointer.accesses import first_mention

        first = first_mention(facts.kernel)
        if first is None:
            return
        message = what = ""
        with Attempt() as attempt:
            changes, message, what = self._written(facts, attempt)
            attempt.write(changes, f"{what} can be written")
        advice = "write block pointers as pointers and masks: Triton 3.9 has none"
        yield Site.of(
            attempt,
            first,
            message,
            "kept the block pointers",
            advice=advice,
        )

    def _written(self, facts: KernelFacts, attempt: Attempt) -> _Written:
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


def _message(*proofs: BlockTiles, others: Sequence[str] = ()) -> str:
    message = f"turned {_number(*proofs)} into pointers and masks"
    if others:
        message += f", with those of {', '.join(others)}"
    accesses = [access for proof in proofs for access in proof.accesses.accesses]
    undefined = sum(a.is_load and bool(a.checked) and not a.padding for a in accesses)
    if undefined:
        loads = "a load finds" if undefined == 1 else f"{undefined} loads find"
        message += f"; what {loads} outside of the tensor is undefined, as before"
    return message


def _number(*proofs: BlockTiles) -> str:
    number = sum(b.helper is None for proof in proofs for b in proof.accesses.blocks)
    return f"{number} block pointer{'s' if number > 1 else ''}"
