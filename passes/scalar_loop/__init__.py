"""scalar-loop: a loop from element to element becomes one from tile to tile.

`scalar_loops` finds the loops. `loop_bodies` reads their bodies as operations on tiles,
`vector_proof` proves that this is legal, and `lane_statements` writes the loop over tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop


@dataclass(frozen=True)
class ScalarLoopToTiles(Pass):
    """Process the elements of a loop in tiles instead of one by one.

    ## What it does

    `for i in range(n): x = tl.load(X + i) ...` becomes a loop over tiles: `i` is a tile of indices,
    masked by `i < n`, and each lane computes one iteration of the original. An `if` becomes a mask
    or a `tl.where`. Sums, maxima, minima, counts and argmax accumulate in a tile that is reduced
    after the loop, as `defer-reduction` does. A running sum becomes `tl.cumsum` with a carry.

    `block` (128) is the number of elements of a tile, a constexpr in the kernel; launches do not
    change.

    ## Why

    In a loop over single elements, all threads load the same element and wait for it. In a tile
    each thread has its own element, loads coalesce, and about a hundred times fewer iterations
    remain. If `--passes` does not name the pass, it is applied only if sizes in the launcher show a
    trip count of 64 or more.

    ## Conditions

    - The loop is innermost, over `range` or `tl.range`, without early exit or tiles. It only
      applies operators and language functions to numbers, and loads and stores single elements.
      Inactive lanes compute too, so no divisor may be 0.
    - Iterations carry only reductions, running sums, and the index of the first maximum or minimum,
      where indices increase from iteration to iteration (`not-a-recurrence`).
    - Each iteration stores to its own elements (the index has a nonzero stride), or all store the
      same value. No iteration loads what another stores.
    - No other code of the kernel accesses elements that the loop stores, unless a
      `tl.debug_barrier` is between, since other threads now store them. No atomic signals
      completion to another program.

    Assumed: two pointer parameters are the same buffer or disjoint; indices fit int32, also those
    of inactive lanes past the end (`no-int32-overflow`).

    ## Numerics

    Stores, integers, booleans, and maxima and minima by `tl.maximum` and `tl.minimum` are `exact`,
    with the same bits.

    Float sums and running sums have safety `rounding`, bits `reduction-order`. So have float maxima
    computed by a comparison (`if x > m: m = x`), in which only the sign of a zero may differ. If a
    comment, a string or the name of a function says that the order matters (`deterministic`, `fixed
    order`), we assume that no caller needs it (`rounding-is-free`, safety `assumption`). Float sums
    are not rewritten in kernels that fix their rounding (`div_rn`, `sqrt_rn`, `fdiv`, a round trip
    through a narrow type).

    ## Example

    ```python
    count = 0
    for i in range(n):
        x = tl.load(X + i)
        if x == wanted:
            count += 1
    tl.store(Y, count)
    ```

    becomes

    ```python
    SCALAR_BLOCK: tl.constexpr = 128
    count_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.int32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + i, mask=mask)
        active = mask & (x == wanted)
        count_tile += tl.where(active, 1, 0)
    count = tl.sum(count_tile, axis=0)
    tl.store(Y, count)
    ```

    ## Measured

    1.42x to 35.37x for loops of 64 iterations and more, 0.94x to 1.05x for 3 and 8 iterations:
    noise.

    Map, sum, count, prefix sum and argmax, 1 or 4096 rows of 3 to 16384 elements, fp32, one H200,
    Triton 3.6, cold L2, medians of 15 runs, original / rewritten. Longer loops gain more: 5.93x to
    13.46x at 1024 elements, where tiles of 512 are faster still. In shorter loops tiles of 128 are
    as fast or faster. Record: `benchmarks/scalar_loop_speed.py`, `benchmarks/results/`.
    """

    block: Literal[16, 32, 64, 128, 256, 512, 1024] = 128

    name: ClassVar[str] = "scalar-loop"
    summary: ClassVar[str] = "process the elements of a loop in tiles instead of one by one"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("scalar-loop, 64 iterations and more"),
        f"{WHERE}, for loops of 64 iterations and more, the more the longer they are",
        "a tile is loaded at once, instead of one element after the other",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.passes.scalar_loop.scalar_loops import scalar_loops

        for loop in scalar_loops(facts):
            yield self._examined(loop)

    def _examined(self, loop: ScalarLoop) -> Site:
        from tritonopt.passes.scalar_loop.lane_statements import VectorLoop
        from tritonopt.passes.scalar_loop.vector_proof import prove_vectorization
        from tritonopt.rewriting.promised_order import add_in_another_order

        with Attempt() as attempt:
            proof = prove_vectorization(loop, attempt)
            if not proof.exact:
                add_in_another_order(attempt, loop.facts)
            attempt.write(
                VectorLoop(proof, self.block).changes(), "the loop can be written over tiles"
            )
        where = f"the loop in line {loop.loop.line}"
        return Site.of(
            attempt,
            loop.node,
            f"made {where} process tiles",
            f"did not change {where}, which processes single elements",
            profit=profit(loop.facts, "scalar-loop", loop=loop.loop),
            advice=f"let each iteration of {where} process a tile instead of a single element",
        )
