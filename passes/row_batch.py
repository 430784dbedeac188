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
    """Let a program handle several short rows at once, where it handled one.

    ## What it does

    A kernel whose program id says which row it handles, with a tile along the columns of that row,
    gets one more axis in front: a program handles `ROWS` rows, a tile is `[ROWS, BLOCK]`, a number
    of a row is a vector `[ROWS]`, and a reduction is along the columns. Rows past the end are
    masked wherever memory is read or written. What is the same for all rows stays as it is, and so
    is loaded once for all of them.

    Where the compiler decides between code for a row that one tile holds and loops for longer ones,
    as `one-tile` leaves it, only the former is lifted: each launch asks for the condition itself.

    Each launch divides its grid, and passes `ROWS`: a power of two, as many as make a program hold
    about `elements` elements of a tile, and not so many that fewer than `programs` programs
    remain. Where no parameter of the kernel is seen to be the number of rows, it is passed too.

    A row is long where fewer than four such tiles fit. Where a launch may have long rows, the
    kernel stays as it is for these, and one of its own for short rows is written behind it; the
    launch decides (`if BLOCK <= 512:`). A launch that makes the tile long for every row
    (`BLOCK=1024`) asks how long the row is instead, and gives a short one the tile that holds it.

    Options:

    - `elements` (2048): how many elements of a tile a program should hold; a power of two.
    - `programs` (1024): how many programs should remain.
    - `apart` (true): whether short rows get a kernel of their own where rows may be long. With
      `false` one kernel does both, and a long row has a tile of two axes there, which may be
      slower. So it is too where the launches do not call the kernel by its name, and where it is
      no function of the file's own block.

    ## Why

    A short row is too little for a program: most of its time goes into starting, and into
    reductions over threads that have nothing to add.

    ## Conditions

    The program id of axis 0 is the row, or the row is computed from it; there is no other use of
    it than in arithmetic, and nobody asks how many programs there are. All that depends on the row
    is lane by lane, a reduction along the one axis of a tile, a load, a store, or an atomic whose
    old value is not used (`not-lane-by-lane` for all else). A branch asks, and a loop counts, what
    is the same for all rows (`rows-differ`); where all rows leave together, a `return` stays. Rows
    that leave alone, by an `if` that returns and does nothing else, are masked from there on,
    unless something is done for all rows behind it: that would be done where all of them have
    left. Nothing is written to a place that all programs share (`one-place-for-all-rows`), nor
    does a program read what another one writes, as far as offsets and launches show it
    (`tiles-race`): that depended on the order of programs before.

    A loop that reduces what it loads, for a result that is used more than once, is left alone:
    with several rows Triton's compiler fails an assertion there (`not-lane-by-lane`, seen with
    3.6 and 3.7). `defer-reduction` before this pass moves the reduction behind the loop.

    A name that a loop carries is of one kind throughout: what was a Python number or a tile of one
    number before the loop begins with an axis for the rows; anything else is declined
    (`rows-differ`). A helper stays as it is where it computes lane by lane and is given tiles of
    one kind (`not-lane-by-lane`).

    A program that handles several rows already, in tiles of two axes, keeps as many of them
    (`already-done`, where all launches pass the same number). One that goes
    from row to row by the number of programs does not start anew for each (`program-ids-are-used`).

    Every launch is seen, in the kernel's file, and says how long a tile is; a tuner or a heuristic
    that chooses it, or that would see one more argument, is declined. Each launch is a statement
    of its own.

    A long tile becomes a shorter one where the kernel computes the same whatever its length is:
    every loop goes through the row in such tiles, lanes behind the end of the row add nothing, and
    nothing else than sums, maxima and minima is left of them (`tile-is-long` where that is not
    shown, with the reason).

    ## Numerics

    The same operations for each element, with the safety `contract`, for the launches change with
    the kernel. A sum along a tile of two axes may add in another order (`rounding`). Where a tile
    is made shorter, 0 times something counts as 0: where a lane behind the end of the row
    multiplies 0 by infinity, a NaN may go.

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
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        row_mask = rows < M
        cols = tl.arange(0, BLOCK)
        x = tl.load(
            X + rows[:, None] * stride + cols[None, :],
            mask=row_mask[:, None] & (cols[None, :] < N),
            other=-float("inf"),
        )
        e = tl.exp(x - tl.max(x, axis=1)[:, None])
        tl.store(
            Y + rows[:, None] * stride + cols[None, :],
            e / tl.sum(e, axis=1)[:, None],
            mask=row_mask[:, None] & (cols[None, :] < N),
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
    for longer ones, which keep the kernel that they had.

    Textbook kernels over rows (norms, softmax, cross-entropy, sums, extremes: `examples/`), 22
    shapes in fp32, fp16 and bf16 on one H200, Triton 3.6, cold L2, original / rewritten. Most is
    gained where there are many rows: sums of 1000000 rows of 64 elements. Where tiles of 4096 had
    been passed for these, sums and extremes came from 0.09 of a copy to 0.92 (one H100).

    With `apart=false` longer rows have a tile of two axes, which cost up to a quarter. The pass
    pays where all launches that are seen have tiles of at most 512 elements, and neither a loop
    nor other programs go on along the row: elsewhere it adds a kernel that may never run.
    Script and record: `benchmarks/rows.py`, `benchmarks/results/`.
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
