"""licm: what is loaded in every iteration, and does not change, moves out of the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.hoisting.invariant_loads import InvariantLoad


@dataclass(frozen=True)
class Licm(Pass):
    """Move loads that do not change out of a loop.

    ## What it does

    Loop-invariant code motion: a load that reads the same elements in every iteration of a loop
    that stores moves above the loop, with the assignments that it needs and those that are made of
    it. Where the kernel has another use for a name, what is loaded gets a name of its own. What
    stands under `if HAS_BIAS` or another condition that the compiler knows stands under it again
    above the loop.

    What the compiler does itself is left to it, for the source would only get longer: pure
    expressions, of which nothing is said, and loads in loops that store nothing, which are missed
    as `compiler-knows`.

    Branches that do not change are moved by `loop-unswitch`, which was a part of this pass. Where
    `licm` is named, in a command, a configuration or a comment that suppresses it, and
    `loop-unswitch` is not, it means both for now, and a note says so. A branch on what is loaded,
    or a load under a branch, takes both.

    ## Why

    Compilers do not move a load past a store, because they do not know that the two buffers are
    different ones: the launches show it.

    ## Conditions

    Address, mask and `other` are the same in every iteration, and every iteration comes
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
    product nor a reduction in the kernel. With a product they are `contraction`: a multiplication
    may meet the addition from which it was kept. With a reduction, a dot or a value not understood
    they are `reduction-order`, for the compiler chooses the layout of a tile from what stands
    around it.

    A masked lane without `other` is undefined before and after.

    ## Example

    ```python
    @triton.jit
    def scale_rows(X, W, Y, rows, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            w = tl.load(W + cols, mask=mask).to(tl.float32)
            x = tl.load(X + row * N + cols, mask=mask)
            tl.store(Y + row * N + cols, x * w, mask=mask)


    def launch(x, w):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, w, y, rows, n, BLOCK=1024)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale_rows(X, W, Y, rows, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        # Where the loop below does not run, nothing is read.
        w = tl.load(W + cols, mask=mask & (tl.program_id(0) < rows)).to(tl.float32)
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            x = tl.load(X + row * N + cols, mask=mask)
            tl.store(Y + row * N + cols, x * w, mask=mask)


    def launch(x, w):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(64,)](x, w, y, rows, n, BLOCK=1024)
        return y
    ```

    ## Measured

    1.02x to 1.07x for the load of a row of weights.

    Speed, one H200, Triton 3.6, cold L2, medians of 20 runs, original / rewritten:

    | example | what moves | faster by |
    | --- | --- | --- |
    | `persistent_rms_norm.py`, rows of 512, 4096 | the load of the weights | 1.02x to 1.07x |

    Out of a loop that stands in another one it was a loss, in FlagGems' `linalg_matrix_norm`:
    0.86x to 1.00x. What is made of the load is waited for before the first iteration each time, and
    was not before. So without its name the pass leaves such loops alone (`does-not-pay`).

    Loads under a condition that the compiler knows were not measured apart: where it holds, the
    code is that of a load without one. The load of a single number is moved, and not suggested.

    Compiled code, Triton 3.7 for sm_80 and sm_90 (`tests/passes/test_licm_compiled.py`):

    | example | before | after |
    | --- | --- | --- |
    | `persistent_rms_norm.py` | two loads in the loop | one in the loop, one above it |

    What moves above a loop takes registers until its end; the remark says how large it is.
    """

    name: ClassVar[str] = "licm"
    summary: ClassVar[str] = "move loads that do not change out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = True
    gain: ClassVar[Gain | None] = Gain(
        figure("licm"),
        f"{WHERE}, for the load of a row of weights",
        "what does not change is not loaded again in every iteration",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms import loop_sites
        from tritonopt.transforms.bits import bits_when_code_moves
        from tritonopt.transforms.hoisting.invariant_loads import invariant_loads

        bits: Bits | None = None  # most kernels have no site to ask for
        said: set[tuple[ast.stmt, str]] = set()
        for places in invariant_loads(facts):
            site = loop_sites.first_that_holds(map(_site, places))
            key = places[0].statement, site.failed[0].reason if site.failed else ""
            if not site.failed or key not in said:
                said.add(key)
                bits = bits or bits_when_code_moves(facts)
                yield replace(site, bits=bits)


def _site(load: InvariantLoad) -> Site:
    """One load and one loop around it, as they came out."""

    from tritonopt.transforms import loop_sites
    from tritonopt.transforms.hoisting.hoisted_code import hoisted
    from tritonopt.transforms.hoisting.load_legality import check

    def make(attempt: Attempt) -> Sequence[Change]:
        check(load, attempt)
        return hoisted(load, attempt)

    facts = load.facts
    what = f"{load.what} above {loop_sites.header(facts, load.loop)}"
    outcome = f"{load.tile} in registers meanwhile"
    site = loop_sites.site(load.expression, what, outcome, make)
    # In an inner loop it would be waited for once for each turn of the loop around it.
    is_outermost = load.loop.parent is None
    is_tile = bool(facts.values[load.expression].rank)
    return replace(site, pays=is_outermost and is_tile, saves=is_outermost)
