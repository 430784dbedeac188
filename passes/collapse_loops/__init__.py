"""collapse-loops: nested loops over images, rows and tiles become one loop over tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.passes.collapse_loops.index_nests import Nest


@dataclass(frozen=True)
class CollapseLoops(Pass):
    """Collapse nested loops into one loop over tiles of all elements.

    ## What it does

    `for n in range(N):` and `for h in range(H):` around a loop over the tiles of a row of `W`
    elements become one loop over tiles of all `N * H * W` elements. A tile spans several rows; each
    lane computes its `n`, `h` and `w` by `//` and `%`. The mask compares with the number of all
    elements. If the rows are contiguous (`n * W + w`), the offset is the flat index and needs no
    `n`, `h`, `w`.

    `block` (1024) is the number of elements of a tile, a constexpr in the kernel; launches do not
    change. Tiles of accumulators get the same length.

    ## Why

    Short rows leave most lanes inactive, and each iteration waits for a small load, such as 28
    elements of a 28 by 28 image. The cost is two integer divisions per element and loop, unless
    rows are contiguous, and narrower loads, because the compiler cannot prove that they are
    contiguous. Rows that fill their tiles gain nothing. The pass runs only if it is named.

    ## Conditions

    - The loops are over `range` or `tl.range`. The outer loops have step 1, and bounds that do not
      change in the nest; between the loops there are only scalar assignments (`loop-does-more`).
      The innermost loop runs over the tiles of a row and binds its indices to a name (`cols = start
      + tl.arange(0, BLOCK)`).
    - The tile length, and tiles from outside of the nest, are only used for these indices;
      everything else is computed lane by lane (`not-lane-by-lane`), without helpers.
    - Loads and stores are masked past the row's end (`length-matters`). Only sums, maxima and
      minima are carried, of scalars or of tiles reduced only after the nest; lanes past the end do
      not affect them (`masked-off-lanes-count`).
    - A stored element is loaded only in the iteration that stores it. Stores go to distinct
      addresses, or the stored value depends only on elements loaded at the same offset
      (`dependence-between-iterations`). Outside of the nest the kernel does not access elements
      that the nest stores, nor store elements that it loads, since other threads now hold them
      (`threads-exchange-data`).
    - Names of the nest are not read after it.

    Assumed: sizes are not negative, and all elements are fewer than 2**31 (`no-int32-overflow`).

    ## Numerics

    `exact` if only integers are summed. Float sums change their order (`rounding`, bits
    `reduction-order`). We take 0 times any number as 0: if a lane past the end of a row multiplies
    0 by infinity, a NaN may appear or vanish. Kernels with pinned rounding (`div_rn`, `sqrt_rn`,
    `fdiv`, a round trip through a narrow type) are then declined.

    ## Example

    ```python
    @triton.jit
    def sum_of_images(X, Y, N, H, W, stride_n, stride_h, BLOCK: tl.constexpr):
        total = 0.0
        for n in range(N):
            for h in range(H):
                for w_start in range(0, W, BLOCK):
                    w = w_start + tl.arange(0, BLOCK)
                    offsets = n * stride_n + h * stride_h + w
                    x = tl.load(X + offsets, mask=w < W, other=0.0).to(tl.float32)
                    total += tl.sum(x, axis=0)
        tl.store(Y, total)
    ```

    becomes

    ```python
    @triton.jit
    def sum_of_images(X, Y, N, H, W, stride_n, stride_h, BLOCK: tl.constexpr):
        FLAT_BLOCK: tl.constexpr = 1024
        total = 0.0
        for start in range(0, N * H * W, FLAT_BLOCK):
            place = start + tl.arange(0, FLAT_BLOCK)
            n = place // (H * W)
            h = place // W % H
            w = place % W
            offsets = n * stride_n + h * stride_h + w
            x = tl.load(X + offsets, mask=place < N * H * W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
        tl.store(Y, total)
    ```

    Offsets `(n * H + h) * W + w` become `place`, without recovered indices.

    ## Measured

    3.49x to 18.27x for batch norm of images of 7 by 7 to 224 by 224, 1.03x to 11.22x for contiguous
    rows.

    One H200, Triton 3.6, cold L2, fp32, original / rewritten (`benchmarks/column_tiles_speed.py`).
    The contiguous rows have 9 to 12544 elements; the shortest gain most. Blocks of 4096 are as good
    or better nearly everywhere; blocks of 256 lose where rows fill them (0.51x to 12.70x).
    """

    block: Literal[64, 128, 256, 512, 1024, 2048, 4096] = 1024

    name: ClassVar[str] = "collapse-loops"
    summary: ClassVar[str] = "collapse nested loops over short rows into one loop over tiles"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.passes.collapse_loops.index_nests import index_nests

        for nest in index_nests(facts):
            whole = site = self._examined(nest)
            inner = nest.inner()
            while site.failed and inner is not None:
                site = self._examined(inner)
                inner = inner.inner()
            yield whole if site.failed else site

    def _examined(self, nest: Nest) -> Site:
        from tritonopt.passes.collapse_loops.flat_loop import FlatLoop
        from tritonopt.passes.collapse_loops.nest_proof import prove_nest
        from tritonopt.rewriting.promised_order import add_in_another_order

        with Attempt() as attempt:
            collapse = prove_nest(nest, attempt)
            if collapse.rounds:
                add_in_another_order(attempt, nest.facts)
            changes = FlatLoop(collapse, self.block).changes()
            detail = "the number of all elements, and a tile more, stays below 2**31"
            attempt.assume("no-int32-overflow", detail)
            attempt.write(changes, "the one loop can be written")
        lines = " and ".join(str(loop.line) for loop in nest.loops)
        return Site.of(
            attempt,
            nest.first,
            f"collapsed the loops in lines {lines} into one loop over tiles of {self.block} "
            "elements",
            f"did not collapse the loops in lines {lines}",
            advice=f"make the loops in lines {lines} one loop over tiles",
        )
