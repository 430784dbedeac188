"""fuse-stats: a sweep that needs the sum of an earlier one becomes part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.algebra.tiles import tiles_of
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.linear_fusion.linear_sums import LinearSum
    from tritonopt.transforms.loop_fusion.sweep_pairs import TwoSums

_ROW_THAT_GAINS = 16384
"""Elements from which on a row in several tiles was measured to gain; tiles above a quarter of
that, and those that grow with the row up to more than a sixteenth, hold most rows whole."""


@dataclass(frozen=True)
class _Worth:
    """What was measured of the case that a sweep is."""

    text: str
    pays: bool = True
    """Whether it does for rows that several tiles hold."""


def _worth(facts: KernelFacts, loop: Loop, formula: str) -> _Worth:
    one, long, short = (
        figure(f"fuse-stats {formula}, {case}") for case in ("one tile", "long rows", "short rows")
    )
    gain = f"{long} for rows of {_ROW_THAT_GAINS} elements and more"
    launches = tiles_of(facts, loop)
    for tiles in launches:
        if tiles.holds_row:
            return _Worth(
                f"a loss here, {one} {WHERE}: one tile holds the row at the launch in "
                f"{tiles.where}",
                pays=False,
            )
    aims = any(tiles.grows for tiles in launches)
    sizes = [tiles.size for tiles in launches if tiles.size is not None]
    if sizes and len(sizes) == len(launches):
        most = max(sizes)
        tile = f"up to {most}" if aims or min(sizes) < most else f"{most}"
        return _Worth(
            f"{gain} {WHERE}, {short} for shorter ones; a loss ({one}) for rows that one tile "
            f"holds, which has {tile} elements at the launch in {launches[0].where}",
            pays=most <= _ROW_THAT_GAINS // (16 if aims else 4),
        )
    if aims:
        return _Worth(
            f"a loss ({one} {WHERE}) for rows that one tile holds, which is what the launch in "
            f"{launches[0].where} aims at; {gain} that take several tiles",
            pays=False,
        )
    return _Worth(
        f"{gain} {WHERE} that take several tiles; a loss ({one}) where one tile holds the row. No "
        "launch that is seen tells which",
    )


@dataclass(frozen=True)
class FuseStats(Pass):
    """Merge the sweep that sums squared deviations into the sweep that sums.

    ## What it does

    A first sweep over a row adds up its elements, the kernel divides by their
    number, and a second sweep reads the row again to add up squared deviations
    from that mean. The pass lets the first sweep gather both, and removes the
    second.

    The option `formula` says how:

    - `shifted` (default): deviations are taken from the mean of the row's first
      tile, which is known before the sweep, and the difference between that and
      the true mean is taken out afterwards: with d = x - shift,
      sum (x - mean)^2 = sum d^2 - (sum d)^2 / n.
    - `moments`: sum x^2 - (sum x)^2 / n. One accumulator fewer, but all digits are
      lost when the mean is large against the deviation.
    - `welford`: every tile is centered on its own mean, and the means are merged
      into a running one (Chan, Golub, LeVeque 1979). Needs no first tile, so the
      row is read just once, but has two reductions in every iteration or more.

    A second sweep that adds something linear in what the first one gives, as a cross-entropy with
    probabilities does, is multiplied out: the sum of (lse - x) * p is lse times the sum of p, less
    the sum of x * p, and both can be gathered before lse is known. So that no digits cancel, the
    maximum that goes into lse is taken from both sides: (lse - largest) times the sum of p, and the
    sum of (largest - x) * p. A maximum that the first sweep is still looking for is taken as it is
    so far, and made up for when it grows. With `moments` nothing is taken away.

    ## Why

    A row that does not fit the cache is read once less from memory. Compilers
    do not merge loops, nor loads across them.

    A row that one tile holds is in registers for the second sweep, and merging costs time. A launch
    does not show how long its rows are, so under `all` the pass leaves them alone
    (`depends-on-the-shape`); it acts where it is named.

    ## Conditions

    The two sweeps are compared by what they compute, not by how they are
    written. Both must run over the same range with the same step, apart from
    iterations in which all is masked off, and read the same elements of the
    same buffers under the same mask, and by the same flags; nothing may store to
    that data, or to memory that may be that data, from the start of the first
    to the end of the second: what the first sweep stores and the second one
    reads back is rounded on the way. The center must be the sum of the first
    sweep over the number of elements that it adds (or over 1 where there are
    none: `tl.maximum(N, 1)`), unrounded; the weight must be 1 and
    masked lanes must add nothing; both accumulators start at 0 in fp32 or fp64,
    are not read in their loops, and the second sweep does nothing else. There
    may be no early exit, volatile load, atomic, barrier or call with unknown
    effects on the way. A sweep of two parts, a loop over full tiles and the last one apart, is
    left alone, and two loops of which one goes on where the other ends are one sweep
    (`already-done`). Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a round trip
    through a narrow type are left alone: someone matched another library's bits.

    Of a sum that is multiplied out (`accumulators-are-sums`) each number that is known too late
    goes in as a factor, once, through sums, differences, products and `tl.where`; a maximum is
    part of it, if anything is subtracted from it (`digits-may-cancel`); its coefficients are in
    fp32 or fp64; only the sum of all lanes is used; and where lanes are cleared by a choice, one
    is on in each iteration (`masked-off-lanes-count`). The second sweep is one loop of plain
    statements that does nothing else, and reads again what the first one reads.

    With `shifted` an `if` on the way to the tile must be one that the compiler
    knows, as in `if HAS_RESIDUAL`: the first tile is read under it too.

    Index arithmetic is taken not to overflow int32 (`no-int32-overflow`), and what is multiplied
    out not to leave the range of its type (`rounding-is-free`).

    ## Numerics

    Safety `rounding`, bits `reduction-order`: the mean keeps its bits as long as
    the compiler keeps the order of its sum; the variance changes in rounding, as does a sum that is
    multiplied out. Where the number that goes into that is infinite or NaN, the sum is no number
    either, but it may be NaN where it was infinite. A number that scales each term, as the
    reciprocal of a norm does, scales their sum instead: that overflows where the terms themselves
    do (x * x from 1.8e19 on), though scaled they did not, and loses what is too small for fp32.

    With `shifted` its error stays of the size it had, also where the mean is
    large against the deviation (1e4 and 1) and where an outlier is in the first
    tile; sums of one element at a time are declined, for a mean of one element
    is no mean. It grows with the number of tiles where the first one tells little of the
    mean: in a row of 66563 rising numbers, in tiles of 1024, the reciprocal of the standard
    deviation is off by 7e-6, where it was by 7e-8. `verify` says so; `welford` passes there.
    `welford` loses digits to the rounding of each tile's mean when
    the mean is large. `moments` loses all of them then, and overflows where x^2
    does.

    A row with inf or NaN gave a variance that is not finite, and still does; so
    may a row of fp32 whose squared deviations are within a factor of the number
    of tiles of the largest float. An empty row gives what it gave.

    `verify` calls it the same algebra, but for one form: where every addition is divided by the
    count, the original never computes the sum of squares, and the clamp asks for its sign.

    Squares that are weighted by what is loaded (`weighted`) are left alone. Without
    weights, the square of the difference between the shift and the mean is at most the number of
    tiles times the variance, so few digits cancel. Weights that are 0 in the first tile leave it
    unbounded: of 16384 elements around 1000 with deviation 1 and padding of 0 and weight 0 in the
    first tile of 1024, two sweeps have a relative error of 1e-8 in fp32, a merged one 7e-2; around
    10000 it is 25 times too large. A weighted mean as the shift is 0 / 0 there, and with weights of
    1e-6 as wrong; and weights of both signs give no mean to be near to.

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
    # Deviations are taken from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
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
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N
    ```

    ## Measured

    0.67x to 1.50x: mostly a gain on long rows in several tiles, a loss where one tile holds the
    row.

    Layer norm forward (`examples/layer_norm.py`) of 4096 rows on one H200, Triton 3.6, random
    data, cold L2, medians of 40 runs, original / merged (above 1 is faster). `BLOCK` and
    warps as in the rows; in the rows marked * one tile holds the row.

    In FlagGems, `var` and `var_mean` with tiles of 1024: 0.92x to 1.35x, a gain for rows of 4096, a
    loss for rows of 512 and 1024.

    | columns | BLOCK, warps | fp32: shifted, moments, welford | fp16 | bf16 |
    | --- | --- | --- | --- | --- |
    | 1024 | 256, 1 | 1.04, 1.00, 1.01 | 1.02, 0.99, 1.00 | 1.04, 1.02, 1.00 |
    | 1024 * | 1024, 4 | 1.04, 1.05, 1.03 | 0.95, 1.07, 0.94 | 0.92, 1.04, 0.91 |
    | 4096 | 256, 1 | 1.29, 1.28, 1.26 | 0.93, 0.97, 0.89 | 1.03, 1.09, 0.98 |
    | 4096 | 1024, 4 | 1.12, 1.10, 1.17 | 1.01, 1.09, 0.87 | 1.00, 1.09, 0.87 |
    | 4096 * | 4096, 8 | 0.97, 0.96, 0.99 | 0.80, 0.99, 0.79 | 0.81, 1.00, 0.84 |
    | 16384 | 256, 1 | 1.28, 1.29, 1.28 | 1.20, 1.26, 1.14 | 1.23, 1.30, 1.16 |
    | 16384 | 1024, 4 | 1.25, 1.23, 1.24 | 1.29, 1.33, 1.10 | 1.27, 1.32, 1.09 |
    | 16384 | 4096, 8 | 1.46, 1.16, 1.45 | 1.03, 1.24, 1.08 | 0.90, 1.10, 0.94 |
    | 16384 * | 16384, 16 | 0.91, 0.92, 0.93 | 0.67, 0.72, 0.71 | 0.67, 0.73, 0.72 |
    | 65536 | 256, 1 | 1.28, 1.29, 1.27 | 1.21, 1.28, 1.16 | 1.25, 1.32, 1.18 |
    | 65536 | 1024, 4 | 1.27, 1.27, 1.25 | 1.25, 1.28, 1.04 | 1.24, 1.28, 1.03 |
    | 65536 | 4096, 8 | 1.34, 1.30, 1.33 | 1.08, 1.24, 1.10 | 1.14, 1.29, 1.15 |
    | 65536 | 16384, 16 | 1.50, 1.41, 1.42 | 1.12, 1.00, 0.93 | 1.10, 0.99, 0.94 |

    A gain as a rule where rows of 16384 and more take several tiles (shifted: 0.90x to 1.50x);
    about even at 4096 columns (0.93x to 1.29x); a loss (0.67x to 1.04x) where one tile holds the
    row, for then there was no second read from memory to save. What the launches in the file show
    of the tiles is said with the site. Sums that are multiplied out were not measured. Script and
    full record: `benchmarks/fuse_stats_speed.py`, `benchmarks/results/`.
    """

    formula: Literal["shifted", "moments", "welford"] = "shifted"

    name: ClassVar[str] = "fuse-stats"
    summary: ClassVar[str] = "merge the mean sweep and the variance sweep into one"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("fuse-stats shifted, long rows"),
        f"{WHERE}, for rows of 16384 elements and more that take several tiles; a loss where one "
        "tile holds the row",
        "each row is read from memory once less",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.linear_fusion.linear_sums import linear_sum
        from tritonopt.transforms.loop_fusion.loop_nests import TwoSweeps, earlier_siblings
        from tritonopt.transforms.loop_fusion.sweep_pairs import TwoSums

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
                    # The first sweep that fits, else the one that came nearest to it.
                    yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    @property
    def _is_plain(self) -> bool:
        """Whether digits may cancel, as in the formula of this name."""
        return self.formula == "moments"

    def _multiplied_out(self, sum_: LinearSum) -> Site:
        """The site of a sum into which numbers of the first sweep go as factors."""
        from tritonopt.transforms.linear_fusion.linear_sums import prove_linear
        from tritonopt.transforms.linear_fusion.linear_sweep import LinearSweep
        from tritonopt.transforms.online_softmax.reads_saved import worth_of

        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            prove_linear(sum_, attempt, plain=self._is_plain)
            changes = tuple(LinearSweep(sum_).changes(attempt))
            attempt.prove("is-expressible", "what the merged sweep needs can be written there")
        first, second = sum_.sweeps.first, sum_.sweeps.second
        into = f"the loop in line {second.line} into the one in line {first.line}"
        worth = worth_of(sum_.facts, second)
        return Site.of(
            attempt,
            second.node,
            f"merged {into} (multiplied out)",
            f"did not merge {into}",
            needs={Safety.ROUNDING},
            bits=Bits.REDUCTION_ORDER,
            changes=changes,
            pays=worth.pays,
            depends=True,
            advice=f"merge {into} (multiplied out)",
            worth=worth.text,
        )

    def _examined(self, facts: KernelFacts, candidate: TwoSums) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        from tritonopt.transforms.loop_fusion.formulas import FORMULAS
        from tritonopt.transforms.loop_fusion.fused_loop import MergedSweep
        from tritonopt.transforms.loop_fusion.legality import prove_fusion

        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            fusion = prove_fusion(candidate, attempt)
            changes = tuple(MergedSweep(fusion).changes(FORMULAS[self.formula]))
            attempt.prove("is-expressible", "what the merged sweep needs can be written there")
        first, second = candidate.sweeps.first, candidate.sweeps.second
        worth = _worth(facts, second, self.formula)
        into = f"the loop in line {second.line} into the one in line {first.line}"
        return Site.of(
            attempt,
            second.node,
            f"merged {into} ({self.formula} formula). Measured: {worth.text}",
            f"did not merge {into}",
            needs={Safety.ROUNDING},
            bits=Bits.REDUCTION_ORDER,
            changes=changes,
            pays=worth.pays,
            depends=True,  # no launch shows how long its rows are
            advice=f"merge {into} ({self.formula} formula)",
            worth=worth.text,
        )
