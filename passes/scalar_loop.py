"""scalar-loop: a loop from element to element becomes one from tile to tile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.vectorization.scalar_loops import ScalarLoop


@dataclass(frozen=True)
class ScalarLoopToTiles(Pass):
    """Go through the elements of a loop tile by tile, and not one by one.

    ## What it does

    `for i in range(n): x = tl.load(X + i) ...` becomes a loop over tiles: `i` is a tile of
    indices, masked by `i < n`, and each iteration of the old loop is a lane. What an `if` of the
    loop chooses becomes a mask, or a `tl.where`. A sum, a largest or a least element, a count,
    `any` and `all` are kept in a tile and reduced once behind the loop, as `defer-reduction`
    writes them. So is a search for the first or the last element of a kind, and the largest
    element with its index. A running sum becomes `tl.cumsum`, and goes on from tile to tile.

    A tile has as many elements as the option `block` says. The kernel gets a constexpr for that,
    so launches stay as they are.

    ## Why

    A loop over single elements leaves all threads of a program but one with nothing to do: they
    load the same element, and wait for it together. In a tile each thread has its own element,
    neighbors are loaded at once, and the loop turns a hundred times less often.

    Where a loop has few turns there is nothing to gain: under `all` the pass leaves alone what
    turns 8 times or less, as far as the kernel and its launches show that, and a loop over
    `tl.static_range`, of which each turn is compiled by itself, where they do not.

    ## Conditions

    The loop is the innermost one, is counted by `range`, `tl.range` or `tl.static_range`, and is
    not left early. All that it computes is done lane by lane: operators and functions of the
    language on numbers, loads and stores of single elements. A lane that is masked off computes
    too, so nothing may be divided by what might be 0 there. An inner tile would get one more
    axis; such loops stay.

    An iteration takes over from the one before a reduction, a running sum, or what a search has
    found, and nothing else. Of a search it must be seen which lanes have found something: it
    begins with a number below or above all that can be found, -1 for an index.

    Each iteration stores to elements of its own: their index rises or falls by a stride that is
    not 0; or all of them store the same value. What an iteration loads no other one stores. An
    atomic may be an addition or the like, and nobody may want its result.

    Single elements are stored by one thread, those of a tile by the threads that have them.
    So nothing else in the kernel may touch what the loop stores, unless a `tl.debug_barrier`
    stands between; and there is no atomic that could tell another program that all is stored.

    Two pointer parameters are the same buffer or do not overlap. Index arithmetic is taken not to
    overflow int32 (`no-int32-overflow`): masked-off lanes count beyond the end of the loop.

    ## Numerics

    Stores, integers and truth values, the largest and the least by `tl.maximum` and `tl.minimum`
    are `exact`, and the bits are the same.

    Sums and running sums of floats, and atomic sums of them, are of safety `rounding`, bits
    `reduction-order`; so is a largest float that is chosen by a comparison, of which only the sign
    of a zero may differ. Where the author promises the order of a sum, in a comment or a name, the
    site needs `assumption` too (`rounding-is-free`). Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a
    round trip through a narrow type are left alone then: someone matched another library's bits.

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

    1.42x to 35.37x for loops of 64 turns and more, 0.94x to 1.05x for 3 and 8 turns: noise.

    A map, a sum, a count, prefix sums and an argmax of each row, one row or 4096 of them, 3 to
    16384 elements in fp32, on one H200, Triton 3.6, cold L2, medians of 15 runs, original /
    rewritten. The longer the loop, the more is gained: 5.93x to 13.46x at 1024 elements. There
    tiles of 512 are better still, and those of 128 are as good or better for shorter loops. Script
    and record: `benchmarks/scalar_loop_speed.py`, `benchmarks/results/`.
    """

    block: Literal[16, 32, 64, 128, 256, 512, 1024] = 128

    name: ClassVar[str] = "scalar-loop"
    summary: ClassVar[str] = "go through single elements tile by tile"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("scalar-loop, 64 turns and more"),
        f"{WHERE}, for loops of 64 turns and more, the more the longer they are",
        "a tile is read at once, not one element after the other",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.vectorization.scalar_loops import scalar_loops

        for loop in scalar_loops(facts):
            yield self._examined(loop)

    def _examined(self, loop: ScalarLoop) -> Site:
        from tritonopt.transforms.promised_order import assume_free_order
        from tritonopt.transforms.vectorization.turns_saved import saving
        from tritonopt.transforms.vectorization.vector_loop import VectorLoop
        from tritonopt.transforms.vectorization.vector_proof import prove_vectorization

        changes: tuple[Change, ...] = ()
        exact = True
        with Attempt() as attempt:
            proof = prove_vectorization(loop, attempt)
            exact = proof.exact
            if not exact:
                attempt.need(Safety.ROUNDING)
                assume_free_order(attempt, loop.facts)
            changes = VectorLoop(proof, self.block).changes()
            attempt.prove("is-expressible", "the loop can be written over tiles")
        where = f"the loop in line {loop.loop.line}"
        saved = saving(loop)
        return Site.of(
            attempt,
            loop.node,
            f"made {where} go from tile to tile: {saved.text}",
            f"left {where} as it goes, from element to element",
            bits=Bits.SAME if exact else Bits.REDUCTION_ORDER,
            changes=changes,
            pays=saved.pays,
            depends=saved.depends,
            unpaid="does-not-pay" if saved.depends else "nothing-to-save",
            advice=f"let each turn of {where} take a tile of elements, not a single one",
        )
