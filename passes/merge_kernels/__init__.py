"""merge-kernels: partial results and the kernel that combines them become atomics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import Effect, KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.passes.merge_kernels.launch_pairs import Candidate


@dataclass(frozen=True)
class MergeKernels(Pass):
    """Combine partial results by atomics instead of a second kernel.

    ## What it does

    A kernel that stores partial results in a buffer, and a second kernel that only combines them,
    are merged: each program of the first updates the output by `tl.atomic_add`, `tl.atomic_max` or
    `tl.atomic_min`. The launcher first fills the output with the identity: 0 for a sum, -inf for a
    maximum, inf for a minimum. The buffer and unused parameters are removed, and so is the second
    kernel, unless the file uses it elsewhere.

    The pass also replaces sums under a lock, with one row per group of programs, by atomics without
    locks (as in layer norm's backward pass in Triton's tutorials).

    ## Why

    The rewritten code has one launch less and stores no partial results. If many programs add to
    few elements, atomics contend, and two kernels are faster. So the pass runs only if `--passes`
    names it.

    ## Conditions

    - The second kernel only loads partial results, combines them by `tl.sum`, `tl.max` or `tl.min`,
      in a loop or not, and stores each result to its own buffer, without a root or other
      computation (`kernel-does-more`). A sum may be divided by a number of elements, as for a mean;
      unless the launcher checks that this number is not 0, we assume it (safety `assumption`). The
      kernel accumulates in the buffer's type: fp32, fp64, int32 or int64. If the launcher allocates
      a buffer without a type, we assume fp32, unless the file sets another default.
    - The first kernel accesses the buffer only in one store, at top level, and has no early exit.
      Sizes, strides, masks and grids prove that each partial result is used once, for its own
      element (`partials-do-not-match`).
    - Code under a lock (`tl.atomic_cas(Lock + group, 0, 1)`, `group = program % GROUPS`) only adds
      to the group's row, except that the first program may store. Launchers zero locks and rows
      (`lock-is-not-understood`).
    - After each launch of the first kernel there is one of the second in the same block, hence on
      the same stream, with only code of known effects between (`launches-are-not-paired`). The
      launcher allocates the buffer, and uses it for these launches only. It allocates the output by
      `torch.empty` and does not use it before, or by `torch.zeros` for a sum.
    - An output of another type is converted after the launch, by `to` or `copy_`. A tuner on the
      first kernel gets `reset_to_zero` or `restore_value` for the output (`state-is-not-restored`
      if it has a hook).

    ## Numerics

    Safety `contract`: launches change. Integers are exact.

    Float sums also have safety `rounding` and bits `reduction-order`: atomics have no fixed order,
    so two runs may differ in the last bits. If a name, a comment or a string of the kernel or its
    launcher promises a fixed order (`deterministic`, `batch_invariant`), the safety is
    `assumption`. Kernels with pinned rounding (`div_rn`, `sqrt_rn`, `fdiv`, a round trip through a
    narrow type) are then declined.

    Maxima and minima are exact without NaN: `tl.max` ignores NaN, while an atomic compares its
    bits. If a partial result may be NaN, we assume that none is (`accumulators-can-be-combined`,
    safety `assumption`).

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

    1.02x to 8.65x for layer norm backward, most if each row stored a partial result; 1.00x to 1.10x
    for sums and minima of parts of rows.

    One H200, Triton 3.6, cold L2, fp32, original / rewritten (`benchmarks/merge_kernels_speed.py`).
    Most of the gain is saved memory traffic. Replacing locks may be slower: with thousands of rows
    on the same elements, atomics take longer. With atomics in Triton's default memory order,
    instead of relaxed ones, the speed-ups are 0.94x to 8.15x.
    """

    name: ClassVar[str] = "merge-kernels"
    summary: ClassVar[str] = "combine partial results by atomics, without a second kernel"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.merge_kernels.launch_pairs import candidates

        for candidate in candidates(facts):
            # Imported here: few launchers have a second kernel.
            from tritonopt.passes.merge_kernels.slot_reductions import reduces

            if reduces(candidate.final, set(candidate.buffers.values())):
                yield self._examined(facts, candidate)

    def _examined(self, facts: KernelFacts, candidate: Candidate) -> Site:
        from tritonopt.passes.merge_kernels.merged import Merge

        with Attempt() as attempt:
            Merge(facts, candidate, attempt).write()
        buffers, final = " and ".join(candidate.buffers), candidate.final.name
        anchor = next(e.node for e in facts.effects if e.writes and _is_to(facts, e, candidate))
        return Site.of(
            attempt,
            anchor,
            f"combined the partial results in {buffers} by atomics, without {final}",
            f"did not replace the kernel {final}, which combines {buffers}, by atomics",
            needs={Safety.CONTRACT},
            advice=f"combine the partial results in {buffers} by atomics, without {final}",
        )


def _is_to(facts: KernelFacts, effect: Effect, candidate: Candidate) -> bool:
    """Whether an access is to one of the buffers."""
    return not candidate.buffers.keys().isdisjoint(facts.bases(effect) or ())
