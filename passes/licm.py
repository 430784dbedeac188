"""licm: what is the same in every iteration moves out of the loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from tritonopt.facts import EffectKind, KernelFacts, Loop
from tritonopt.facts.language import MATRIX, function
from tritonopt.rewriting.checklist import Checklist
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change
from tritonopt.source.trees import walk
from tritonopt.transforms.bits import bits_when_code_moves
from tritonopt.transforms.hoisting import Hoisting, invariant_loads
from tritonopt.transforms.unswitching import Unswitching, invariant_branches


@dataclass(frozen=True)
class Licm(Pass):
    """Move branches and loads that do not change out of a loop.

    ## What it does

    *Branches.* Where an `if` in a loop asks in every iteration for what does not change, the
    question moves in front of the loop, or of the whole nest of loops, and there is one copy of
    the loop for each answer: `elif` and `else` included, as far as their conditions do not change
    either. Where the same is asked again in the loop, or the contrary, that is decided too. A copy
    that nobody could tell from nothing is left out.

    *Loads.* A load that reads the same elements in every iteration of a loop that stores moves
    above the loop, with the assignments that it needs and those that are made of it. Where the
    kernel has another use for a name, what is loaded gets a name of its own. What stands under
    `if HAS_BIAS` or another condition that the compiler knows stands under it again above the loop.

    The option `max_statements` is how many statements the copies of one loop may have in all
    (default 40), copies of copies included. It is there for whoever reads the kernel, for the time
    that compiling takes, and for the registers, which larger copies were seen to run out of. A
    load that moves is there once, and knows no such limit.

    What the compiler does itself is left to it, for the source would only get longer: conditions
    that it knows (`tl.constexpr`, `is None`, whether a pointer was passed, the type of a tensor),
    and pure expressions, of which nothing is said; loads in loops that store nothing, which are
    missed as `the-compiler-does-this`.

    ## Why

    A branch in a loop is asked again in every iteration, and loads under it are not pipelined.
    Compilers move small branches only. They do not move a load past a store, because they do not
    know that the two buffers are different ones: the launches show it.

    ## Conditions

    *Branches.* The condition is a scalar whose value is the same in every iteration, whatever it
    is called, and can be computed before the loop: of values that are known there, or of plain
    assignments that can move. It only computes: it loads nothing and counts nothing, not in a
    helper either, and divides by nothing that may be zero, for it is now computed where the loop
    may run no time at all; what every way to the loop has divided by already is not zero.
    The loop is a `range`, a `tl.range` or a `while`, without
    `else`, `break`, `continue` or `return`; `tl.static_range` is unrolled anyway.
    What stands around the `if` in the loop must be known at run time only, so that the condition
    is compiled in any case. What the loop binds has one type in and behind an `if`: names that are
    bound before it keep theirs, others are not read after it, and the name of the counter is not
    the kernel's for something else before.

    Barriers, atomics and calls of any kind stay in their order and need no more: all threads of a
    program take the same way, as they did before.

    *Loads.* Address, mask and `other` are the same in every iteration, and every iteration comes
    to the load, but for conditions that the compiler knows (`tl.constexpr`, `is None`; a flag that
    was assigned without `: tl.constexpr`, or a pointer that is asked whether it is one, is a value
    at run time), and for those without which the mask of the load is off anyway.
    Nothing that the loop stores may be in a buffer that it reads; nothing in the loop
    orders memory (atomics, barriers, volatile loads, dependent launches, inline assembly) or is
    unknown. What was not read before is not read now: the loop is shown to run, or the load's mask
    is off where the loop does not run, or the condition under which it runs is added to the mask,
    for loops that count up or down.
    `disable_licm` and `warp_specialize` are respected.

    Two pointers are taken to be one buffer or not to overlap. What the launches show holds for
    the files that were given (`no-other-launches`, assumed).

    ## Numerics

    Safety `exact`: every value is computed from the same operands by the same operations. The
    bits of compiled code are said to be the `same` only where there is neither a floating-point
    product nor a reduction in the kernel. With a product they are `contraction`: in a block of its
    own a multiplication may meet the addition that the end of the branch had kept it from. With a
    reduction, a dot or a value not understood they are `reduction-order`, for the compiler chooses
    the layout of a tile from what stands around it.

    A masked lane without `other` is undefined before and after.

    ## Example

    ```python
    @triton.jit
    def scale_rows(X, W, Y, rows, N, negate, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            w = tl.load(W + cols, mask=mask).to(tl.float32)
            x = tl.load(X + row * N + cols, mask=mask)
            if negate:
                x = -x
            tl.store(Y + row * N + cols, x * w, mask=mask)


    def launch(x, w, negate):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, w, y, rows, n, negate, BLOCK=1024)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale_rows(X, W, Y, rows, N, negate, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        # Where the loop below does not run, nothing is read.
        w = tl.load(W + cols, mask=mask & (tl.program_id(0) < rows)).to(tl.float32)
        if negate:
            for row in range(tl.program_id(0), rows, tl.num_programs(0)):
                x = tl.load(X + row * N + cols, mask=mask)
                x = -x
                tl.store(Y + row * N + cols, x * w, mask=mask)
        else:
            for row in range(tl.program_id(0), rows, tl.num_programs(0)):
                x = tl.load(X + row * N + cols, mask=mask)
                tl.store(Y + row * N + cols, x * w, mask=mask)


    def launch(x, w, negate):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, w, y, rows, n, negate, BLOCK=1024)
        return y
    ```

    ## Measured

    1.02x to 1.07x for loads; for a branch with a load in a large matrix product 1.40x while it is
    not taken, 1.00x while it is.

    Speed, one H200, Triton 3.6, cold L2, medians of 20 runs, original / rewritten:

    | example | what moves | faster by |
    | --- | --- | --- |
    | `gated_matmul.py`, 2048 x 2048, fp16, gate off | a branch with a load | 1.40x |
    | the same, gate on | | 1.00x |
    | the same, 512 x 512, off and on | | 1.04x, 1.00x: noise |
    | `persistent_rms_norm.py`, rows of 512, 4096 | the load of the weights | 1.02x to 1.07x |

    Loads under a condition that the compiler knows were not measured apart: where it holds, the
    code is that of a load without one. The load of a single number is moved, and not suggested.

    A branch without a load, moved by hand out of a loop that waits for memory, gained nothing,
    though the loop shrank from 64 to 22 instructions. So a branch moves by itself only where it
    holds a load and the loop a `tl.dot`; every other one where `licm` is named
    (`nothing-to-save`).

    Compiled code, Triton 3.7 for sm_80 and sm_90 (`tests/passes/test_licm_compiled.py`):

    | example | before | after |
    | --- | --- | --- |
    | `gated_matmul.py` | the load under the `if` is waited for (`ld.global`) | all are `cp.async` |
    | `persistent_rms_norm.py` | two loads in the loop | one in the loop, one above it |

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

    What moves above a loop takes registers until its end; the remark says how large it is. Copies
    of a loop are more code to compile and to keep in the instruction cache.
    """

    max_statements: int = 40

    name: ClassVar[str] = "licm"
    summary: ClassVar[str] = "move branches and loads that do not change out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = True
    gain: ClassVar[Gain | None] = Gain(
        figure("licm, load"),
        f"{WHERE}, for the load of a row of weights",
        "what does not change is not asked for or loaded again in every iteration",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        bits: Bits | None = None  # most kernels have no site to ask for
        for site in self._found(facts):
            bits = bits or bits_when_code_moves(facts)
            yield replace(site, bits=bits)

    def _found(self, facts: KernelFacts) -> Iterator[Site]:
        # Loads first: what is above a loop is not copied with it.
        said: set[tuple[ast.stmt, str]] = set()
        for places in invariant_loads(facts):
            site = _first_that_holds(self._load(facts, hoisting) for hoisting in places)
            key = places[0].statement, site.failed[0].reason if site.failed else ""
            if not site.failed or key not in said:
                said.add(key)
                yield site
        for ways in invariant_branches(facts):
            yield _first_that_holds(self._branch(facts, unswitching) for unswitching in ways)

    def _branch(self, facts: KernelFacts, unswitching: Unswitching) -> Site:
        """One branch and one loop around it, as they came out."""

        def changes() -> list[Change]:
            unswitching.check()
            return unswitching.changes(self.max_statements)

        test = facts.kernel.module.text_of(unswitching.branch.test).partition("\n")[0]
        pays = _holds_a_load(facts, unswitching.branch) and _multiplies(facts, unswitching.loop)
        return _site(
            facts,
            unswitching.branch,
            unswitching.checklist,
            changes,
            f"move `if {test}` out of {_header(facts, unswitching.loop)}",
            "the loop is there once for each way it can go",
            pays=pays,
            unpaid="nothing-to-save",
            worth=_worth_of_a_branch() if pays else "",
            too_many="; the load under it is not pipelined, so that may pay, or spill registers"
            if pays
            else "",
        )

    def _load(self, facts: KernelFacts, hoisting: Hoisting) -> Site:
        """One load and one loop around it, as they came out."""

        def changes() -> list[Change]:
            hoisting.check()
            return hoisting.changes()

        return _site(
            facts,
            hoisting.expression,
            hoisting.checklist,
            changes,
            f"move {hoisting.what} above {_header(facts, hoisting.loop)}",
            f"{hoisting.tile} in registers meanwhile",
            pays=bool(facts.values[hoisting.expression].rank),
            saves=True,
        )


def _worth_of_a_branch() -> str:
    cases = (f"licm, branch {taken}, a large product" for taken in ("not taken", "taken"))
    skipped, taken = map(figure, cases)
    return f"{skipped} {WHERE} in a large matrix product while it is not taken, {taken} while it is"


def _header(facts: KernelFacts, loop: Loop) -> str:
    """The first line of a loop: its number is another one after the edits before."""
    node = loop.node
    last = node.iter if isinstance(node, ast.For) else node.test
    lines = facts.kernel.module.lines
    text = lines.text[lines.span(node)[0] : lines.span(last)[1]]
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`".replace("\n", " ")


def _holds_a_load(facts: KernelFacts, branch: ast.If) -> bool:
    inside = set(walk(branch))
    return any(e.kind is EffectKind.LOAD and e.node in inside for e in facts.effects)


def _multiplies(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a matrix product in the loop waits for what is loaded."""
    calls = (node for node in walk(loop.node) if isinstance(node, ast.Call))
    return any(function(facts.kernel.module.resolve(call.func)) in MATRIX for call in calls)


def _first_that_holds(sites: Iterator[Site]) -> Site:
    """The first site without a failed condition, else the first one: that of the outermost loop."""
    found = []
    for site in sites:
        if not site.failed:
            return site
        found.append(site)
    return found[0]


def _site(
    facts: KernelFacts,
    anchor: ast.AST,
    checklist: Checklist,
    make: Callable[[], list[Change]],
    deed: str,
    outcome: str,
    *,
    pays: bool,
    saves: bool = False,
    unpaid: str = "does-not-pay",
    worth: str = "",
    too_many: str = "",
) -> Site:
    """A site with every condition up to the first that fails, and the edit."""
    changes: tuple[Change, ...] = ()
    with checklist.until_one_fails():
        changes = tuple(make())
        checklist.prove("is-expressible", "what moves can be written above the loop")
    if checklist.failed is None:
        message = f"{deed.replace('move', 'moved', 1)}; {outcome}"
    else:
        message = f"did not {deed}: {checklist.failed.detail}"
        if checklist.failed.reason == "too-many-statements":
            message += too_many
    return Site(
        anchor,
        checklist.conditions,
        message,
        checklist.safety,
        facts_used=checklist.facts_used,
        changes=changes,
        pays=pays,
        saves=saves,
        unpaid=unpaid,
        advice=deed,
        worth=worth,
    )
