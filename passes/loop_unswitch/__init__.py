"""loop-unswitch: what is asked in every iteration, and does not change, is asked once before.

`invariant_branches` finds them, `branch_legality` says which may move and gives the plan that was
shown to hold, `decisions` is what a plan is made of, and `loop_copies` writes it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts import EffectKind, KernelFacts, Loop
from tritonopt.facts.language import MATRIX, function
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.passes.loop_unswitch.invariant_branches import InvariantBranch

MEASURED_STATEMENTS = 16
"""In a loop; the copies of a longer one are much to read, and may spill registers."""


@dataclass(frozen=True)
class LoopUnswitch(Pass):
    """Move loop-invariant branches out of a loop.

    ## What it does

    An `if` with an invariant condition moves before the loop or loop nest, which is copied for each
    branch. In each copy, other tests of the same condition or its negation are removed too. A copy
    without effect is dropped. Conditions that the compiler evaluates stay: `tl.constexpr`, `is
    None`, whether a pointer was passed, the type of a tensor.

    `max_statements` (24) limits the number of statements in all copies of a loop together,
    including those in nested loops.

    For a branch on a value that the loop loads, use `licm` too, which moves the load.

    ## Why

    Loads under a branch are not pipelined, and compilers unswitch only small branches. If it is not
    named, the pass moves only a branch that has a load and is under no other runtime branch, in a
    loop that has a `tl.dot`, is not nested and has at most 16 statements.

    ## Conditions

    - The condition is an invariant scalar that can be computed before the loop: it needs no atomic,
      and no load in the loop. Because the loop may have no iterations, it has no division by a
      value that may be zero.
    - The loop is a `range`, `tl.range` or `while` without `else`, `break`, `continue` or `return`;
      `tl.static_range` is unrolled anyway.
    - No compile-time condition around the branch excludes it: each `if` around it in the loop has a
      runtime condition (`under-a-condition`).
    - A name bound in the loop is bound before it, with the same type, or not read after it.
    - The branch contains more than stores, or the loop contains only the branch (`compiler-knows`).

    Barriers, atomics and calls are allowed: all threads of a program take the same branch.

    ## Numerics

    `exact`. Bits are `same` without floating-point products and reductions; `contraction` with a
    product, which may fuse with an addition after the branch; `reduction-order` with a reduction, a
    dot or an unknown value, since the compiler may choose other layouts.

    ## Example

    ```python
    @triton.jit
    def scale_rows(X, Y, rows, N, negate, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            x = tl.load(X + row * N + cols, mask=mask)
            if negate:
                x = -x
            tl.store(Y + row * N + cols, 2 * x, mask=mask)


    def launch(x, negate):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, y, rows, n, negate, BLOCK=1024)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale_rows(X, Y, rows, N, negate, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        if negate:
            for row in range(tl.program_id(0), rows, tl.num_programs(0)):
                x = tl.load(X + row * N + cols, mask=mask)
                x = -x
                tl.store(Y + row * N + cols, 2 * x, mask=mask)
        else:
            for row in range(tl.program_id(0), rows, tl.num_programs(0)):
                x = tl.load(X + row * N + cols, mask=mask)
                tl.store(Y + row * N + cols, 2 * x, mask=mask)


    def launch(x, negate):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, y, rows, n, negate, BLOCK=1024)
        return y
    ```

    ## Measured

    1.40x for a branch with a load in a large matrix product if the branch is not taken, 1.00x if it
    is; noise elsewhere.

    One H200, Triton 3.6, cold L2, medians of 20 runs, original / rewritten:

    | example | speed-up |
    | --- | --- |
    | `gated_matmul.py` (a branch with a load), 2048 x 2048, fp16, gate off | 1.40x |
    | the same, gate on | 1.00x |
    | the same, 512 x 512, off and on | 1.04x, 1.00x: noise |

    A branch without a load gained nothing in a memory-bound loop. A branch with a load in an inner
    loop (FlagGems' `cholesky_solve`) gave 0.94x to 1.00x.

    Compiled by Triton 3.7 for sm_80 and sm_90, the branch's `ld.global` in `gated_matmul.py`
    becomes a `cp.async` (`tests/passes/test_loop_unswitch_compiled.py`).

    With `max_statements` above 40, loops with a `tl.dot` in flash-linear-attention spill more
    (Triton 3.7 for sm_90, bf16, 4 warps, 2 stages, 3 for the second kernel, tiles of 64, blocks of
    16):

    | kernel | bytes spilled | shared memory |
    | --- | --- | --- |
    | `chunk_gated_delta_rule_fwd_kkt_solve_kernel` | 0, now 24 | 10240, the same |
    | `chunk_kda_fwd_kernel_inter_solve_fused` | 320, now 464 | 10240, now 54016 |
    | `chunk_gdn2_fwd_kernel_inter_solve_fused` | 344, now 512 | 10240, now 37248 |
    | `chunk_kda_bwd_kernel_wy_dqkg_fused` | 1216, now 1376 | 49152, the same |
    | `chunk_gdn2_bwd_kernel_wy_dqkg_fused` | 1616, now 1672 | 49152, the same |

    With a limit of 40, the first kernel spills nothing. Copies also take instruction cache.
    """

    max_statements: int = 24

    name: ClassVar[str] = "loop-unswitch"
    summary: ClassVar[str] = "move loop-invariant branches out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("loop-unswitch, not taken, a large product"),
        f"{WHERE} in a large matrix product while it is not taken, "
        f"{figure('loop-unswitch, taken, a large product')} while it is",
        "an invariant condition is not tested in every iteration",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.loop_unswitch.invariant_branches import invariant_branches
        from tritonopt.rewriting import loop_sites
        from tritonopt.rewriting.bits import bits_when_code_moves

        bits: Bits | None = None  # most kernels have no site to ask for
        for ways in invariant_branches(facts):
            bits = bits or bits_when_code_moves(facts)
            yield replace(loop_sites.first_that_holds(map(self._site, ways)), bits=bits)

    def _site(self, branch: InvariantBranch) -> Site:
        """One branch and one loop around it, as they came out."""

        from tritonopt.passes.loop_unswitch.branch_legality import legal_plan
        from tritonopt.passes.loop_unswitch.loop_copies import unswitched
        from tritonopt.rewriting import loop_sites

        facts, never = branch.facts, _never(branch)
        test = f"`if {branch.module.text_of(branch.node.test).partition(chr(10))[0]}`"
        header = loop_sites.header(facts, branch.loop)
        left = "without it the loop does nothing"
        with Attempt() as attempt:
            plan = legal_plan(branch, self.max_statements, attempt)
            if len(plan.copies) > 1:
                left = "there is one copy of the loop per branch"
                _check_waits(branch)
            attempt.write(unswitched(branch, plan), "what replaces the branch can be written")
        missed = f"did not move {test} out of {header}"
        if not never and attempt.failed and attempt.failed.reason == "too-many-statements":
            missed += (
                "; the load under it is not pipelined, so moving it may be faster, or "
                "spill registers"
            )
        return Site.of(
            attempt,
            branch.node,
            f"moved {test} out of {header}; {left}",
            missed,
            advice=f"move {test} out of {header}",
            profit=profit(facts, "loop-unswitch", never=never),
        )


def _check_waits(branch: InvariantBranch) -> None:
    """Raises Declined where a branch that nothing waits for would take copies of the loop."""
    writes = {effect.node for effect in branch.effects_in(branch.node) if effect.writes}
    stores = [s.value if isinstance(s, ast.Expr) else None for s in branch.node.body]
    if not branch.node.orelse and writes.issuperset(stores):
        detail = "the branch contains only stores, which the compiler masks"
        raise refuted("condition-can-move", "compiler-knows", detail)


def _never(branch: InvariantBranch) -> str:
    """Why no gain was measured; "" where one was."""
    facts = branch.facts
    if not (_holds_a_load(facts, branch.node) and _multiplies(facts, branch.loop)):
        return "no matrix product waits for a load under the branch"
    if branch.loop.parent is not None or branch.is_under_another:
        return "the loop is inside another loop, or the load stays in it"
    if sum(isinstance(n, ast.stmt) for n in walk(branch.loop.node)) > MEASURED_STATEMENTS:
        return f"only loops of up to {MEASURED_STATEMENTS} statements were measured"
    return ""


def _holds_a_load(facts: KernelFacts, branch: ast.If) -> bool:
    inside = set(walk(branch))
    return any(e.kind is EffectKind.LOAD and e.node in inside for e in facts.effects)


def _multiplies(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a matrix product in the loop waits for what is loaded."""
    calls = (node for node in walk(loop.node) if isinstance(node, ast.Call))
    return any(function(facts.kernel.module.resolve(call.func)) in MATRIX for call in calls)
