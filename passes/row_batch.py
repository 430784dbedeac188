"""row-batch: a program that handles one short row becomes one that handles several."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Lane, ProgramId
from tritonopt.facts.algebra.polynomial import Polynomial, TooLarge
from tritonopt.facts.algebra.tiles import tiles_of
from tritonopt.facts.algebra.turns import starts_at_most
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.rank_lifting.lifting_legality import RowBatch
    from tritonopt.transforms.rank_lifting.row_launches import Batching

_PAYS_UP_TO = 512
"""Elements of a row."""


@dataclass(frozen=True)
class RowBatches(Pass):
    """Let a program handle several short rows instead of one.

    ## What it does

    A kernel in which each program handles one row gets a leading axis: a program handles `ROWS`
    rows, tiles become `[ROWS, BLOCK]`, scalars of a row become `[ROWS, 1]`, tiles that all rows
    share become `[1, BLOCK]` and are loaded once, and reductions run along the columns. Rows past
    the end are masked.

    Each launch divides its grid and passes `ROWS`, a power of two, and the number of rows if no
    parameter has it. A row is long if fewer than four tiles of its length fit into `elements`. If a
    launch may have long rows, they keep the original kernel, and short rows get a second one; the
    launch tests `if BLOCK <= 512:`. A launch that passes a long tile for every row (`BLOCK=1024`)
    tests the row length instead, and passes a shorter tile for short rows. Where a constexpr
    selects one-tile code or loops, as after `one-tile`, only the one-tile code changes, and the
    launch tests that condition.

    - `elements` (2048): target elements of a program's tile, a power of two.
    - `programs` (1024): fewest programs that a launch keeps.
    - `apart` (true): write the second kernel. With `false`, or if launches do not call a top-level
      function by name, one kernel handles both, and long rows get a two-axis tile, which may be
      slower.

    ## Why

    For a short row, a program's start-up and reductions over idle threads dominate. `all` acts only
    if every visible launch has tiles of at most 512 elements that hold the whole row: elsewhere the
    new kernel may never run.

    ## Conditions

    - The program id of axis 0 gives the row and is used in arithmetic only. The number of programs
      is not used, so persistent kernels are declined (`program-ids-are-used`).
    - What depends on the row is computed lane by lane, reduced along the tile's one axis, summed or
      multiplied up along it (`tl.cumsum`, `tl.cumprod`), loaded, stored, or passed to an atomic
      with unused result; helpers compute lane by lane (`not-lane-by-lane`).
    - Branches and trip counts are the same for all rows. A carried name has one value per row
      throughout, or one for all rows; a scalar becomes a vector before its loop (`rows-differ`).
    - A `return` that all rows take stays. An `if` that only returns, for some rows, becomes a mask;
      every memory access after it is then one per row.
    - No store goes to one address for all rows (`one-place-for-all-rows`). No program reads what
      another one writes (`tiles-race`).
    - Programs that already handle several rows in two-axis tiles stay (`already-done`, if all
      launches pass the same number).
    - Launches are statements in the kernel's file and pass the tile length. No tuner or heuristic
      chooses it or sees the new argument.
    - A tile is shortened only if the result does not depend on its length: all loops go over the
      row in such tiles, lanes past the end add nothing, and only sums, maxima and minima remain
      (otherwise `tile-is-long`).

    ## Numerics

    Safety `contract`: launches change. A sum along a two-axis tile may add in another order
    (`rounding`). In a shortened tile, 0 times anything counts as 0: if a lane past the end
    multiplies 0 by infinity, a NaN may vanish.

    ## Example

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(m,)](
            x, y, x.stride(0), m, n, BLOCK=64
        )
        return y
    ```

    becomes

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr = 1):
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        row_mask = rows < M
        cols = tl.arange(0, BLOCK)[None, :]
        x = tl.load(
            X + rows * stride + cols, mask=row_mask & (cols < N), other=-float("inf")
        )
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(
            Y + rows * stride + cols,
            e / tl.sum(e, axis=1, keep_dims=True),
            mask=row_mask & (cols < N),
        )


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(32, triton.next_power_of_2(m // 1024 + 1) // 2))
        softmax_kernel[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), m, n, BLOCK=64,
            ROWS=rows_per_program
        )
        return y
    ```

    ## Measured

    0.97x to 14.72x for rows of up to 128 elements, 0.95x to 3.88x for 256 and 512, 0.96x to 1.09x
    for longer ones, which keep their kernel.

    Row kernels (`examples/`), 22 shapes in fp32, fp16 and bf16, one H200, Triton 3.6, cold L2,
    original / rewritten. Many rows gain most, as in sums of 1000000 rows of 64. Where these had
    been launched with tiles of 4096, sums and extremes rose from 0.09 to 0.92 of copy bandwidth
    (one H100). With `apart=false`, long rows lose up to a quarter. Record: `benchmarks/rows.py`,
    `benchmarks/results/`.
    """

    elements: int = 2048
    programs: int = 1024
    apart: bool = True

    name: ClassVar[str] = "row-batch"
    summary: ClassVar[str] = "let each program handle several short rows at once"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        figure("row-batch, up to 512 elements"),
        f"{WHERE}, for rows of up to 512 elements, most where there are many",
        "a program has enough to do to be worth starting",
    )

    def __post_init__(self) -> None:
        if self.elements < 4 or self.elements & (self.elements - 1):
            raise PassSelectionError(
                f"row-batch: elements cannot be {self.elements}; write a power of two, 4 or more"
            )
        if self.programs < 1:
            raise PassSelectionError(
                f"row-batch: programs cannot be {self.programs}; write 1 or more"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.rank_lifting.lifting_legality import fixed_rows, row_ids

        ids = row_ids(facts)
        if ids is not None:
            site = self._examined(facts, ids)
            if site is not None:
                yield site
            return
        several = fixed_rows(facts)
        if several is not None:
            anchor, number = several
            detail = f"a program handles {number} of them already, however long they are"
            with Attempt() as attempt:
                raise refuted("rows-can-be-lifted", "already-done", detail)
            yield Site.of(attempt, anchor, "", "left the rows as they are")

    def _examined(self, facts: KernelFacts, ids: ProgramIds) -> Site | None:
        from tritonopt.transforms.rank_lifting.lifting_legality import prove_row_batch
        from tritonopt.transforms.rank_lifting.row_launches import Batching
        from tritonopt.transforms.writing import Writer

        batching = Batching(self.elements, self.programs)
        apart = False
        proof: RowBatch | None = None
        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            proof = prove_row_batch(facts, ids, Writer(facts), attempt)
            longest = max({proof.launches.longest_tile, *proof.launches.known_tiles})
            if longest > batching.longest:
                proof = self._with_shorter_tiles(proof, longest, batching)
            if proof.launches.are_long(batching):
                return None  # short rows have a kernel of their own
            wanted = 2 * batching.programs
            if proof.launches.are_few(batching) or starts_at_most(facts, ids.axis, wanted - 1):
                detail = f"no launch has {wanted} rows"
                raise refuted("rows-can-be-lifted", "few-rows", detail)
            apart = self.apart and proof.is_apart(batching)
            changes = tuple(proof.changes(batching, apart=apart))
            detail = (
                "the numbers of rows past the end go up to those of one program more; they stay"
            )
            attempt.assume("no-int32-overflow", f"{detail} below 2**31")
            attempt.prove("is-expressible", "what several rows need can be written")
        message = ""
        if attempt.holds and proof is not None:
            message = f"made each program handle several rows at once ({proof.launches.summary})"
            if apart:
                message = f"made a kernel for several rows at once, of {batching.longest} elements "
                message += "each at most; longer ones keep the one that there was"
            elif proof.part.decisions:
                message += "; one that loops over tiles of a row keeps that one"
            if not apart and proof.launches.may_be_long(batching):
                message += f"; a row of more than {batching.longest} elements keeps a program alone"
                message += ", in a tile of two axes, which may cost some percent"
        sums = proof is not None and proof.adds_up_floats
        return Site.of(
            attempt,
            ids.calls[0],
            message,
            "left one row to each program",
            needs={Safety.CONTRACT, Safety.ROUNDING} if sums else {Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER if sums else Bits.SAME,
            changes=changes,
            pays=attempt.holds and _is_short(proof) and not _is_shared(facts, ids.axis),
            advice="let each program handle several rows at once",
        )

    def _with_shorter_tiles(self, proof: RowBatch, longest: int, batching: Batching) -> RowBatch:
        """The rows with tiles that follow them where they are short. Raises Declined."""
        from tritonopt.transforms.rank_lifting.fitted_tile import fitted_tile

        detail = f"a tile of {longest} elements is as much as a program should hold"
        by_a_function = any(row.extent.meta for row in proof.launches.launches)
        if by_a_function or not self.apart or not proof.is_apart(batching):
            raise refuted("rows-can-be-lifted", "tile-is-long", detail)
        fitted = fitted_tile(proof.facts, batching.longest, detail)
        return replace(proof, launches=replace(proof.launches, fitted=fitted))


def _is_short(proof: RowBatch | None) -> bool:
    """Whether every launch is seen to have rows as short as those that gained, in one tile each."""
    if proof is None:
        return False
    lifted = (loop for loop in proof.facts.loops if loop.node not in proof.part.left)
    along = [tiles_of(proof.facts, loop) for loop in lifted]
    once = all(found and all(tiles.holds_row for tiles in found) for found in along)
    known = proof.launches.known_tiles
    return once and bool(known) and max(known) <= _PAYS_UP_TO


def _is_shared(facts: KernelFacts, axis: int) -> bool:
    """Whether programs along another axis of the grid each have a tile of one row.

    However short its tile is, the row is not, and the tile is as long as its author chose.
    """
    row = ProgramId(Polynomial.constant(axis))
    for node in ast.walk(facts.kernel.node):
        value = facts.values.get(node) if isinstance(node, ast.expr) else None
        with suppress(TooLarge):
            form = None if value is None else facts.forms.of(value)
            leaves = [] if form is None else list(form.leaves())
            programs = {leaf for leaf in leaves if isinstance(leaf, ProgramId)} - {row}
            lanes = {leaf for leaf in leaves if isinstance(leaf, Lane)}
            for program, lane in product(programs, lanes):
                if form == Polynomial.of(program) * lane.extent + Polynomial.of(lane):
                    return True
    return False
