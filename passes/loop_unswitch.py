"""loop-unswitch: what is asked in every iteration, and does not change, is asked once before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import EffectKind, KernelFacts, Loop
from tritonopt.facts.language import MATRIX, function
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.transforms.unswitching.invariant_branches import InvariantBranch


@dataclass(frozen=True)
class LoopUnswitch(Pass):
    """Move branches that do not change out of a loop.

    ## What it does

    Where an `if` in a loop asks in every iteration for what does not change, the
    question moves in front of the loop, or of the whole nest of loops, and there is one copy of
    the loop for each answer: `elif` and `else` included, as far as their conditions do not change
    either. Where the same is asked again in the loop, or the contrary, that is decided too. A copy
    that nobody could tell from nothing is left out.

    The option `max_statements` is how many statements the copies of one loop may have in all
    (default 40), copies of copies included. It is there for whoever reads the kernel, for the time
    that compiling takes, and for the registers, which larger copies were seen to run out of.

    What the compiler does itself is left to it, for the source would only get longer: conditions
    that it knows (`tl.constexpr`, `is None`, whether a pointer was passed, the type of a tensor).

    This was a part of `licm`, whose name means both for now where `loop-unswitch` is not named.
    A branch on what is loaded in the loop needs `licm` too, which moves the load first.

    ## Why

    A branch in a loop is asked again in every iteration, and loads under it are not pipelined.
    Compilers move small branches only.

    ## Conditions

    The condition is a scalar whose value is the same in every iteration, whatever it
    is called, and can be computed before the loop: of values that are known there, or of plain
    assignments that can move. It only computes: it loads nothing and counts nothing, not in a
    helper either, and divides by nothing that may be zero, for it is now computed where the loop
    may run no time at all; what every way to the loop has divided by already is not zero.
    The loop is a `range`, a `tl.range` or a `while`, without
    `else`, `break`, `continue` or `return`; `tl.static_range` is unrolled anyway.
    What stands around the `if` in the loop must be known at run time only, so that the condition is
    compiled in any case; or it is one `if` without `else` that the compiler decides, right below
    the loop, which then goes around the copies. What the loop binds has one type in and behind an
    `if`: names that are bound before it keep theirs, others are not read after it, and the name of
    the counter is not the kernel's for something else before.

    Barriers, atomics and calls of any kind stay in their order and need no more: all threads of a
    program take the same way, as they did before.

    ## Numerics

    Safety `exact`: every value is computed from the same operands by the same operations. The
    bits of compiled code are said to be the `same` only where there is neither a floating-point
    product nor a reduction in the kernel. With a product they are `contraction`: in a block of its
    own a multiplication may meet the addition that the end of the branch had kept it from. With a
    reduction, a dot or a value not understood they are `reduction-order`, for the compiler chooses
    the layout of a tile from what stands around it.

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

    1.40x for a branch with a load in a large matrix product while it is not taken, 1.00x while it
    is; noise elsewhere.

    Speed, one H200, Triton 3.6, cold L2, medians of 20 runs, original / rewritten:

    | example | what moves | faster by |
    | --- | --- | --- |
    | `gated_matmul.py`, 2048 x 2048, fp16, gate off | a branch with a load | 1.40x |
    | the same, gate on | | 1.00x |
    | the same, 512 x 512, off and on | | 1.04x, 1.00x: noise |

    A branch without a load, moved by hand out of a loop that waits for memory, gained nothing,
    though the loop shrank from 64 to 22 instructions. Out of a loop that stands in another one, in
    FlagGems' `cholesky_solve`, a branch with a load was moved at 0.94x to 1.00x. So a branch moves
    by itself only where it holds a load and the loop a `tl.dot`, the loop stands in no other one,
    and the branch under no other one (`does-not-pay`); every other one where `loop-unswitch` is
    named (`nothing-to-save`).

    Compiled code, Triton 3.7 for sm_80 and sm_90 (`tests/passes/test_loop_unswitch_compiled.py`):

    | example | before | after |
    | --- | --- | --- |
    | `gated_matmul.py` | the load under the `if` is waited for (`ld.global`) | all are `cp.async` |

    Loops with a `tl.dot` in flash-linear-attention for which `max_statements` is too small, with
    the branch moved all the same; Triton 3.7 for sm_90, bf16, 4 warps, 2 stages (of the second
    row, 3), tiles of 64, blocks of 16. All spill more than they did, so the limit holds for them
    too:

    | kernel | bytes spilled | shared memory |
    | --- | --- | --- |
    | `chunk_gated_delta_rule_fwd_kkt_solve_kernel` | 0, now 24 | 10240, the same |
    | `chunk_kda_fwd_kernel_inter_solve_fused` | 320, now 464 | 10240, now 54016 |
    | `chunk_gdn2_fwd_kernel_inter_solve_fused` | 344, now 512 | 10240, now 37248 |
    | `chunk_kda_bwd_kernel_wy_dqkg_fused` | 1216, now 1376 | 49152, the same |
    | `chunk_gdn2_bwd_kernel_wy_dqkg_fused` | 1616, now 1672 | 49152, the same |

    As far as 40 statements go, the first of them spills nothing, and takes as much shared memory as
    before; with 2 warps and 3 stages 15360 bytes, before 10240.

    Copies of a loop are more code to compile and to keep in the instruction cache.
    """

    max_statements: int = 40

    name: ClassVar[str] = "loop-unswitch"
    summary: ClassVar[str] = "move branches that do not change out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = True
    gain: ClassVar[Gain | None] = Gain(
        figure("loop-unswitch, not taken, a large product"),
        f"{WHERE} in a large matrix product while it is not taken, "
        f"{figure('loop-unswitch, taken, a large product')} while it is",
        "what does not change is not asked for again in every iteration",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms import loop_sites
        from tritonopt.transforms.bits import bits_when_code_moves
        from tritonopt.transforms.unswitching.invariant_branches import invariant_branches

        bits: Bits | None = None  # most kernels have no site to ask for
        for ways in invariant_branches(facts):
            bits = bits or bits_when_code_moves(facts)
            yield replace(loop_sites.first_that_holds(map(self._site, ways)), bits=bits)

    def _site(self, branch: InvariantBranch) -> Site:
        """One branch and one loop around it, as they came out."""

        from tritonopt.transforms import loop_sites
        from tritonopt.transforms.unswitching.branch_legality import legal_plan
        from tritonopt.transforms.unswitching.loop_copies import unswitched

        def make(attempt: Attempt) -> Sequence[Change]:
            return unswitched(branch, legal_plan(branch, self.max_statements, attempt))

        facts = branch.facts
        test = branch.module.text_of(branch.node.test).partition("\n")[0]
        what = f"`if {test}` out of {loop_sites.header(facts, branch.loop)}"
        outcome = "the loop is there once for each way it can go"
        site = loop_sites.site(branch.node, what, outcome, make)
        waits = _holds_a_load(facts, branch.node) and _multiplies(facts, branch.loop)
        pays = waits and branch.loop.parent is None and not branch.is_under_another
        message = site.message
        if pays and site.failed and site.failed[0].reason == "too-many-statements":
            message += "; the load under it is not pipelined, so that may pay, or spill registers"
        unpaid = "does-not-pay" if waits else "nothing-to-save"
        return replace(site, message=message, pays=pays, unpaid=unpaid)


def _holds_a_load(facts: KernelFacts, branch: ast.If) -> bool:
    inside = set(walk(branch))
    return any(e.kind is EffectKind.LOAD and e.node in inside for e in facts.effects)


def _multiplies(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a matrix product in the loop waits for what is loaded."""
    calls = (node for node in walk(loop.node) if isinstance(node, ast.Call))
    return any(function(facts.kernel.module.resolve(call.func)) in MATRIX for call in calls)
