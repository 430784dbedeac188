"""row-batch: a program that handles one short row becomes one that handles several.

The package computes what each expression and statement becomes, the conditions for that, and the
new launches.
"""

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
from tritonopt.facts.algebra.turns import starts_at_most
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Answer, Bits, Profit, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.profitability import at_all, profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.passes.row_batch.lifting_legality import RowBatch

_SHARED = "programs along another axis have tiles of the same row"


@dataclass(frozen=True)
class RowBatches(Pass):
    """Let each program handle several short rows instead of one.

    ## What it does

    The tiles of a kernel in which each program handles one row get a leading axis. Then a program
    handles `ROWS` rows: tiles become `[ROWS, BLOCK]`, scalars of a row become `[ROWS, 1]`, tiles
    that all rows share become `[1, BLOCK]` and are loaded once, and reductions run along the
    columns. Rows past the end are masked.

    Each launch passes `ROWS`, and the number of rows if no parameter has it, and divides its grid
    (in the tuple, in the `lambda`, or, through `meta["ROWS"]`, in the function). `ROWS` is
    `elements // BLOCK` (`elements` is an option, below), or `max(elements // BLOCK, 1)` where
    `BLOCK` may exceed `elements`. `ROWS = 1` costs no time, unless a loop reduces the tile. As a
    part of the group `rows`, the pass is applied only if a gain is expected (see Why), or if each
    launch passes a tile of at most `elements // 2`, or at most four warps and a tile as long as the
    row (`triton.next_power_of_2`).

    - `elements` (512): elements of a program's tile, a power of two.
    - `several_tiles=true` (default false): also applies if a loop adds up tiles of a row, a later
      loop reads the row again, and rows may take several tiles. Without the option such kernels are
      declined (`row-may-be-longer`). Rows of several tiles then took up to 1.3 times as long in
      bf16, even with one row per program.

    ## Why

    With short rows, most time goes to starting programs and to reductions over idle threads. If
    `--passes` does not name the pass, it is applied only if sizes in the launcher (numbers,
    assertions) show rows of at most 256 elements at every launch, and at no launch fewer than 4096
    programs. For a kernel without loops one such launch is enough, if no launch shows longer rows.

    ## Conditions

    - The program id of axis 0 gives the row and is used in arithmetic only. The number of programs
      is not used, so persistent kernels are declined (`program-ids-are-used`).
    - Values that depend on the row are computed lane by lane, reduced along the tile's one axis,
      scanned along it (`tl.cumsum`, `tl.cumprod`), loaded, stored, or passed to an atomic with
      unused result. Helpers compute lane by lane (else `not-lane-by-lane`).
    - Branches and trip counts are the same for all rows; a choice between names and numbers (`1.0
      if scale == 0 else scale`) becomes `tl.where`. A loop-carried name either is shared by all
      rows or has a value for each row, and stays so in all iterations (`rows-differ`).
    - A `return` that all rows take stays. An `if` that only returns, for some rows, becomes a mask;
      every memory access after it must then depend on the row.
    - No store goes to one address for all rows (`one-place-for-all-rows`). No program reads what
      another one writes (`tiles-race`).
    - Programs do not already handle several rows in two-axis tiles.
    - Launches are statements in the kernel's file and pass the tile length. No tuner or heuristic
      chooses it or gets the new argument.
    - Some launch may have a tile of at most `elements // 2` (otherwise `tile-is-long`), and more
      than one row (otherwise `few-rows`).

    ## Numerics

    Safety `contract`: the parameters and the grid change, and all launches in the given files with
    them. A sum along a two-axis tile may add in another order (`rounding`).

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
        softmax_kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=64)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
        row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        row_mask = row < M
        cols = tl.arange(0, BLOCK)[None, :]
        x = tl.load(
            X + row * stride + cols, mask=row_mask & (cols < N), other=-float("inf")
        )
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(
            Y + row * stride + cols,
            e / tl.sum(e, axis=1, keep_dims=True),
            mask=row_mask & (cols < N),
        )


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        # A program takes about 512 elements.
        rows = 8
        softmax_kernel[(triton.cdiv(m, rows),)](
            x, y, x.stride(0), m, n, BLOCK=64, ROWS=rows
        )
        return y
    ```

    ## Measured

    1.09x to 7.56x for rows of up to 128 elements, 0.98x to 1.95x for 256, 0.93x to 1.05x for longer
    ones, of which a program still takes one.

    Row kernels (`examples/`), 22 shapes in fp32, fp16 and bf16, one H200, Triton 3.6, cold L2,
    original / rewritten. Many rows gain most, such as 1000000 rows of 64. `several_tiles=true` is
    also faster for short rows of norms, and slower for rows of several tiles, most for RMS norm. In
    kernels without loops a tile of one row takes the same time. Tiles of 512 elements were, up to
    noise, never slower than one row per program. Tiles of 2048 elements were slower for few rows;
    written by hand, they were 1.22x to 1.98x faster than tiles of 512 for 65536 rows and more of 64
    to 512 elements (`benchmarks/by_hand.py`). Records: `benchmarks/rows.py`,
    `benchmarks/rows_per_program.py`, `benchmarks/results/`.
    """

    elements: int = 512
    several_tiles: bool = False

    name: ClassVar[str] = "row-batch"
    summary: ClassVar[str] = "let each program handle several short rows at once"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        figure("row-batch, up to 256 elements"),
        f"{WHERE}, for rows of up to 256 elements, most where there are many",
        "each program has more work",
    )

    def __post_init__(self) -> None:
        if self.elements < 4 or self.elements & (self.elements - 1):
            raise PassSelectionError(
                f"row-batch: elements cannot be {self.elements}; write a power of two, 4 or more"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.row_batch.lifting_legality import row_ids

        ids = row_ids(facts)
        if ids is not None:
            yield self._examined(facts, ids)

    def _examined(self, facts: KernelFacts, ids: ProgramIds) -> Site:
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.row_batch.lifting_legality import check_tiles, prove_row_batch

        proof: RowBatch | None = None
        with Attempt() as attempt:
            proof = prove_row_batch(facts, ids, Writer(facts), self.elements, attempt)
            if starts_at_most(facts, ids.axis, 1):
                raise refuted("rows-can-be-lifted", "few-rows", "every launch has one row")
            if not self.several_tiles:
                check_tiles(proof)
            changes = proof.changes()
            detail = "row numbers past the end, which the last program computes, are below 2**31"
            attempt.assume("no-int32-overflow", detail)
            attempt.write(changes, "the code for several rows can be written")
        sums = proof is not None and proof.adds_up_floats
        return Site.of(
            attempt,
            ids.calls[0],
            f"made each program handle several rows, about {self.elements} elements in total",
            "did not batch rows",
            needs={Safety.CONTRACT, Safety.ROUNDING} if sums else {Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER if sums else Bits.SAME,
            profit=_profit(facts, ids.axis, proof),
            advice="let each program handle several rows at once",
        )


def _profit(facts: KernelFacts, axis: int, proof: RowBatch | None) -> Profit:
    """Of the longest row that a loop goes through, or that a tile holds."""
    never = _SHARED if _is_shared(facts, axis) else ""
    if facts.loops:
        found = at_all(profit(facts, "row-batch", loop=one, never=never) for one in facts.loops)
    else:
        lanes = (v.extent for v in facts.interpretation.computed if v.op is Op.LANE)
        forms = dict.fromkeys(map(facts.forms.of, lanes))
        found = at_all(profit(facts, "row-batch", tile=[form], never=never) for form in forms)
    if found.answer is Answer.NEVER or (proof is not None and not proof.launches.may_be_short):
        return replace(found, is_unlikely=not found.is_expected)
    return found


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
