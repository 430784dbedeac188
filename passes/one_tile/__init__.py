"""one-tile: sweeps over a row that one tile holds become straight-line code.

The loops go first, which changes nothing: each ran once. What the code then says twice goes next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from typing_extensions import Self

    from tritonopt.emit.sweeps import RowSweeps
    from tritonopt.passes.one_tile.raising import Raised
    from tritonopt.passes.one_tile.row_legality import OneTile


@dataclass(frozen=True)
class OneTileRows(Pass):
    """If one tile holds a row, remove the loops over the tiles of the row.

    ## What it does

    A kernel with several loops over the tiles of a row loads the row in each loop. If one tile
    holds the row, the pass removes the loops, loads the row once, and computes repeated expressions
    once. An accumulator that started at 0 becomes its addend. If a removed load had another
    `other=`, a `tl.where` gives inactive lanes that value if it matters.

    The pass needs a proof that a tile holds every row: each visible launch makes the tile as long
    as the row (`BLOCK=triton.next_power_of_2(n)`), or an assertion, a check that raises, a constant
    or `--assume 'N <= BLOCK'` bounds the row. Otherwise the loops stay (`row-may-be-longer`).

    - `raise_block=32768` (elements; default 0: off): if each launch bounds its rows by this length,
      it makes the tile as long as the row, with one warp per 512 elements, at least 4 and at most
      16. If two or three tiles stay live between loops, half of this length is the bound; for four
      tiles a quarter.
    - `longer_rows=branch` (default `decline`): if rows may be longer, the kernel gets both forms,
      with the loops under an `if` on a `tl.constexpr` that a heuristic sets at each launch, or on a
      comparison if the row length is a constexpr. With `raise_block`, rows up to that length get a
      tile as long as the row. `tune` tries this option. It makes the kernel twice as long.

    ## Why

    The row is read from memory once and stays in registers. Compilers do not merge loads across
    loops or stores, or with different `other=` or eviction policy, nor remove loops with runtime
    bounds.

    ## Conditions

    - The loops are in one block, have equal trip counts and one induction variable each, and have
      no early exit; there is no early exit between them either (`early-exit`).
    - Some load repeats another (`nothing-read-twice`): same address and mask, not volatile, no
      store between them that may alias.
    - An empty row keeps its result: no launch has one, or all of its lanes are proved to be
      inactive and to add nothing (otherwise `may-run-zero-times`; `--assume '0 < N'` excludes empty
      rows).
    - Types do not change. A loop turns a Python number that it carries into a tensor; without the
      loop the pass casts the addend, or declines (`type-changes`). An induction variable that is 0
      is removed from a sum only if the sum keeps value and type.
    - Names that are local to a loop are not read after it.

    `longer_rows=branch` requires that launches pass the row length and the tile length. The
    heuristic is directly above `triton.jit`, so it gets the configuration that a tuner chose.
    Declined: kernels that other kernels call (Triton cannot compile heuristics there), kernels
    compiled ahead of time, kernels under a decorator that may cache a heuristic's result.

    `raise_block` requires that all launches are in the kernel's file and pass the tile length, that
    no tuner or heuristic chooses it, and that the grid does not depend on it; `num_warps` is a
    literal or absent. The result must not depend on the tile length: all loops run over the row,
    lanes depend only on their position in the row and add nothing past its end, and only sums,
    maxima and minima are used after a loop. Otherwise the tile length stays (`length-matters`).

    ## Numerics

    `exact`; `rounding` if removing the initial 0.0 can change the sum of a row of -0.0 to -0.0.
    With `raise_block`, float sums change their order, and we take 0 times any number as 0: if a
    lane past the end multiplies 0 by infinity, a NaN may appear or vanish. The compiler may choose
    another layout and order of sums (bits `reduction-order`).

    ## Example

    ```python
    @triton.jit
    def rms_norm_kernel(X, Y, N, eps, BLOCK: tl.constexpr):
        X += tl.program_id(0) * N
        Y += tl.program_id(0) * N
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            squares += x * x
        rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x * rstd, mask=cols < N)


    def rms_norm(x, eps=1e-6):
        m, n = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(m,)](x, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.jit
    def rms_norm_kernel(X, Y, N, eps, BLOCK: tl.constexpr):
        X += tl.program_id(0) * N
        Y += tl.program_id(0) * N
        # One tile: N <= BLOCK
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
        tl.store(Y + cols, x * rstd, mask=cols < N)


    def rms_norm(x, eps=1e-6):
        m, n = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(m,)](x, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    With `BLOCK=1024` and `assert n <= 2048`, `one-tile{raise_block=32768}` makes the same kernel,
    and the launch passes `BLOCK=triton.next_power_of_2(max(n, 16))`.

    ## Measured

    1.00x to 1.42x for rows of up to 1024 elements; with a raised tile 0.89x to 2.04x for rows of
    2048 to 32768.

    Row kernels (`examples/`), tiles of 1024, 22 shapes in fp32, fp16 and bf16, one H200, Triton
    3.6, cold L2, original / rewritten. Longer rows with `longer_rows=branch`: 0.93x to 1.07x.

    With a raised tile, rows that fill little more than half of it are slower (5000 of 8192
    elements). Rows whose length is a power of two are faster, except layer norm backward, which is
    equal at 32768. A tile of 65536 exceeds the registers and was much slower. Record:
    `benchmarks/rows.py`, `benchmarks/results/`.
    """

    longer_rows: Literal["decline", "branch"] = "decline"
    raise_block: int = 0

    name: ClassVar[str] = "one-tile"
    summary: ClassVar[str] = "load a row that one tile holds once, without loops"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("one-tile, up to 1024 elements"),
        f"{WHERE}, for rows of up to 1024 elements, with tiles of 1024",
        "a row that fits one tile is loaded once, without loops",
    )

    def __post_init__(self) -> None:
        powers = [2**power for power in range(4, 21)]  # what a tile of Triton can have
        if self.raise_block not in (0, *powers):
            raise PassSelectionError(
                f"one-tile: raise_block cannot be {self.raise_block}; write a power of two from "
                f"{powers[0]} to {powers[-1]}, or 0 to keep the tile length"
            )

    @classmethod
    def variants(cls) -> Iterator[Self]:
        for most in (0, 32768):
            yield cls(raise_block=most)
            yield cls("branch", raise_block=most)

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.emit.sweeps import row_sweeps

        for sweeps in row_sweeps(facts):
            site = self._examined(sweeps)
            if site is not None:
                yield site

    def _examined(self, sweeps: RowSweeps) -> Site | None:
        """The site as it came out; None where the loops are what is left for longer rows."""
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.one_tile.raising import (
            ask,
            asked,
            beside_the_loops,
            in_place_of_the_loops,
            is_asked_already,
        )
        from tritonopt.passes.one_tile.row_legality import prove_one_tile

        proof: OneTile | None = None
        raised: Raised | None = None
        length = ""
        beside = not sweeps.one_turn and self.longer_rows == "branch"
        if not sweeps.one_turn and is_asked_already(sweeps):
            return None
        with Attempt() as attempt:
            proof = prove_one_tile(sweeps, attempt)
            if beside:
                question = ask(sweeps, bool(proof.may_be_empty), attempt)
                test, changes = asked(question, Writer(sweeps.facts))
                changes += beside_the_loops(proof, test)
                raised, length = self._raised(sweeps, attempt)
            else:
                changes = in_place_of_the_loops(proof)
                raised = self._holding(sweeps, attempt)
                if proof.may_be_empty:
                    raise unknown("sizes-are-positive", "may-run-zero-times", proof.may_be_empty)
                length = ", which each launch makes as long as the row" if raised else ""
            changes += raised.changes if raised is not None else ()
            attempt.write(changes, "the code of the loops can be written without loops")
        *lines, last = (str(loop.line) for loop in sweeps.loops)
        what = f"the loops in lines {', '.join(lines)} and {last}"
        if not (proof is None or proof.is_exact) or not (raised is None or raised.is_exact):
            attempt.need(Safety.ROUNDING)
        return Site.of(
            attempt,
            sweeps.loops[0].node,
            f"put {what} into one tile" + (", in addition to the loops" if beside else "") + length,
            f"kept {what}",
            bits=Bits.REDUCTION_ORDER,
            profit=profit(
                sweeps.facts,
                "one-tile" if raised is None else "one-tile, raised",
                loop=sweeps.loops[0],
                never="the loops stay too" if beside and raised is None else _between(sweeps),
            ),
            advice=f"load a row that one tile holds once, without {what}",
        )

    def _holding(self, sweeps: RowSweeps, attempt: Attempt) -> Raised | None:
        """The launches with tiles that hold every row; None where they hold it as they are.

        Raises Declined where a row may be longer than any tile.
        """
        from tritonopt.passes.one_tile.raising import raise_tiles

        if not sweeps.one_turn:
            return raise_tiles(sweeps, self.raise_block, attempt, longer_rows=False)
        attempt.prove(
            "rows-can-be-lifted", "no loop has a second iteration, at any launch", sweeps.given
        )
        if sweeps.facts.launches.bindings:
            attempt.assume_no_other_launches()
        return None

    def _raised(self, sweeps: RowSweeps, attempt: Attempt) -> tuple[Raised | None, str]:
        """The launches with longer tiles, where that is asked for, and what is said of it."""
        from tritonopt.passes.one_tile.raising import raise_tiles

        if not self.raise_block:
            return None, ""
        found: list[Raised] = []
        with Attempt() as own:
            found.append(raise_tiles(sweeps, self.raise_block, own, longer_rows=True))
        if own.failed is not None:
            return None, f"; the tile length stays ({own.failed.reason}): {own.failed.detail}"
        attempt.take_over(own)
        return found[
            0
        ], f", and raised the tile length for rows of up to {found[0].longest} elements"


def _between(sweeps: RowSweeps) -> str:
    """Why registers are short: what is loaded would be kept through another loop."""
    first, last = sweeps.loops[0], sweeps.loops[-1]
    others = (loop for loop in sweeps.facts.loops if loop not in sweeps.loops)
    for loop in others:
        if loop.parent == first.parent and first.line < loop.line < last.line:
            return f"the tile would stay in registers through the loop in line {loop.line}"
    return ""
