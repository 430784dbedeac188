"""merge-kernels: partial results and the kernel that takes them together become atomics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import Effect, KernelFacts
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.transforms.merging.launch_pairs import Candidate
    from tritonopt.transforms.merging.merged import Merged


@dataclass(frozen=True)
class MergeKernels(Pass):
    """Add up partial results by atomics, in place of a second kernel.

    ## What it does

    A kernel of which each program stores a partial result to a row or a slot of a buffer, and a
    second one that only takes these together, become one launch: each program brings what it has
    found to the output itself, by `tl.atomic_add`, `tl.atomic_max` or `tl.atomic_min`. The
    launcher stores the identity there first: 0 for a sum, -inf for a maximum, inf for a minimum.
    The buffer goes, and the second kernel too, where nobody else launches or names it; so do
    parameters that nobody reads any more.

    Sums that programs add up one after the other under a lock, in a row for each group of them,
    as layer norm's backward pass in Triton's tutorials has them, become atomics too. The locks go.

    ## Why

    There is one launch less, and partial results are neither written to memory nor read again.
    Where many programs add to few elements they wait for each other: then two kernels are faster.

    ## Conditions

    All that the second kernel does is to load partial results, to take them together by `tl.sum`,
    `tl.max` or `tl.min`, in a loop or not, and to store that, each to a buffer of its own. What it
    does with the result beside, as a root or a mean, is no sum of what is done with its parts
    (`kernel-does-more`). It adds up in the type of the buffer: fp32, fp64, int32 or int64.

    The first kernel does nothing with the buffer but to store there once, in its own block; no
    program ends before that. The sizes, strides, masks and grids of both launches are compared:
    each partial result is taken in once, and for the element that it belongs to
    (`partials-do-not-match`).

    Under a lock (`tl.atomic_cas(Lock + group, 0, 1)`, with `group = program % GROUPS`) nothing is
    done but to add to what stands in the row of the group, or to be the first to store there.
    Locks and rows begin with the zeros of the launcher (`lock-is-not-understood`).

    Every launch of the first kernel has one of the second behind it in the same block, so on the
    same stream. Between them nothing runs that is not understood (`launches-are-not-paired`). The
    buffer is made by the launcher, and nobody sees it but the two launches. The output is
    `torch.empty` memory of the launcher, which nobody uses before, or zeros for a sum.

    An output of another type than the buffer's gets that type behind the launch, by `to` or
    `copy_`. Where a tuner runs the first kernel, `reset_to_zero` or `restore_value` is told of the
    output (`state-is-not-restored` where it has a hook instead).

    ## Numerics

    The safety is `contract`, for the launches change with the kernel. Integers are exact.

    Sums of floats are of safety `rounding` too, bits `reduction-order`: atomics come in any order,
    so that two runs of one program may differ in the last bits. Where a kernel or its launcher
    promises an order, or a deterministic result, it is of safety `assumption`. Kernels with
    `div_rn`, `sqrt_rn`, `fdiv` or a round trip through a narrow type are left alone then.

    The largest and the least are exact where partial results are numbers: `tl.max` leaves NaN out,
    and an atomic orders it by its bits. Where a program may find nothing but NaN it is of safety
    `assumption` (`accumulators-can-be-combined`).

    ## Example

    ```python
    @triton.jit
    def squares(X, P, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(P + row * N + cols, x * x, mask=mask)


    @triton.jit
    def sum_of_rows(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
        cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
        acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
        for start in range(0, M, ROWS):
            rows = start + tl.arange(0, ROWS)
            mask = (rows < M)[:, None] & (cols < N)[None, :]
            acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


    def sum_of_squares(x):
        m, n = x.shape
        p = torch.empty((m, n), dtype=torch.float32, device=x.device)
        y = torch.empty(n, dtype=torch.float32, device=x.device)
        squares[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        sum_of_rows[(triton.cdiv(n, 128),)](p, y, m, n, ROWS=32, COLS=128)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def squares(X, P, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
        tl.atomic_add(P + cols, x * x, mask=mask, sem="relaxed")


    def sum_of_squares(x):
        m, n = x.shape
        y = torch.zeros(n, dtype=torch.float32, device=x.device)
        squares[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    1.02x to 8.65x for layer norm backward, most where each row stored a part, 1.00x to 1.10x for
    sums of parts of rows and minima.

    From locks it is a gain or a loss: where thousands of rows add to the same places, atomic
    additions take longer than the locks did.

    One H200, Triton 3.6, cold L2, fp32 (`benchmarks/merge_kernels_speed.py`). The gain is the
    second kernel, which reads what the first one stored; where that is little a launch is saved.
    Atomics in Triton's default order in place of relaxed ones are slower: 0.94x to 8.15x.
    """

    name: ClassVar[str] = "merge-kernels"
    summary: ClassVar[str] = "combine partial results by atomics, without a second kernel"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.merging.launch_pairs import candidates
        from tritonopt.transforms.merging.slot_reductions import reduces

        for candidate in candidates(facts):
            if reduces(candidate.final, set(candidate.buffers.values())):
                yield self._examined(facts, candidate)

    def _examined(self, facts: KernelFacts, candidate: Candidate) -> Site:
        from tritonopt.transforms.merging.merged import prove_merge

        merged: Merged | None = None
        with Attempt() as attempt:
            merged = prove_merge(facts, candidate, attempt)
        buffers, final = " and ".join(candidate.buffers), candidate.final.name
        anchor = next(e.node for e in facts.effects if e.writes and _is_to(facts, e, candidate))
        return Site.of(
            attempt,
            anchor,
            f"combined what is stored to {buffers} by atomics, without {final}",
            f"left what is stored to {buffers} to {final}",
            needs=merged.safety if merged else {Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER if merged and merged.rounds else Bits.SAME,
            changes=merged.changes if merged else (),
            pays=False,
            advice=f"combine what is stored to {buffers} by atomics, without {final}",
        )


def _is_to(facts: KernelFacts, effect: Effect, candidate: Candidate) -> bool:
    """Whether an access is to one of the buffers."""
    return not candidate.buffers.keys().isdisjoint(facts.bases(effect) or ())
