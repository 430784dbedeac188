"""defer-reduction: a reduction in every iteration of a loop becomes one after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.deferral.regrouping import Deferral


@dataclass(frozen=True)
class DeferReduction(Pass):
    """Reduce a tile once after a loop, and not one tile in every iteration.

    ## What it does

    `total += tl.sum(x)` in a loop becomes `total_tile += x`, and `total` is the sum of that tile
    after the loop. So do the largest and the least (`m = tl.maximum(m, tl.max(x))`,
    `m = tl.max(tl.maximum(x, m))`), products and bits (`tl.reduce` with a function that multiplies,
    `tl.xor_sum`); reductions along one axis of a tile; sums under an `if`; and accumulators that
    a nest of loops carries, or several loops in a row, or a last tile behind them: all of these
    are reduced once.

    The names of tiles end in `_tile`. What an accumulator starts with is taken in once: a zero
    goes, any other value is what the sum of the tile is added to.

    ## Why

    To reduce a tile takes shuffles between the threads of a warp and, with several warps, shared
    memory and barriers. Adding a tile to another one takes none of these. The compiler
    does it by itself only where a tile of two axes comes straight from a load.

    The price is registers: a tile is kept through the loop, in place of a number for each row. So
    under `all` the pass leaves alone what the compiler may do, loops that run once at the launches
    that are seen, and, where it depends on the shape, tiles of two axes and large ones.

    ## Conditions

    In the loops the accumulator is combined with reductions, by the operation that these are of,
    and nothing else is done with it: a running sum that is stored, a scaled one as
    in an online softmax (`l = l * alpha + tl.sum(p)`), and a sum with something added beside it
    stay as they are. The result of one reduction may have a name, if that is read just once. All
    tiles have one shape, in extents that are known before the loop. No loop, and no
    iteration, may end early.

    The accumulator is of one type, of 32 bits or more, which the kernel says: `0.0` is fp32,
    `0` is int32, `tl.zeros` has its `dtype`. Integers are reduced in that type, or are booleans
    or of 8 bits, whose sum fits int32. To a float accumulator integers of 16 or 32
    bits are not added, for the sum of one tile may not fit their type; that it does is
    assumed of data of unknown type (`accumulators-are-wide`).

    What masked-off lanes hold does not matter: each lane of each tile comes into the result once,
    before and after. A load without `other=` is as wrong, or as right, as it was.

    Argmax and argmin, and reductions that give indices too, are left alone: the index that
    goes with a value is not a reduction of its own.

    ## Numerics

    The largest, the least, bits and sums of integers are `exact`, and the bits are the same:
    integers wrap around alike in any order. `tl.max` drops NaN as `tl.maximum` does, so the
    result is NaN where all there is to compare is; with `propagate_nan` the two differ, and the
    loop stays as it is.

    Sums and products of floats are of safety `rounding`, bits `reduction-order`. Each lane of the
    tile adds up its own elements in the type of the accumulator, which has an error of the
    size that it had or a smaller one: a tile of fp16 was summed in fp16 before. Kernels with
    `div_rn`, `sqrt_rn`, `fdiv` or a round trip through a narrow type are left alone then: someone
    matched another library's bits.

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
    squares_tile = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares_tile += x * x
    squares = tl.sum(squares_tile, axis=0)
    var = squares / N
    ```

    ## Measured

    0.89x to 1.87x in loops of four turns and more, 0.81x to 1.24x in loops of one or two.

    Textbook kernels over rows (softmax, log-softmax, cross-entropy, layer norm backward, sums,
    extremes, products: `examples/`) with tiles of 1024, 22 shapes in fp32, fp16 and bf16 on one
    H200, Triton 3.6, cold L2, original / rewritten. Most is gained where few programs have long
    rows, for then all wait for each other in every turn; next to nothing where there are programs
    enough to hide that. The losses: loops of two turns, where a tile costs more than a second
    reduction; rows of 50257 elements, which begin at odd addresses; layer norm backward at 65536.
    Script and record: `benchmarks/rows.py`, `benchmarks/results/`. Loops in which another reduction
    has to stay, which is waited for all the same, were not measured: it does not pay there.
    """

    name: ClassVar[str] = "defer-reduction"
    summary: ClassVar[str] = "reduce a tile once after a loop, not in every iteration"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})
    gain: ClassVar[Gain | None] = Gain(
        figure("defer-reduction, more turns"),
        f"{WHERE}, in loops of four turns and more, most where few programs have long rows",
        "the threads of a program wait for each other once, not in every turn",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.deferral.candidates import candidates
        from tritonopt.transforms.deferral.deferred_loop import DeferredLoop
        from tritonopt.transforms.deferral.regrouping import prove_deferral

        covered: set[tuple[ast.stmt, str]] = set()
        sites: list[Site | tuple[Deferral, Attempt, tuple[Change, ...]]] = []
        for candidate in candidates(facts):
            if (candidate.loop.node, candidate.name) in covered:
                continue
            changes: tuple[Change, ...] = ()
            deferral: Deferral | None = None
            with Attempt() as attempt:
                deferral = prove_deferral(facts, candidate.loop, candidate.name, attempt)
                changes = tuple(DeferredLoop(deferral).changes())
                attempt.prove("is-expressible", "the tile can be written before the loop")
            if deferral is not None and attempt.holds:
                covered |= {(loop.node, candidate.name) for loop in deferral.loops}
                sites.append((deferral, attempt, changes))
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
        changes: tuple[Change, ...],
        deferrals: Sequence[Deferral],
    ) -> Site:
        from tritonopt.transforms.deferral.worth import worth_of

        what = (
            f"{deferral.name} once, after the loop in line {deferral.first.lineno}, and not in "
            "every iteration"
        )
        worth = worth_of(deferral, deferrals)
        return Site.of(
            attempt,
            deferral.updates[0].statement,
            f"reduced {what}: {worth.text}",
            "",
            needs=() if deferral.exact else {Safety.ROUNDING},
            bits=Bits.SAME if deferral.exact else Bits.REDUCTION_ORDER,
            changes=changes,
            pays=worth.pays,
            depends=worth.depends,
            unpaid=worth.unpaid,
            advice=f"reduce {what}",
        )
