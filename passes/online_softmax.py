"""online-softmax: the sweep for the maximum and the sweep for the exponentials become one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.online_softmax.exponent_pairs import Candidate


@dataclass(frozen=True)
class OnlineSoftmax(Pass):
    """Merge the sweep that sums exponentials into the sweep that finds their maximum.

    ## What it does

    A softmax over a row that takes several tiles finds the largest element in a first sweep, and in
    a second one adds up the exponentials of the differences to it. The pass lets one sweep
    keep both: where a tile has a larger element than all before, the sum so far is scaled down to
    it. A third sweep, which writes, stays. So do log-softmax, logsumexp and cross-entropy.

    ## Why

    A row that does not fit the cache is read once less from memory. Compilers do not merge loops,
    nor loads across them.

    Where one tile holds the row there is no second read to save, and the rescaling costs time.

    ## Conditions

    The two sweeps are compared by what they compute. Both run as often and read the same elements,
    with the same values in masked-off lanes, and nothing stores there, or where it may be there,
    from the start of the first to the end of the second. The first sweep carries a maximum that
    starts with -inf or a finite number: one number, one for each row of a tile, or a tile that is
    reduced behind the loop. What it does beside that it goes on doing. The second adds
    `exp(x - m)`, `exp2((x - m) * c)` with a positive constant c, or the like; x may be
    scaled, if it is for the maximum too. Lanes may be cleared by `tl.where`, if the maximum takes
    them for one number. The sum starts at 0, is of the type of the maximum, fp32 or fp64, and is
    kept for each maximum, or in lanes that are summed behind the loop along the axes of the
    maximum.

    One of the two does nothing else, and goes. As a rule that is the second. Where it also
    stores, or adds up something beside the exponentials, it is the first one that goes, if that
    only finds the maximum and nobody needs this before the end of the second: then the
    maximum is found on the way. A weight, or a second sum below the same maximum, is not merged.
    There is no early exit, volatile load, atomic, barrier or call with unknown effects on the way.
    What stands between the sweeps may use the maximum where the first one stays.

    Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a round trip through a narrow type are left alone:
    someone matched another library's bits. Where the name of a kernel, its comments or
    what its file says of itself promise determinism, batch invariance or a fixed order, the site
    is of safety `assumption`, and so waits until that is allowed.

    Index arithmetic is taken not to overflow int32 (`no-int32-overflow`).

    ## Numerics

    Safety `rounding`, bits `reduction-order`: the maximum keeps its bits, the sum changes in
    rounding. Exponents are never above 0, so nothing overflows that did not; each tile with a
    larger maximum rounds the sum once more. `exp2(x * c - m * c)` becomes `exp2((x - m) * c)`,
    which is a number where x * c was none.

    Rows that are not all numbers give what they gave. While all is -inf, 0 is subtracted in its
    place, for -inf - -inf is NaN, and the first number after it would come too late. A row of
    nothing but -inf had the sum NaN for that very reason, and is given it again behind the loop,
    unless all that is made of the sum is NaN by itself, as `exp(x - m) / total` is; a row of no
    elements keeps 0. NaN anywhere, or inf, gives NaN. A maximum that starts with a
    finite number, -1e30 or 0, never is -inf, and needs none of this.

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
        # While all is -inf there is nothing to subtract: -inf - -inf is NaN.
        shift = tl.where(new_largest == -float("inf"), 0.0, new_largest)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        largest = new_largest
    # The sum of a row of nothing but -inf is NaN.
    total = tl.where((largest == -float("inf")) & (N > 0), float("nan"), total)
    tl.store(Y, largest + tl.log(total))
    ```

    ## Measured

    0.98x to 1.84x for rows that take several tiles, 0.98x to 1.04x for rows that one tile holds.

    Softmax, log-softmax and cross-entropy of `examples/` with tiles of 1024, 22 shapes in fp32,
    fp16 and bf16 on one H200, Triton 3.6, cold L2, original / rewritten. A gain as a rule where
    rows of 4096 elements and more are read from memory once less; none where one tile holds the
    row, for then it is in the cache. A loss where few rows are short, for there are more
    instructions. No launch shows how long its rows are, so the pass acts only where it is named.
    Script and record: `benchmarks/rows.py`, `benchmarks/results/`.
    """

    name: ClassVar[str] = "online-softmax"
    summary: ClassVar[str] = "merge the sweep for a maximum and the one for the exponentials"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("online-softmax, several tiles"),
        f"{WHERE}, for rows that take several tiles; noise where one tile holds the row",
        "each row is read from memory once less",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.online_softmax.exponent_pairs import candidates

        for found in candidates(facts):
            examined = [self._examined(facts, candidate) for candidate in found]
            # The first sweep that fits, else the one that came nearest to it.
            yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    def _examined(self, facts: KernelFacts, candidate: Candidate) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        from tritonopt.transforms.online_softmax.kept_second import KeptSecond
        from tritonopt.transforms.online_softmax.online_legality import prove_online
        from tritonopt.transforms.online_softmax.online_sweep import OnlineSweep
        from tritonopt.transforms.online_softmax.reads_saved import worth_of
        from tritonopt.transforms.promised_order import assume_free_order

        changes: tuple[Change, ...] = ()
        second_stays = False
        with Attempt() as attempt:
            proof = prove_online(candidate.sweeps, candidate.name, candidate.maximum, attempt)
            assume_free_order(attempt, facts)
            second_stays = proof.second_stays
            changes = tuple((KeptSecond if second_stays else OnlineSweep)(proof).changes())
            attempt.prove("is-expressible", "what the one sweep needs can be written there")
        first, second = candidate.sweeps.first, candidate.sweeps.second
        worth = worth_of(facts, first)
        gone, kept = (first, second) if second_stays else (second, first)
        into = f"the loop in line {gone.line} into the one in line {kept.line}"
        return Site.of(
            attempt,
            second.node,
            f"merged {into}, with a running maximum: {worth.text}",
            f"did not merge {into}",
            needs={Safety.ROUNDING},
            bits=Bits.REDUCTION_ORDER,
            changes=changes,
            pays=worth.pays,
            depends=True,  # no launch shows how long its rows are
            advice=f"merge {into}, with a running maximum",
        )
