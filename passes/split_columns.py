"""split-columns: a kernel that holds a row in one tile gets another for rows that are long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.column_tiles.row_statements import OneTileRow


@dataclass(frozen=True)
class SplitColumns(Pass):
    """Go through rows that are too long for one tile in loops over their columns.

    ## What it does

    A kernel without loops, in which one tile holds a row (`BLOCK=triton.next_power_of_2(n)`), stays
    as it is. Behind it a kernel for long rows is written, which goes through the row in tiles of
    `block` elements: a loop for the sums and extremes, one more for those that need the results of
    the first, and a last one that stores. What a loop needs it loads again. Each launch decides by
    the length of the tile: `if BLOCK > 65536:`.

    Options:

    - `longest` (65536): the longest tile that the kernel keeps; a power of two.
    - `block` (4096): the tile of longer rows; a power of two, at most `longest`.

    It is the inverse of `one-tile`. Where two loops of what it makes could be one, `fuse-stats` and
    `online-softmax` find that.

    ## Why

    A tile of tens of thousands of elements does not fit the registers, and one of more than 1048576
    is none that Triton takes. Loops read the row two or three times, which costs less than that.

    ## Conditions

    The kernel has no loops and one length of tiles, which is a constexpr that says nothing else
    (`not-lane-by-lane`). All that is done to tiles is done lane by lane (`not-lane-by-lane`), or
    is a sum, a maximum or a minimum of the whole row. Loads and stores of tiles are masked by one
    length of the row (`length-matters`), and lanes behind it add nothing to what is reduced
    (`masked-off-lanes-count`). The type of what is reduced is known, and for a sum it is of 32
    bits or more (`accumulator-is-narrow`).

    Loads are done again, and stores of tiles wait for the last loop: so nothing that is stored is
    loaded, but by the same lane before (`data-may-change`). No helper stores, nothing orders memory
    (`order-is-seen`), and the kernel is not left behind its first tile (`early-exit`). A name is a
    tile or a number throughout (`rows-differ`).

    Every launch is seen, is a statement of its own in the kernel's file with a grid that is written
    there, and passes the length of the tile, which no tuner or heuristic chooses; it is shown that
    this is never shorter than the row (`row-may-be-longer`): of a longer one the kernel would have
    seen the beginning alone. Where a launcher turns long rows away, it still does.

    ## Numerics

    The safety is `contract`, for the launches change with the kernel. Sums of floats are taken in
    another order for long rows (`rounding`); 0 times something counts as 0 in lanes behind the end
    of the row. For maxima and minima it is taken that no row is NaN throughout
    (`nan-rows-are-the-same`): in a row of as many elements as its tile such a maximum was NaN, and
    is -inf now, as it was in rows of other lengths. Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a
    round trip through a narrow type that add up floats are left alone: someone matched another
    library's bits.

    ## Example

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        y = e / tl.sum(e, axis=0)
        tl.store(Y + row * stride + cols, y, mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        block = triton.next_power_of_2(n)
        softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        y = e / tl.sum(e, axis=0)
        tl.store(Y + row * stride + cols, y, mask=cols < N)


    # softmax_kernel for rows that are long, tile by tile.
    @triton.jit
    def softmax_kernel_long(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        _x_max = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
            _x_max = tl.maximum(_x_max, x)
        x_max = tl.max(_x_max, axis=0)
        _e_sum = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
            e = tl.exp(x - x_max)
            _e_sum += e
        e_sum = tl.sum(_e_sum, axis=0)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
            e = tl.exp(x - x_max)
            y = e / e_sum
            tl.store(Y + row * stride + cols, y, mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        block = triton.next_power_of_2(n)
        if block > 65536:
            softmax_kernel_long[(m,)](x, y, x.stride(0), n, BLOCK=4096)
        else:
            softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=block)
        return y
    ```

    ## Measured

    0.52x to 0.80x for softmax and layer norm of rows that one tile can hold, 0.85x to 3.41x for
    layer norm backward.

    Rows of 8192 to 65536 elements in fp32 and a tile of 4096 in the loop, on one H200, Triton 3.6,
    cold L2 (`benchmarks/column_tiles_speed.py`). One tile with enough warps reads each row once,
    and is the better one for softmax and layer norm while it is possible: so `longest` is 65536.
    Layer norm backward has more values than registers from 32768 elements on; name
    `longest=16384` for such. Loops over rows of 131072 and 262144 elements have 0.43 to 0.48 of
    the bandwidth of a copy, 0.49 to 0.60 where `online-softmax` or `fuse-stats` has merged two of
    them, and 0.27 in layer norm backward.
    """

    longest: int = 65536
    block: int = 4096

    name: ClassVar[str] = "split-columns"
    summary: ClassVar[str] = "loop over the columns of rows that are too long for one tile"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )

    def __post_init__(self) -> None:
        for name, number in (("longest", self.longest), ("block", self.block)):
            if number < 16 or number & (number - 1):
                raise PassSelectionError(
                    f"split-columns: {name} cannot be {number}; write a power of two, 16 or more"
                )
        if self.block > self.longest:
            raise PassSelectionError(
                f"split-columns: block cannot be {self.block}, which is above longest"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.column_tiles.long_rows import is_done
        from tritonopt.transforms.column_tiles.row_statements import one_tile_row

        row = one_tile_row(facts)
        if row is not None and not is_done(row, self.longest):
            yield self._examined(row)

    def _examined(self, row: OneTileRow) -> Site:
        from tritonopt.transforms.column_tiles.column_proof import prove_column_tiles
        from tritonopt.transforms.column_tiles.long_rows import prove_launches
        from tritonopt.transforms.pinned_rounding import check_pins
        from tritonopt.transforms.promised_order import assume_free_order

        changes: tuple[Change, ...] = ()
        rounds = False
        with Attempt() as attempt:
            columns = prove_column_tiles(row, attempt)
            rounds = columns.rounds
            if rounds:
                attempt.need(Safety.ROUNDING)
                assume_free_order(attempt, row.facts)
                check_pins(attempt, row.facts)
            if columns.compares:
                detail = "no row is NaN throughout, whose largest or least is asked for"
                attempt.assume("nan-rows-are-the-same", detail)
            rows = prove_launches(row, self.longest, self.block, attempt)
            changes = tuple(rows.changes(columns))
            attempt.prove("is-expressible", "the loops and the launches can be written")
        return Site.of(
            attempt,
            row.lanes[0] if row.lanes else row.facts.kernel.node,
            f"made a kernel for rows above {self.longest} elements, in tiles of {self.block}",
            "left rows of any length to one tile",
            needs={Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER if rounds else Bits.SAME,
            changes=changes,
            pays=False,
            advice=f"go through rows above {self.longest} elements in tiles of {self.block}",
        )
