"""split-reduce: a long row that one program reduces becomes the work of several.

`split_loop` proves that programs may share the iterations of the loop, and how its accumulators are
combined; `second_sweep` proves the same of a loop after it; `two_kernels` writes kernels and
launches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts, Loop
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.passes.split_reduce.split_loop import SplitLoop

_FEW_ROWS = figure("split-reduce, few rows")
_MANY_ROWS = figure("split-reduce, many rows")


@dataclass(frozen=True)
class SplitReduce(Pass):
    """Reduce a long row by several programs instead of one.

    ## What it does

    A kernel in which one program reduces a long row, or a whole tensor, in a loop gets one more
    grid axis, along which `SPLITS` programs share a row: each runs every `SPLITS`-th iteration and
    stores its partial results in a `torch.empty` buffer. A second kernel combines them and runs the
    code after the loop. If that code has another loop over the row (a norm, a softmax), the second
    kernel also has `SPLITS` programs per row: each combines the partial results and runs its share
    of the loop; the first of them executes the stores outside the loop.

    Each launch computes `SPLITS` from the row length, the number of rows and the number of
    multiprocessors. With 1 (many or short rows), the kernel compiles to the original, without
    buffer or second launch.

    - `programs` (`sm*8`): the total number of programs, or `sm*K` for K per multiprocessor.
    - `turns` (8): the least number of iterations per program.

    ## Why

    A launch of few programs leaves most of a GPU idle, however long its rows are. If `--passes`
    does not name the pass, it is applied only if sizes in the launcher show at most 132 programs
    and at least 64 iterations, and not to loops over `range(CONSTEXPR)`, such as a number of
    experts.

    ## Conditions

    The loop is at the kernel's top level, over `range`, and has no early exit; it may contain
    loops. Of the names bound in it, code after it reads only accumulators of a signed type of 32
    bits or more:

    - sums that start at 0; maxima and minima, by `tl.maximum`, `tl.minimum` or a comparison;
    - the index of the first maximum or minimum (`tl.where(new > top, start + place, best)`), if
      indices grow with the iterations;
    - sums of exponentials with a running maximum, as in an online softmax. If the maximum starts at
      -inf, the sum of a program whose first tile is all -inf becomes NaN, so we assume that no such
      tile exists (`infinite-rows-are-the-same`, safety `assumption`).

    Also:

    - Iterations are independent (`not-a-recurrence`), except for pointers and offsets that advance
      by a constant step. An unreduced accumulator must be 1-D.
    - There is no store, print or assertion in the loop or before it (`done-by-every-part`). The
      code after the loop may do anything, because it runs once, except for a second loop:
    - At most one loop is after it, at top level, with independent iterations (`several-sweeps`;
      merge three loops by `fuse-stats` or `online-softmax` first). Each iteration stores a one-axis
      tile next to the previous one (`dependence-between-iterations`), without atomics or barriers
      (`done-by-every-part`). The second kernel must not load elements that it stores
      (`data-may-change`), so in-place norms are declined.
    - Launches are statements in the kernel's file, have grids of one or two axes, and pass row and
      tile length.

    Assumed: indices fit int32 (`no-int32-overflow`), up to `SPLITS` tiles past the end of the row.

    ## Numerics

    Safety `contract`: launches change. Maxima, minima, their indices and integer sums are exact,
    with the same bits; `tl.max` and `tl.maximum` both ignore NaN.

    Float sums also have safety `rounding` and bits `reduction-order`. So do maxima and minima
    computed by a comparison (`if x > m`), in which only the sign of a zero may differ. Sums stay
    deterministic and have a smaller error, but their last bits depend on the number of
    multiprocessors, which determines `SPLITS`. Kernels with pinned rounding (`div_rn`, `sqrt_rn`,
    `fdiv`, round trips through a narrow type) are then not rewritten.

    ## Example

    ```python
    @triton.jit
    def row_mean(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(acc, axis=0) / N)


    def mean(x):
        m, n = x.shape
        y = torch.empty(m, device=x.device)
        row_mean[(m,)](x, y, x.stride(0), n, BLOCK=1024)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def row_mean(
        X, Y, stride, N, BLOCK: tl.constexpr, partials=None, SPLITS: tl.constexpr = 1
    ):
        row = tl.program_id(0)
        acc = tl.zeros([BLOCK], dtype=tl.float32)
        split = tl.program_id(1) if SPLITS > 1 else 0
        for start in range(split * BLOCK, N, SPLITS * BLOCK):
            cols = start + tl.arange(0, BLOCK)
            acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        if SPLITS > 1:
            part = row * SPLITS + split
            tl.store(partials + part, tl.sum(acc, axis=0))
            return
        tl.store(Y + row, tl.sum(acc, axis=0) / N)


    @triton.jit
    def row_mean_final(partials, Y, N, SPLITS: tl.constexpr):
        # Second stage: combine the partial results of row_mean.
        row = tl.program_id(0)
        parts = row * SPLITS + tl.arange(0, SPLITS)
        acc = tl.load(partials + parts)
        tl.store(Y + row, tl.sum(acc, axis=0) / N)


    def mean(x):
        m, n = x.shape
        y = torch.empty(m, device=x.device)
        num_programs = (
            8 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
            if torch.cuda.is_available()
            else 2**31 - 1
        )
        # Programs per row, a power of two: 1 where rows are many or short.
        splits = min(4096, num_programs // max(1, m), triton.cdiv(n, 1024) // 8)
        splits = max(1, triton.next_power_of_2(splits + 1) // 2)
        partials = None
        if splits > 1:
            partials = torch.empty(m, splits, dtype=torch.float32, device=x.device)
        row_mean[(m, splits)](
            x, y, x.stride(0), n, BLOCK=1024, partials=partials, SPLITS=splits
        )
        if splits > 1:
            row_mean_final[(m,)](partials, y, n, SPLITS=splits)
        return y
    ```

    ## Measured

    17.59x to 726.72x for one row of a billion elements and 16 of four million; 0.99x to 1.01x for
    many rows, where `SPLITS` is 1.

    Sums, extremes, means and variances, tiles of 1024, fp32, one H200, Triton 3.6, cold L2,
    original / rewritten; every run gave the same result. One row reaches copy bandwidth, 16 rows
    0.89 of it; the variance reaches 0.90 and 0.78, torch 0.72 to 0.99. A million rows of 64 stay at
    0.11; use `row-batch` for these. Indices of extremes were not measured. Record:
    `benchmarks/reductions.py`, `benchmarks/results/`.

    Layer norm and log-softmax after `fuse-stats` and `online-softmax`, 256 rows of 65536 and 16 of
    four million: 1.77x to 29.19x, 0.56 to 0.60 of copy bandwidth (`benchmarks/references.py`).
    """

    programs: str = "sm*8"
    turns: int = 8

    name: ClassVar[str] = "split-reduce"
    summary: ClassVar[str] = "reduce a long row by several programs at once"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        _FEW_ROWS,
        f"{WHERE} for one row of a billion elements and 16 of four million; {_MANY_ROWS} for many "
        "rows, which keep one program each",
        "the whole GPU reads a row, instead of one multiprocessor",
    )

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise PassSelectionError(
                f"split-reduce: `turns` cannot be {self.turns}; write 1 or more"
            )
        if not self.programs.removeprefix("sm*").isdigit():
            raise PassSelectionError(
                f"split-reduce: programs cannot be {self.programs}; write a number, or sm*8"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.passes.split_reduce.split_loop import candidates

        for loop in candidates(facts):
            yield self._examined(facts, loop)

    def _examined(self, facts: KernelFacts, loop: Loop) -> Site:
        from tritonopt.facts.precision import check_pins
        from tritonopt.launches.plan import LaunchPlan
        from tritonopt.passes.split_reduce.split_loop import is_no_row, prove_split
        from tritonopt.passes.split_reduce.two_kernels import TwoKernels
        from tritonopt.rewriting.promised_order import add_in_another_order

        split: SplitLoop | None = None
        launches = facts.launches.launches
        with Attempt() as attempt:
            split = prove_split(facts, loop, attempt)
            if any(p.rounds for p in split.partials):
                add_in_another_order(attempt, facts)
                check_pins(attempt, facts)
            axis = LaunchPlan.of(facts, attempt).new_axis()
            found = TwoKernels(split, axis, self.programs, self.turns).changes()
            detail = "the last iterations run past the end of the row by as many tiles as there are"
            attempt.assume("no-int32-overflow", f"{detail} programs, which stays below 2**31")
            attempt.write(found, "the two kernels and their launches can be written")
        where = f"the loop in line {loop.line}"
        if split is not None and split.second is not None:
            where = f"the loops in lines {loop.line} and {split.second.loop.line}"
        decides = "the launch decides" if len(launches) == 1 else "each launch decides"
        never = "the loop does not run over the tiles of a row" if is_no_row(facts, loop) else ""
        return Site.of(
            attempt,
            loop.node,
            f"split {where} over several programs ({decides} over how many)",
            f"did not split {where}",
            needs={Safety.CONTRACT},
            profit=profit(facts, "split-reduce", loop=loop, never=never),
            advice=f"split {where}, which one program runs alone, over several programs",
        )
