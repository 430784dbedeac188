"""defer-reduction: a reduction in every iteration of a loop becomes one after it.

`regrouping` finds the loops and shows that one may wait with its reductions, `deferred_loop` writes
it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.profitability import at_all, profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.passes.defer_reduction.regrouping import Deferral


@dataclass(frozen=True)
class DeferReduction(Pass):
    """Reduce a tile once after a loop, not in every iteration.

    ## What it does

    `total += tl.sum(x)` in a loop becomes `total += x`, with `total = tl.sum(total)` after it. The
    pass also takes:

    - maxima and minima (`m = tl.maximum(m, tl.max(x))`, `m = tl.max(tl.maximum(x, m))`), products
      and bitwise operations (`tl.reduce` with a multiplying function, `tl.xor_sum`);
    - sums under an `if`;
    - accumulators of loop nests, consecutive loops and a last tile after them: one reduction for
      all.

    Where every lane may start with the accumulator's first value (0 for a sum, any for a maximum),
    the tile does. Else it gets a name of its own, and the first value is combined with the result.

    ## Why

    A reduction takes shuffles and, with several warps, shared memory and barriers; adding tiles
    takes none. The compiler defers a reduction only for a two-axis tile straight from a load.

    The cost is registers: a tile stays live through the loop. Where no pass is named, it acts if
    launches show loops of 4 iterations or more, 16 or more for each program that a multiprocessor
    has, and not more than 16 elements of the tile for each thread; it skips loops that keep another
    reduction or have a loop inside, and tiles wider than what they add up.

    ## Conditions

    - In the loops the accumulator is only combined with reductions, by their own operation; a
      reduction's name may be read once. A stored running sum, a rescaled sum
      (`l = l * alpha + tl.sum(p)`) or a sum with another addend stays.
    - All tiles have one shape, known before the loop. No loop or iteration ends early.
    - The tile has one axis, and no launch shows more than 16 elements for each thread
      (`tile-is-spilled`).
    - The kernel shows the accumulator's type, 32 bits or more: `0.0` is fp32, `0` is int32,
      `tl.zeros` has its `dtype`. Integers are reduced in that type, or are 8-bit or boolean, whose
      sum fits int32. Sums of 16-bit or 32-bit integers are not added to floats, since one tile may
      overflow; for data of unknown type this is assumed not to happen (`accumulators-are-wide`).
    - Argmax, argmin and reductions that return indices stay: an index is not a reduction of its
      own.

    Values of inactive lanes do not matter: each lane enters the result once, as before. A load
    without `other=` stays as wrong, or as right, as it was.

    ## Numerics

    Maxima, minima, bitwise operations and integer sums are `exact`, with the same bits: integers
    wrap alike in any order, and `tl.max` and `tl.maximum` both drop NaN. With `propagate_nan` they
    differ, and the loop stays.

    Float sums and products: safety `rounding`, bits `reduction-order`. Lanes accumulate in the
    accumulator's type (a tile of fp16 was summed in fp16), so the error is of the same size or
    smaller. Kernels with pinned rounding (`div_rn`, `sqrt_rn`, `fdiv`, round trips through a narrow
    type) are then declined.

    ## Example

    ```python
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += tl.sum(x * x, axis=0)
    var = squares / N
    ```

    becomes

    ```python
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    squares = tl.sum(squares, axis=0)
    var = squares / N
    ```

    ## Measured

    0.89x to 1.84x in loops of four iterations and more, 0.81x to 1.25x in loops of one or two.

    Row kernels (`examples/`), tiles of 1024, 22 shapes in fp32, fp16 and bf16, one H200, Triton
    3.6, cold L2, original / rewritten. Few programs with long rows gain most; many programs hide
    each other's barriers. Losses: two iterations; rows of 50257 elements, which start at odd
    addresses; layer norm backward at 65536. Not measured: loops that keep another reduction.
    Record: `benchmarks/rows.py`, `benchmarks/results/`.
    """

    name: ClassVar[str] = "defer-reduction"
    summary: ClassVar[str] = "reduce a tile once after a loop, not in every iteration"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})
    gain: ClassVar[Gain | None] = Gain(
        figure("defer-reduction, more iterations"),
        f"{WHERE}, in loops of four iterations and more, most where few programs have long rows",
        "the threads of a program wait for each other once, not in every iteration",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.passes.defer_reduction.deferred_loop import DeferredLoop
        from tritonopt.passes.defer_reduction.regrouping import (
            candidates,
            check_registers,
            prove_deferral,
        )

        covered: set[tuple[ast.stmt, str]] = set()
        sites: list[Site | tuple[Deferral, Attempt]] = []
        for candidate in candidates(facts):
            if (candidate.loop.node, candidate.name) in covered:
                continue
            deferral: Deferral | None = None
            with Attempt() as attempt:
                deferral = prove_deferral(facts, candidate.loop, candidate.name, attempt)
                check_registers(deferral)
                changes = DeferredLoop(deferral).changes()
                attempt.write(changes, "the tile can be written before the loop")
            if deferral is not None and attempt.holds:
                covered |= {(loop.node, candidate.name) for loop in deferral.loops}
                sites.append((deferral, attempt))
            elif candidate.is_innermost:
                left = f"left {candidate.name} in the loop in line {candidate.loop.line} as it is"
                sites.append(Site.of(attempt, candidate.anchor, "", left))
        others = [found[0] for found in sites if isinstance(found, tuple)]
        for found in sites:
            yield found if isinstance(found, Site) else self._passed(*found, others)

    def _passed(
        self,
        deferral: Deferral,
        attempt: Attempt,
        deferrals: Sequence[Deferral],
    ) -> Site:
        from tritonopt.passes.defer_reduction.regrouping import why_never

        what = (
            f"{deferral.name} once, after the loop in line {deferral.first.lineno}, and not in "
            "every iteration"
        )
        never = why_never(deferral, deferrals)
        gains = [
            profit(deferral.facts, self.name, loop=loop, never=never) for loop in deferral.loops
        ]
        return Site.of(
            attempt,
            deferral.updates[0].statement,
            f"reduced {what}: a tile [{deferral.size.readable}] is kept through the loop",
            "",
            needs=() if deferral.exact else {Safety.ROUNDING},
            bits=Bits.SAME if deferral.exact else Bits.REDUCTION_ORDER,
            profit=at_all(gains),
            advice=f"reduce {what}",
        )
