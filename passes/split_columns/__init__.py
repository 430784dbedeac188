"""split-columns: a kernel that holds a row in one tile gets another for rows that are long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.passes.split_columns.column_proof import OneTileRow


@dataclass(frozen=True)
class SplitColumns(Pass):
    """Add a kernel with loops over columns for rows too long for one tile.

    ## What it does

    For a kernel in which one tile holds a row (`BLOCK=triton.next_power_of_2(n)`), the pass adds a
    kernel that handles long rows in tiles of `block` elements: a first loop computes sums and
    extremes, a second computes those that depend on results of the first, a last loop stores. Each
    loop reloads its inputs. The original kernel stays, and launches choose by the tile length: `if
    BLOCK > 65536:`.

    - `longest` (65536): the longest tile for which the original kernel is launched, a power of two.
    - `block` (4096): the tile length for longer rows, a power of two up to `longest`.

    `one-tile` does the opposite; `fuse-stats` and `online-softmax` may merge the new loops.

    ## Why

    Tiles of tens of thousands of elements exceed the registers, which costs more than reading the
    row two or three times; Triton rejects tiles above 1048576 elements. The pass runs only if it is
    named.

    ## Conditions

    - The kernel has no loops and one tile length, a constexpr without other use. Tiles are computed
      lane by lane, or reduced over the row by sum, maximum or minimum (`not-lane-by-lane`).
    - One row length masks all loads and stores of tiles (`length-matters`); lanes past it do not
      affect reductions (`masked-off-lanes-count`). The types of reduced values are known; sums have
      32 bits or more (`accumulator-is-narrow`).
    - No stored element is loaded, except earlier by the same lane (`data-may-change`), because
      loads are repeated and stores move to the last loop. Helpers do not store, no barrier or
      atomic orders memory (`order-is-seen`), and there is no exit after the first tile
      (`early-exit`). A name is always a tile or always a scalar (`rows-differ`).
    - Launches are statements in the kernel's file with a grid tuple. No tuner or heuristic chooses
      the tile length, which provably covers the row (`row-may-be-longer`). A launcher that rejects
      long rows still does.

    ## Numerics

    Safety `contract`, because launches change. For long rows floats are added in another order
    (`rounding`), and in lanes past the end we take 0 times any number as 0. Maxima and minima
    assume that no row is entirely NaN (`nan-rows-are-the-same`): the maximum of such a row was NaN
    if it filled its tile, -inf otherwise; now it is -inf. Kernels that sum floats with pinned
    rounding (`div_rn`, `sqrt_rn`, `fdiv`, a round trip through a narrow type) are declined.

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


    # softmax_kernel for long rows, tile by tile.
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

    Rows of 8192 to 65536, fp32, tiles of 4096, one H200, Triton 3.6, cold L2, original / rewritten
    (`benchmarks/column_tiles_speed.py`). Softmax and layer norm are faster in one tile with enough
    warps, which reads rows once; so the default is `longest=65536`. Layer norm backward exceeds the
    registers from 32768 on; use `longest=16384`. Rows of 131072 and 262144 reach 0.43 to 0.48 of
    copy bandwidth, 0.49 to 0.60 after `online-softmax` or `fuse-stats`, 0.27 in layer norm
    backward.
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
        from tritonopt.passes.split_columns.column_proof import one_tile_row
        from tritonopt.passes.split_columns.long_rows import is_done

        row = one_tile_row(facts)
        if row is not None and not is_done(row, self.longest):
            yield self._examined(row)

    def _examined(self, row: OneTileRow) -> Site:
        from tritonopt.facts.precision import check_pins
        from tritonopt.passes.split_columns.column_proof import prove_column_tiles
        from tritonopt.passes.split_columns.long_rows import prove_launches
        from tritonopt.rewriting.promised_order import add_in_another_order

        with Attempt() as attempt:
            columns = prove_column_tiles(row, attempt)
            if columns.rounds:
                add_in_another_order(attempt, row.facts)
                check_pins(attempt, row.facts)
            if columns.compares:
                detail = "no row whose maximum or minimum is computed is all NaN"
                attempt.assume("nan-rows-are-the-same", detail)
            rows = prove_launches(row, self.longest, self.block, attempt)
            attempt.write(rows.changes(columns), "the loops and the launches can be written")
        return Site.of(
            attempt,
            row.lanes[0] if row.lanes else row.facts.kernel.node,
            f"added a kernel for rows above {self.longest} elements, with tiles of {self.block}",
            "did not add a kernel for long rows",
            needs={Safety.CONTRACT},
            advice=(
                f"add a kernel for rows above {self.longest} elements, with tiles of {self.block}"
            ),
        )
