"""split-reduce: a long row that one program reduces becomes the work of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts, Loop
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.splitting.split_sums import SplitLoop


_FEW_ROWS = figure("split-reduce, few rows")
_MANY_ROWS = figure("split-reduce, many rows")
_TWO_SWEEPS = figure("split-reduce, two sweeps")


@dataclass(frozen=True)
class SplitReduce(Pass):
    """Reduce a long row by several programs, where one program did.

    ## What it does

    A kernel in which one program reduces a long row, or a whole tensor, in a loop gets one more
    axis of its grid. Along it, `SPLITS` programs share the turns of the loop: each has every
    `SPLITS`-th of them, stores what it has found to a buffer, and ends. A second kernel takes
    these results together, and does what the first one did behind its loop.

    Where that is another loop, which goes through the row once more with what was found (a norm,
    a softmax), the second kernel has `SPLITS` programs for a row too. Each takes the results of
    the row together and does its part of the loop; what stands around it is stored by the first.

    Each launch computes `SPLITS` from the length of the row, the number of rows and the number of
    multiprocessors. Where it comes to 1, for there are rows enough or the row is short, the kernel
    is compiled to what it was, no buffer is made, and the second kernel is not launched.

    Options:

    - `programs` (`sm*8`): how many programs there should be in all; a number, or `sm*8` for 8 a
      multiprocessor.
    - `turns` (8): how many turns of the loop a program should have at least.
    - `combine` (`kernel`): with `atomics` there is no second kernel. The programs of a row bring
      what they have found to the output by `tl.atomic_max` or its kin, and the launcher stores
      the identity there first: -inf for a maximum, inf for a minimum, 0 for a sum of integers.

    ## Why

    A launch of few programs leaves most of a GPU with nothing to do, however long their rows are:
    one program reads a small share of what the memory could deliver.

    ## Conditions

    The loop stands in the kernel's own block, is counted and runs to its end; loops inside of it go
    along. What is read behind it of what it binds are accumulators of a signed type of 32 bits or
    more, of these kinds:

    - sums, which begin with 0, and largest and least elements, by `tl.maximum` and `tl.minimum` or
      chosen by a comparison;
    - the index of the first of the largest elements, or of the least (`tl.where(new > top, start +
      place, best)`), where a later turn has larger indices only;
    - sums of exponentials of what is below a running maximum, as in an online softmax. Where the
      maximum begins with -inf, a tile of nothing but -inf makes the sum NaN: such a tile may be
      the first one of some program, so this is of safety `assumption`
      (`infinite-rows-are-the-same`).

    Each turn brings to them what does not depend on what the turns before have left
    (`not-a-recurrence`), but for pointers and offsets that every turn moves by the same
    step. A tile that is not reduced behind the loop has one axis.

    Before the loop and in it nothing is stored, printed or asserted (`done-by-every-part`). What
    is behind it is done once, by the second kernel: so that need not be linear.

    One more loop may stand behind it, in the kernel's own block as well, whose turns need nothing
    from each other (`several-sweeps`: merge three sweeps to two first, as `fuse-stats` does). Each
    of its turns stores a tile of one axis, beside that of the next turn
    (`dependence-between-iterations`). What the second kernel loads is known to be no buffer that
    it stores to (`data-may-change`): one of its programs would read what another one has stored.
    So a norm that works in place is left alone. It has no atomics or barriers in the loop
    (`done-by-every-part`).

    With `combine=atomics` the order must not matter, so there are no sums of floats, and all that
    is behind the loop is a plain store of the one result, in its own type, each program to an
    element of its own. The output is `torch.empty` memory of the launcher that nobody uses before
    the launch. No tuner is above the kernel: it would add several times. Else: `not-one-atomic`.

    Every launch is seen, is a statement of its own in the kernel's file, has a grid of one or two
    axes, and passes how long the row and the tile are. Its intermediates are made by
    `torch.empty`, on the stream that the launch uses.

    Index arithmetic is taken not to overflow int32 (`no-int32-overflow`): the last turns count
    beyond the end of the row by at most `SPLITS` tiles.

    ## Numerics

    The safety is `contract`, for the launches change with the kernel. The largest, the least,
    their indices and sums of integers are exact, and the bits are the same: `tl.max` drops NaN as
    `tl.maximum` does.

    Sums of floats are of safety `rounding` too, bits `reduction-order`; so are extremes that are
    chosen by a comparison, of which the sign of a zero may differ. Sums are deterministic, as they
    were, and shorter ones have a smaller error; the number of programs, and so the last bits,
    depends on the device. Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a round trip through a
    narrow type are left alone then: someone matched another library's bits.

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
        # Puts together what the programs of row_mean have found.
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
        # So many programs share a row, a power of two: 1 where rows are many, or short.
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

    Sums, extremes, means and variances in tiles of 1024, fp32, on one H200, Triton 3.6, cold L2,
    the same result in every run. One row is read as fast as it is copied, 16 rows at 0.89 of that;
    for the variance it is 0.90 and 0.78. Torch reads them at 0.72 to 0.99. A million rows of 64
    stay at 0.11: they want `row-batch`. The index of an extreme was not
    measured. Extremes and sums of integers by `combine=atomics` took as long as by the second
    stage. Script and record: `benchmarks/reductions.py`, `benchmarks/results/`.

    Rows that are gone through twice, layer norm and log-softmax after `fuse-stats` and
    `online-softmax`: 1.77x to 29.19x for 256 rows of 65536 elements and 16 of four million, which
    come to 0.56 to 0.60 of the copy (`benchmarks/references.py`).

    It does not pay where no launch has a loop of more than 32 turns, nor where the loop counts one
    by one to a constexpr, as to a number of experts.
    """

    programs: str = "sm*8"
    turns: int = 8
    combine: Literal["kernel", "atomics"] = "kernel"

    name: ClassVar[str] = "split-reduce"
    summary: ClassVar[str] = "reduce a long row by several programs at once"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        _FEW_ROWS,
        f"{WHERE} for one row of a billion elements and 16 of four million; {_MANY_ROWS} for many "
        "rows, which keep one program each",
        "the whole GPU reads a row, and not one multiprocessor",
    )

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise PassSelectionError(f"split-reduce: turns cannot be {self.turns}; write 1 or more")
        if not self.programs.removeprefix("sm*").isdigit():
            raise PassSelectionError(
                f"split-reduce: programs cannot be {self.programs}; write a number, or sm*8"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.splitting.shared_loops import candidates

        for loop in candidates(facts):
            yield self._examined(facts, loop)

    def _examined(self, facts: KernelFacts, loop: Loop) -> Site:
        from tritonopt.transforms.pinned_rounding import check_pins
        from tritonopt.transforms.promised_order import assume_free_order
        from tritonopt.transforms.splitting.atomic_store import prove_atomic
        from tritonopt.transforms.splitting.split_gain import pays_to_divide
        from tritonopt.transforms.splitting.split_kernel import SplitKernel
        from tritonopt.transforms.splitting.split_launches import Splitting, prove_launches
        from tritonopt.transforms.splitting.split_sums import prove_split
        from tritonopt.transforms.writing import Writer

        split: SplitLoop | None = None
        changes: tuple[Change, ...] = ()
        summary, few = "", None
        with Attempt() as attempt:
            split = prove_split(facts, loop, attempt)
            if any(c.claim == "infinite-rows-are-the-same" for c in attempt.conditions):
                attempt.need(Safety.ASSUMPTION)
            if any(a.rounds for a in split.accumulators):
                attempt.need(Safety.ROUNDING)
                assume_free_order(attempt, facts)
                check_pins(attempt, facts)
            launches = prove_launches(split, attempt)
            atomic = None
            if self.combine == "atomics":
                atomic = prove_atomic(split, launches.extents, attempt)
            kernel = SplitKernel(split, launches.axes, Writer(facts), atomic)
            splitting = Splitting(self.programs, self.turns)
            found = [*kernel.changes(), *launches.changes(kernel.names, splitting, atomic)]
            detail = "the last turns count beyond the end of the row by as many tiles as it has"
            attempt.assume("no-int32-overflow", f"{detail} programs, which stays below 2**31")
            attempt.prove("is-expressible", "the two kernels and their launches can be written")
            changes, summary, few = tuple(found), launches.summary, launches.start_few
        where = f"the loop in line {loop.line}"
        if split is not None and split.second is not None:
            where = f"the loops in lines {loop.line} and {split.second.loop.line}"
        rounds = Safety.ROUNDING in attempt.safety
        return Site.of(
            attempt,
            loop.node,
            f"divided {where} over several programs ({summary} over how many)",
            f"left {where} to one program",
            needs={Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER if rounds else Bits.SAME,
            changes=changes,
            pays=few is not False and self.combine == "kernel" and pays_to_divide(facts, loop),
            depends=few is None,
            advice=f"let several programs share {where}, which one goes through alone",
            worth=_worth(split, few) if self.combine == "kernel" else "",
        )


def _worth(split: SplitLoop | None, few: bool | None) -> str:
    """What was measured of a site like this; "" where it is what the pass says of itself."""
    if split is not None and split.second is not None:
        return f"{_TWO_SWEEPS} {WHERE} for 256 rows of 65536 elements and 16 of four million"
    return "" if few else f"{_FEW_ROWS} {WHERE} for few and long rows, {_MANY_ROWS} for many"
