"""block-pointer: block pointers become tiles of pointers, with masks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.passes.block_pointer.accesses import BlockAccesses


@dataclass(frozen=True)
class BlockPointers(Pass):
    """Replace block pointers, which Triton 3.9 removed, by pointers with masks.

    ## What it does

    `tl.make_block_ptr` becomes a tile of pointers, `boundary_check` a mask, `padding_option` an
    `other`, and `tl.advance` an addition. All block pointers of a kernel are replaced, or none.
    Offsets that several of them share are computed once.

    ## Why

    Triton 3.9 has no `make_block_ptr`, `advance` or `boundary_check`; earlier versions lower them
    to the same pointers and masks. The pass is a migration and runs only if it is named.

    ## Conditions

    - All uses of each block pointer are known (`block-pointers-are-followed`): its name is bound
      only by `make_block_ptr` and `advance`, and read only by loads, stores, `advance` and
      `.dtype.element_ty`. Shape, strides, offsets and extents are tuples with one entry per axis.
    - No helper receives or returns one.
    - The tensor is not boolean, because block pointers load booleans as int8. If no launch shows
      the type, this is assumed (`elements-are-not-boolean`).

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

    1.03x to 1.10x.

    Square fp16 products up to 8192, tiles of 128 by 128; one H200, Triton 3.6, cold L2, medians of
    15 runs (`benchmarks/matrix_products_speed.py`). All results had the same bits.
    """

    name: ClassVar[str] = "block-pointer"
    summary: ClassVar[str] = "write block pointers, gone from Triton 3.9, as pointers and masks"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.block_pointer.accesses import first_mention, followed_blocks
        from tritonopt.passes.block_pointer.pointer_tiles import PointerTiles, prove_block_tiles

        first = first_mention(facts.kernel)
        if first is None:
            return
        message = ""
        with Attempt() as attempt:
            writer = Writer(facts)
            proof = prove_block_tiles(facts, writer, attempt, followed_blocks(facts))
            message = _message(proof.accesses)
            changes = tuple(PointerTiles(facts, writer, proof).changes())
            attempt.write(changes, "the tiles of pointers and their masks can be written")
        advice = "write block pointers as pointers and masks: Triton 3.9 has none"
        yield Site.of(attempt, first, message, "kept the block pointers", advice=advice)


def _message(found: BlockAccesses) -> str:
    number = len(found.blocks)
    message = f"replaced {number} block pointer{'s' if number > 1 else ''} by pointers and masks"
    undefined = sum(a.is_load and bool(a.checked) and not a.padding for a in found.accesses)
    if undefined:
        loads = "a load finds" if undefined == 1 else f"{undefined} loads find"
        message += f"; values that {loads} outside of the tensor are undefined, as before"
    return message
