"""block-pointer: block pointers become tiles of pointers, with masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.block_pointers.block_legality import BlockTiles


@dataclass(frozen=True)
class BlockPointers(Pass):
    """Write block pointers, which newer Triton has no more, as pointers with masks.

    ## What it does

    `tl.make_block_ptr` becomes a tile of pointers made of tiles of offsets; `boundary_check` of a
    load or a store becomes a mask, `padding_option` an `other`, and `tl.advance` adds to the
    offsets. All block pointers of a kernel are rewritten, or none: a kernel with one of them left
    compiles no better. Offsets that several block pointers share are computed once.

    A helper that gets a block pointer gets what that is made of, as far as it has not got it
    already, and makes the tile itself. A helper that returns one returns the tile, and its mask
    beside it. The helper and all that call it change together, or none of them.

    With `block-pointer{write=descriptors}` it becomes a tensor descriptor, whose loads and stores
    the hardware does from sm_90 on; `tl.advance` adds to an offset, and each launch sets the
    allocator that descriptors ask for, where the file sets none.

    ## Why

    Triton 3.9 has no `make_block_ptr`, no `advance` and no `boundary_check`. Triton before that
    lowers block pointers to just these pointers and masks, so nothing is lost by writing them.

    ## Conditions

    Each block pointer can be followed through the kernel: its name is bound by `make_block_ptr`
    and `advance` and by nothing else, and is read by loads, stores, `advance` and
    `.dtype.element_ty` (`block-pointers-are-followed`). Its shape, strides, offsets and extents are
    written out axis by axis. Where it moves, and where it is read after that, it is known which one
    it is.

    A helper that has to do with them is a plain jit function of the file, and is used by nothing
    but plain calls of the file's own kernels; that files which were not given do not call it is
    assumed (`no-other-launches`). Where it gets a block pointer, it gets one from each call, with
    as many axes, that has not moved before, and whose parts mean the same there as where it was
    made. Where it returns one, it does so on every way, it has not moved, and all that call it
    check the same axes, if any, and do not move it on. What a helper would make itself is tried
    out first: none may be left in it and in its callers.

    A block pointer keeps what its parts were where it was made. Where the load or store is, they
    must be the same; else the mask is computed where the block pointer is.

    A tensor of booleans is left alone: block pointers load its elements as int8. That none is
    passed is assumed where the launches do not show it (`block-is-a-descriptor`).

    A descriptor asks for more (`block-is-a-descriptor`): the base is a parameter, the last stride
    is 1, 16 bytes divide all other strides and where blocks begin along the last axis, and a block
    has 16 bytes along it. What the launcher checks (`assert n % 16 == 0`), or `--assume`,
    shows that. Each tensor is new, or the launcher checks that it begins at a multiple of 16 bytes
    (`assert x.data_ptr() % 16 == 0`). Descriptors check every
    axis, so that each access has to, but for an axis that lies in the block as a whole. The
    kernel reads nothing that it writes, every launch is a statement of the file, and no access says
    how to cache. Sizes below 2**31 are taken for granted, as the interface does.

    ## Numerics

    `exact`, bits `same`. Offsets are of 64 bits where the original's address arithmetic is, in
    all that is not known to be small. A boundary check asks on both sides; that an offset is at
    least 0 is asked only where it is not known. A check without padding leaves the elements
    outside of the tensor undefined, before and after: no `other` is made up for them.

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

    1.03x to 1.10x as pointers; as descriptors 1.14x to 1.22x from 2048 on, and 0.92x for 1024.

    Square products in fp16, up to 8192, tiles of 128 by 128; one H200, Triton 3.6, cold L2, medians
    of 15 runs, original / rewritten (`benchmarks/matrix_products_speed.py`). All results had the
    same bits. It is a migration, and acts only where it is named.
    """

    write: Literal["pointers", "descriptors"] = "pointers"

    name: ClassVar[str] = "block-pointer"
    summary: ClassVar[str] = "write block pointers, gone from Triton 3.9, as pointers and masks"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.CONTRACT, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.block_pointers.block_calls import first_mention

        first = first_mention(facts)
        if first is None:
            return
        from tritonopt.transforms.block_pointers.block_legality import prove_block_tiles
        from tritonopt.transforms.block_pointers.descriptor_legality import DescriptorLegality
        from tritonopt.transforms.block_pointers.descriptors import Descriptors
        from tritonopt.transforms.block_pointers.following import block_accesses
        from tritonopt.transforms.block_pointers.handed_blocks import handed_blocks
        from tritonopt.transforms.block_pointers.pointer_tiles import PointerTiles
        from tritonopt.transforms.block_pointers.returned_blocks import returned_blocks
        from tritonopt.transforms.writing import Writer

        changes: tuple[Change, ...] = ()
        message = ""
        with Attempt() as attempt:
            writer = Writer(facts)
            is_pointers = self.write == "pointers"
            handed = handed_blocks(facts, self) if is_pointers else None
            returned = returned_blocks(facts) if is_pointers else None
            if handed is not None:
                changes = tuple(handed.changes(attempt))
                what = "their parts, at each call of the helper,"
                message = handed.message
            elif returned is not None:
                changes = tuple(returned.changes(attempt))
                what = "the tiles of pointers and their masks"
                message = _message(*returned.proofs, others=returned.others)
            elif is_pointers:
                proof = prove_block_tiles(facts, writer, attempt, block_accesses(facts))
                changes = tuple(PointerTiles(facts, writer, proof).changes())
                what = "the tiles of pointers and their masks"
                message = _message(proof)
            else:
                proof = prove_block_tiles(facts, writer, attempt, block_accesses(facts))
                DescriptorLegality(facts, writer, proof.accesses, attempt).check()
                changes = tuple(Descriptors(facts, writer, proof.accesses).changes())
                what = "the descriptors, and an allocator at each launch"
                message = f"turned {_number(proof)} into tensor descriptors"
            attempt.prove("is-expressible", f"{what} can be written")
        advice = "write block pointers as pointers and masks: Triton 3.9 has none"
        yield Site.of(
            attempt,
            first,
            message,
            "kept the block pointers",
            needs={Safety.CONTRACT} if self.write == "descriptors" else (),
            changes=changes,
            advice=advice,
        )


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
