"""online-softmax: the sweep for the maximum and the sweep for the exponentials become one.

`online_legality` shows that they may, and `online_sweep` writes the one sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.passes.online_softmax.exponentials import Candidate


@dataclass(frozen=True)
class OnlineSoftmax(Pass):
    """Compute the maximum and the sum of exponentials of a row in one loop.

    ## What it does

    A softmax over several tiles computes the maximum of a row in one loop and sums exponentials in
    a second loop. The pass does both in one loop: if a tile raises the maximum, the sum so far is
    rescaled by `exp(old - new)`. The loop that writes the result stays. The pass also applies to
    log-softmax, logsumexp and cross-entropy.

    ## Why

    A row that exceeds the cache is read from memory one time less; compilers do not merge loops. If
    one tile holds the row, no read is saved and rescaling costs time. So, if it is not named, the
    pass skips kernels whose launches make the tile as long as the row.

    ## Conditions

    - Both loops have the same trip count and read the same elements, with the same values in
      inactive lanes. No store may alias these from the start of the first loop to the end of the
      second. There is no early exit, volatile load, atomic, barrier or unknown call.
    - The first loop carries a maximum that starts at -inf or a finite number: a scalar, one per row
      of a tile, or a tile reduced after the loop.
    - The second loop adds `exp(x - m)`, `exp2((x - m) * c)` with a positive constant c, or an
      equivalent expression; x may be scaled, if m is the maximum of the scaled x. Lanes that
      `tl.where` clears have one constant in the maximum.
    - The sum starts at 0, has the type of the maximum (fp32 or fp64), and has one value per
      maximum, or lanes summed after the loop along the same axes.
    - The second loop does nothing else, and is removed. If it also does other work, the first loop
      is removed instead: it must only compute the maximum, which, before the second loop ends, must
      only be used by the sum.

    Declined: weighted sums; a second sum with the same maximum; kernels with pinned rounding
    (`div_rn`, `sqrt_rn`, `fdiv`, round trips through a narrow type). If a name or a comment in the
    file promises determinism, batch invariance or a fixed order, the safety is `assumption`.

    Assumed: indices fit int32 (`no-int32-overflow`).

    ## Numerics

    Safety `rounding`, bits `reduction-order`. The maximum keeps its bits; each tile that raises it
    rounds the sum once more. Exponents stay at most 0. `exp2(x * c - m * c)` becomes `exp2((x - m)
    * c)`, which can be finite where x * c overflowed.

    Rows with NaN or inf give NaN, as before. While the maximum is -inf, 0 is subtracted, since
    `-inf - -inf` is NaN. The sum of a row of only -inf was NaN and is made NaN after the loop,
    unless every use is NaN anyway, as `exp(x - m) / total` is. An empty row keeps the sum 0. A
    maximum that starts at a finite number, such as -1e30, needs none of this.

    ## Example

    ```python
    largest = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        total += tl.sum(tl.exp(x - largest), axis=0)
    tl.store(Y, largest + tl.log(total))
    ```

    becomes

    ```python
    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        new_largest = tl.maximum(largest, tl.max(x, axis=0))
        # So far all elements are -inf: -inf - -inf would be NaN.
        shift = tl.where(new_largest == -float("inf"), 0.0, new_largest)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = new_largest
    # The sum of a row of -inf only is NaN.
    total = tl.where((largest == -float("inf")) & (N > 0), float("nan"), total)
    tl.store(Y, largest + tl.log(total))
    ```

    ## Measured

    0.98x to 1.84x for rows of several tiles, 0.98x to 1.04x for rows in one tile.

    Softmax, log-softmax, cross-entropy (`examples/`), tiles of 1024, 22 shapes in fp32, fp16 and
    bf16, one H200, Triton 3.6, cold L2, original / rewritten. Rows of 4096 elements and more are
    mostly faster; rows in one tile are cached and gain nothing; few short rows are slower. Record:
    `benchmarks/rows.py`, `benchmarks/results/`.
    """

    name: ClassVar[str] = "online-softmax"
    summary: ClassVar[str] = "compute the maximum and the sum of exponentials of a row in one loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("online-softmax, several tiles"),
        f"{WHERE}, for rows that take several tiles; noise where one tile holds the row",
        "each row is read from memory one time less",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.passes.online_softmax.exponentials import candidates

        for found in candidates(facts):
            examined = [self._examined(facts, candidate) for candidate in found]
            # The first loop that fits, else the one that came nearest to it.
            yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    def _examined(self, facts: KernelFacts, candidate: Candidate) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        from tritonopt.passes.online_softmax.online_legality import prove_online
        from tritonopt.passes.online_softmax.online_sweep import KeptSecond, OnlineSweep
        from tritonopt.rewriting.promised_order import add_in_another_order

        second_stays = False
        with Attempt() as attempt:
            proof = prove_online(candidate.sweeps, candidate.name, candidate.maximum, attempt)
            add_in_another_order(attempt, facts)
            second_stays = proof.second_stays
            changes = (KeptSecond if second_stays else OnlineSweep)(proof).changes()
            attempt.write(changes, "all values of the merged loop can be written there")
        first, second = candidate.sweeps.first, candidate.sweeps.second
        gone, kept = (first, second) if second_stays else (second, first)
        into = f"the loop in line {gone.line} into the one in line {kept.line}"
        return Site.of(
            attempt,
            second.node,
            f"merged {into}, with a running maximum: each row of several tiles is read one "
            "time less",
            f"did not merge {into}",
            needs={Safety.ROUNDING},
            bits=Bits.REDUCTION_ORDER,
            profit=profit(facts, "online-softmax", loop=first),
            advice=f"merge {into}, with a running maximum",
        )
