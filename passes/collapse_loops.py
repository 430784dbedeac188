"""collapse-loops: nested loops over images, rows and tiles become one loop over tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.collapsing.index_nests import Nest


@dataclass(frozen=True)
class CollapseLoops(Pass):
    """Go through all elements of nested loops in one loop over tiles.

    ## What it does

    `for n in range(N):` and `for h in range(H):` around a loop over the tiles of a row become one
    loop over tiles of all `N * H * W` elements. A tile holds elements of several rows then; each
    lane recovers its own indices by `//` and `%`. What was masked by the end of the row is masked
    by the end of all rows. Where rows lie side by side, as the offsets say (`n * W + w`), there is
    nothing to recover: the offset is the place among all elements.

    A tile has as many elements as the option `block` says (1024). The kernel gets a constexpr for
    that, so launches stay as they are; tiles of other accumulators of the nest grow with it.

    ## Why

    Where rows are short most lanes of a tile are masked off, and each turn waits for a load of few
    elements: a batch norm over images of 28 by 28 has turns of 28 elements. The price is two
    divisions of integers for each element and loop, where rows do not lie side by side, and loads
    of which the compiler does not know that they are contiguous; where a row fills its tiles there
    is nothing to gain.

    ## Conditions

    The loops are counted by `range` or `tl.range`, the outer ones one by one, each to a number that
    is the same in all turns of those around it; between them stand nothing but assignments of
    numbers (`loop-does-more`). The innermost one goes over the tiles of a row, and gives the places
    of its lanes a name (`cols = start + tl.arange(0, BLOCK)`). All that it computes with these is
    computed lane by lane: the length of the tile, or a tile from outside, is used for nothing else
    (`not-lane-by-lane`), and no helper is called.

    Loads and stores are masked off behind the end of the row (`length-matters`). What is carried
    are sums, maxima and minima, of numbers or of tiles that are reduced behind the nest and
    nowhere else; lanes behind the end of the row change nothing in them (`masked-off-lanes-count`).

    Elements of the nest do not share memory: what is stored is loaded for the same element only,
    and each store goes to another place, or the same value depends on nothing but what is loaded
    at the same offset (`dependence-between-iterations`). An element is held by another thread than
    before, so nothing else in the kernel touches what the nest stores, or stores what it loads
    (`threads-exchange-data`).

    Names of the nest are not read behind it. Sizes are taken to be 0 or more, and the number of all
    elements to be below 2**31 (`no-int32-overflow`).

    ## Numerics

    `exact` where nothing but integers is added up: the same operations on the same elements. Sums
    of floats are taken in another order (`rounding`, bits `reduction-order`); 0 times something
    counts as 0, so where a lane behind the end of a row multiplies 0 by infinity, NaN may come or
    go. Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a round trip through a narrow type are left
    alone then: someone matched another library's bits.

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

    Where the offsets were `(n * H + h) * W + w`, they are `place`, and no index is recovered.

    ## Measured

    3.49x to 18.27x for batch norm of images of 7 by 7 to 224 by 224, 1.03x to 11.22x where rows lie
    side by side.

    One H200, Triton 3.6, cold L2, fp32 (`benchmarks/column_tiles_speed.py`; rows of 9 to 12544
    elements that lie side by side, of which the shortest gain most). Blocks of 4096 are as good or
    better nearly everywhere; blocks of 256 lose where rows fill them (0.51x to 12.70x).
    """

    block: Literal[64, 128, 256, 512, 1024, 2048, 4096] = 1024

    name: ClassVar[str] = "collapse-loops"
    summary: ClassVar[str] = "go through short rows of nested loops in one loop over tiles"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.collapsing.index_nests import index_nests

        for nest in index_nests(facts):
            whole = site = self._examined(nest)
            inner = nest.inner()
            while site.failed and inner is not None:
                site = self._examined(inner)
                inner = inner.inner()
            yield whole if site.failed else site

    def _examined(self, nest: Nest) -> Site:
        from tritonopt.transforms.collapsing.flat_loop import FlatLoop
        from tritonopt.transforms.collapsing.nest_proof import prove_nest
        from tritonopt.transforms.promised_order import assume_free_order

        changes: tuple[Change, ...] = ()
        rounds = False
        with Attempt() as attempt:
            collapse = prove_nest(nest, attempt)
            rounds = collapse.rounds
            if rounds:
                attempt.need(Safety.ROUNDING)
                assume_free_order(attempt, nest.facts)
            changes = FlatLoop(collapse, self.block).changes()
            detail = "the number of all elements, and a tile more, stays below 2**31"
            attempt.assume("no-int32-overflow", detail)
            attempt.prove("is-expressible", "the one loop can be written")
        lines = " and ".join(str(loop.line) for loop in nest.loops)
        return Site.of(
            attempt,
            nest.first,
            f"made the loops in lines {lines} one loop over tiles of {self.block} elements",
            f"left the loops in lines {lines} as they are",
            bits=Bits.REDUCTION_ORDER if rounds else Bits.SAME,
            changes=changes,
            pays=False,
            advice=f"make the loops in lines {lines} one loop over tiles",
        )
