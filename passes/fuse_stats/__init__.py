"""fuse-stats: a sweep that needs the sum of an earlier one becomes part of it.

`linear_sums` shows that it may, and `linear_sweep` writes the one sweep.

`legality` shows that they may and says what it rests on; the other modules write the merged sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.emit.sweeps import TwoSums
    from tritonopt.facts.loop_nests import TwoSweeps
    from tritonopt.passes.fuse_stats.linear_sums import LinearSum


_SUMS = {
    "shifted": "sums of x minus the mean of the first tile",
    "moments": "sums of x and of its square",
}


@dataclass(frozen=True)
class FuseStats(Pass):
    """Compute a variance in the loop that computes the mean, instead of in a second loop.

    ## What it does

    A first loop sums a row, which gives its mean; a second loop reads the row again and sums
    squared deviations. The pass computes both sums in the first loop. The option `formula` is one
    of:

    - `shifted` (default): with `d = x - shift`, where `shift` is the mean of the first tile, `sum
      (x - mean)^2 = sum d^2 - (sum d)^2 / n`.
    - `moments`: `sum x^2 - (sum x)^2 / n`. It needs one accumulator fewer, but loses all digits if
      the mean is much larger than the deviation.

    The pass also merges a second loop whose sum is linear in results of the first loop, by
    expanding the sum: in a cross-entropy with probabilities, `sum (lse - x) * p` becomes `(lse -
    largest) * sum p + sum (largest - x) * p`. Subtracting the maximum `largest`, which is a part of
    lse, prevents cancellation. If the first loop computes `largest`, the running maximum is used,
    and the sum is corrected when the maximum grows. `moments` subtracts no maximum.

    ## Why

    A row that exceeds the cache is read from memory one time less; compilers do not merge loops. If
    one tile holds the row, the row stays in registers, and merging costs time. So the pass runs if
    it is named, or if the launch shows long rows of many tiles.

    ## Conditions

    - Both loops have the same trip count, not counting iterations without active lanes, and read
      the same elements under the same mask and load options.
    - No store may alias these elements from the start of the first loop to the end of the second.
      There is no early exit, volatile load, atomic, barrier or unknown call.
    - The mean is the unrounded sum divided by the count, or by `tl.maximum(N, 1)`. The squares are
      not weighted, and inactive lanes add 0.
    - Both accumulators start at 0 in fp32 or fp64 and are not read in their loops. The second loop
      does nothing else.
    - With `shifted`, an `if` around the load of a tile has a compile-time condition, such as `if
      HAS_RESIDUAL`.

    Declined: a loop over full tiles with a separate last tile; a loop that continues the first one
    (`already-done`); kernels with pinned rounding (`div_rn`, `sqrt_rn`, `fdiv`, round trips through
    a narrow type).

    The expansion of a linear sum has more conditions:

    - Each addend is a sum, difference, product or `tl.where` in which every term has at most one
      result of the first loop as a factor (`accumulators-are-sums`). If elements are subtracted
      from such a result, it must contain a maximum (`digits-may-cancel`).
    - Coefficients are fp32 or fp64. Only the sum of all lanes is used.
    - If `tl.where` clears lanes, each iteration has an active lane (`masked-off-lanes-count`).
    - The second loop contains no other loop and no branch.

    Assumed: indices fit int32 (`no-int32-overflow`), expanded products fit their type
    (`rounding-is-free`).

    ## Numerics

    Safety `rounding`, bits `reduction-order`. The mean keeps its bits if the compiler keeps the
    order of its sum. `verify` reports `same algebra`, unless the original divides each addend by
    the count: then only the rewritten version has the sum that it clamps at 0.

    - With `shifted` the error is as large as the original's, even with mean 1e4 and deviation 1, or
      one outlier in the first tile. If the mean of the first tile is far from that of the row, the
      error grows with the number of tiles: for 66563 rising numbers in tiles of 1024, the relative
      error of the reciprocal standard deviation is 7e-6 instead of 7e-8. `verify` rejects this.
      `shifted` declines loops over single elements.
    - `moments` overflows where x^2 does.
    - A variance of inf or NaN stays inf or NaN. An fp32 variance may newly overflow if the squared
      deviations times the number of tiles exceed the largest float. Empty rows keep their result.
    - An expanded sum of inf may become NaN. A factor, such as a reciprocal norm, multiplies the sum
      instead of each term: the sum overflows if unscaled terms do (x * x from 1.8e19 on), and loses
      terms that are too small for fp32.
    - Weighted squares are declined (`different-elements`), because `shifted` can lose all digits.

    ## Example

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    ```

    becomes

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.minimum(N, BLOCK)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        squares += deviation * deviation
    mean = tl.sum(total, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(squares, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)
    var = m2 / N
    ```

    ## Measured

    0.67x to 1.50x: mostly a gain on long rows in several tiles, a loss where one tile holds the
    row.

    Layer norm forward (`examples/layer_norm.py`), 4096 random rows, one H200, Triton 3.6, cold L2,
    medians of 40 runs, original / merged. In rows marked * one tile holds the row.

    | columns | BLOCK, warps | fp32: shifted, moments | fp16 | bf16 |
    | --- | --- | --- | --- | --- |
    | 1024 | 256, 1 | 1.04, 1.00 | 1.02, 0.99 | 1.04, 1.02 |
    | 1024 * | 1024, 4 | 1.04, 1.05 | 0.95, 1.07 | 0.92, 1.04 |
    | 4096 | 256, 1 | 1.29, 1.28 | 0.93, 0.97 | 1.03, 1.09 |
    | 4096 | 1024, 4 | 1.12, 1.10 | 1.01, 1.09 | 1.00, 1.09 |
    | 4096 * | 4096, 8 | 0.97, 0.96 | 0.80, 0.99 | 0.81, 1.00 |
    | 16384 | 256, 1 | 1.28, 1.29 | 1.20, 1.26 | 1.23, 1.30 |
    | 16384 | 1024, 4 | 1.25, 1.23 | 1.29, 1.33 | 1.27, 1.32 |
    | 16384 | 4096, 8 | 1.46, 1.16 | 1.03, 1.24 | 0.90, 1.10 |
    | 16384 * | 16384, 16 | 0.91, 0.92 | 0.67, 0.72 | 0.67, 0.73 |
    | 65536 | 256, 1 | 1.28, 1.29 | 1.21, 1.28 | 1.25, 1.32 |
    | 65536 | 1024, 4 | 1.27, 1.27 | 1.25, 1.28 | 1.24, 1.28 |
    | 65536 | 4096, 8 | 1.34, 1.30 | 1.08, 1.24 | 1.14, 1.29 |
    | 65536 | 16384, 16 | 1.50, 1.41 | 1.12, 1.00 | 1.10, 0.99 |

    `shifted` with several tiles: 0.90x to 1.50x for 16384 columns and more, 0.93x to 1.29x for
    4096; with one tile 0.67x to 1.04x. FlagGems `var` and `var_mean`, tiles of 1024: 0.92x to
    1.35x, faster for rows of 4096, slower for 512 and 1024. Expanded sums, fp32: 1.27x to 1.31x for
    rows of 16384 and more, 0.98x to 0.99x for 4096. Record: `benchmarks/fuse_stats_speed.py`.
    """

    formula: Literal["shifted", "moments"] = "shifted"

    name: ClassVar[str] = "fuse-stats"
    summary: ClassVar[str] = "compute mean and variance in one loop over the row"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("fuse-stats shifted, long rows"),
        f"{WHERE}, for rows of 16384 elements and more that take several tiles; a loss where one "
        "tile holds the row",
        "each row is read from memory one time less",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.emit.sweeps import TwoSums
        from tritonopt.facts.loop_nests import TwoSweeps, earlier_siblings
        from tritonopt.passes.fuse_stats.linear_sums import linear_sum

        for second, candidates in earlier_siblings(facts):
            for name in sorted(second.carried):
                found = [
                    candidate
                    for first in candidates
                    if (candidate := TwoSums(TwoSweeps(facts, first, second), name)).is_site
                ]
                examined = [self._examined(facts, candidate) for candidate in found]
                if not any(not site.failed for site in examined):
                    pairs = (TwoSweeps(facts, first, second) for first in candidates)
                    sums = (linear_sum(pair, name, plain=self._is_plain) for pair in pairs)
                    linear = [self._multiplied_out(sum_) for sum_ in sums if sum_ is not None]
                    done = [site for site in linear if not site.failed]
                    examined = done[:1] or linear or examined
                if examined:
                    # The first loop that fits, else the one that came nearest to it.
                    yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    @property
    def _is_plain(self) -> bool:
        """Whether digits may cancel, as in the formula of this name."""
        return self.formula == "moments"

    def _multiplied_out(self, sum_: LinearSum) -> Site:
        """The site of a sum into which numbers of the first loop go as factors."""
        from tritonopt.passes.fuse_stats.linear_sums import prove_linear
        from tritonopt.passes.fuse_stats.linear_sweep import LinearSweep

        with Attempt() as attempt:
            prove_linear(sum_, attempt, plain=self._is_plain)
            changes = LinearSweep(sum_).changes(attempt)
            attempt.write(changes, "all values of the merged loop can be written there")
        return _site(attempt, sum_.sweeps, "multiplied out", _expanded(), "fuse-stats, expanded")

    def _examined(self, facts: KernelFacts, candidate: TwoSums) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        from tritonopt.emit.sweep_legality import prove_fusion
        from tritonopt.passes.fuse_stats.formulas import FORMULAS
        from tritonopt.passes.fuse_stats.fused_loop import MergedSweep

        with Attempt() as attempt:
            fusion = prove_fusion(candidate, attempt)
            changes = MergedSweep(fusion).changes(FORMULAS[self.formula])
            attempt.write(changes, "all values of the merged loop can be written there")
        how, measured = f"{self.formula} formula, {_SUMS[self.formula]}", _measured(self.formula)
        return _site(attempt, candidate.sweeps, how, measured, "fuse-stats")


def _site(attempt: Attempt, sweeps: TwoSweeps, how: str, measured: str, rewrite: str) -> Site:
    """The site of the second loop, as the attempt to merge it came out."""
    into = f"the loop in line {sweeps.second.line} into the one in line {sweeps.first.line}"
    return Site.of(
        attempt,
        sweeps.second.node,
        f"merged {into} ({how}): {measured}",
        f"did not merge {into}",
        needs={Safety.ROUNDING},
        bits=Bits.REDUCTION_ORDER,
        profit=profit(sweeps.facts, rewrite, loop=sweeps.second),
        advice=f"merge {into} ({how})",
    )


def _expanded() -> str:
    long, short = (figure(f"fuse-stats, expanded sums, {rows} rows") for rows in ("long", "short"))
    return f"{long} {WHERE} for rows of 16384 elements and more, {short} for 4096"


def _measured(formula: str) -> str:
    one, long, short = (
        figure(f"fuse-stats {formula}, {case}") for case in ("one tile", "long rows", "short rows")
    )
    return (
        f"{long} {WHERE} for rows of several tiles if they are long, {short} if shorter, "
        f"{one} for rows of one tile"
    )
