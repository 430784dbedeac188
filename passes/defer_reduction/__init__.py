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

    `total += tl.sum(x)` in a loop becomes `total += x`, with `total = tl.sum(total)` after the
    loop. The pass also rewrites:

    - maxima and minima (`m = tl.maximum(m, tl.max(x))`, `m = tl.max(tl.maximum(x, m))`), products
      and bitwise operations (`tl.reduce` with a multiplying function, `tl.xor_sum`);
    - sums under an `if`;
    - accumulators of loop nests, and of consecutive loops with a last tile after them, with one
      reduction at the end.

    If every lane may start with the accumulator's first value (0 for a sum, any for a maximum), the
    tile of accumulators starts with it. Otherwise the tile gets a name of its own, and its
    reduction is combined with the first value.

    ## Why

    A reduction needs shuffles and, with several warps, shared memory and barriers; adding tiles
    needs neither. The compiler defers a reduction itself only for a two-axis tile that was just
    loaded.

    The cost is registers, because a tile stays live through the loop. If it is not named, the pass
    requires that launches show at least 4 iterations, at least 16 iterations for each program on a
    multiprocessor, and at most 16 elements of the tile per thread. Loops that keep another
    reduction or contain a loop are skipped, and so are tiles wider than the addend.

    ## Conditions

    - In the loops the accumulator is only combined with reductions, by the operation of the
      reduction; the result of a reduction is read once. The pass declines a stored running sum, a
      rescaled sum (`l = l * alpha + tl.sum(p)`) and a sum with another addend.
    - All tiles have one shape, known before the loop. No loop or iteration ends early.
    - The tile has one axis, and no launch shows more than 16 elements for each thread
      (`tile-is-spilled`).
    - The accumulator's type is known from the kernel and has at least 32 bits: `0.0` is fp32, `0`
      is int32, `tl.zeros` has its `dtype`. Integers are reduced in that type, or are 8-bit or
      boolean, whose sum fits int32. Sums of 16-bit or 32-bit integers are not added to floats,
      since one tile may overflow; if the type of the data is unknown, we assume that this does not
      happen (`accumulators-are-wide`).
    - Argmax, argmin and other reductions that return indices are declined.

    The values of inactive lanes do not matter, because each lane enters the result once, as before.
    If a load without `other=` made the result undefined, it still does.

    ## Numerics

    Maxima, minima, bitwise operations and integer sums are `exact`, with the same bits: integers
    wrap alike in any order, and `tl.max` and `tl.maximum` both drop NaN. With `propagate_nan` they
    differ, and the pass declines.

    Float sums and products have safety `rounding`, bits `reduction-order`. Lanes accumulate in the
    accumulator's type (the original summed a tile of fp16 in fp16), so the error is of the same
    size or smaller. Kernels with pinned rounding (`div_rn`, `sqrt_rn`, `fdiv`, round trips through
    a narrow type) are then declined.

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
    3.6, cold L2, original / rewritten. Few programs with long rows gain most; with many programs
    per multiprocessor, other programs run during a barrier. Slower were loops of two iterations,
    rows of 50257 elements, which start at odd addresses, and layer norm backward at 65536 columns.
    Loops that keep another reduction were not measured. Record: `benchmarks/rows.py`,
    `benchmarks/results/`.
    """

    name: ClassVar[str] = "defer-reduction"
    summary: ClassVar[str] = "reduce a tile once after a loop, not in every iteration"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})
    gain: ClassVar[Gain | None] = Gain(
        figure("defer-reduction, more iterations"),
        f"{WHERE}, in loops of four iterations and more, most where few programs have long rows",
        "the threads of a program synchronize once, not in every iteration",
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
                left = (
                    f"did not defer the reduction of {candidate.name} in the loop in "
                    f"line {candidate.loop.line}"
                )
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
            f"reduced {what}: a tile [{deferral.size.readable}] stays in registers through "
            "the loop",
            "",
            needs=() if deferral.exact else {Safety.ROUNDING},
            bits=Bits.SAME if deferral.exact else Bits.REDUCTION_ORDER,
            profit=at_all(gains),
            advice=f"reduce {what}",
        )
