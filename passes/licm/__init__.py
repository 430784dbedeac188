"""licm: what is loaded in every iteration, and does not change, moves out of the loop.

`invariant_loads` finds them, `hoisted_code` says which may move, and writes them above the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.passes.licm.invariant_loads import InvariantLoad


@dataclass(frozen=True)
class Licm(Pass):
    """Move loop-invariant loads out of a loop.

    ## What it does

    In a loop with stores, a load of the same elements in every iteration moves before the loop,
    with the assignments that it needs and those computed from it. The loaded value gets a new name
    if the kernel binds its name elsewhere. A constexpr condition (`if HAS_BIAS`) around the load
    moves too.

    The compiler itself moves pure expressions, and loads in loops without stores
    (`compiler-knows`).

    `loop-unswitch` moves branches. For a branch on a loaded value, or a load under a branch, use
    both passes.

    ## Why

    The compiler moves no load past a store, because the buffers may alias. The pass can use the
    launches to prove that they do not.

    ## Conditions

    - Address, mask and `other` are invariant.
    - Every iteration executes the load, or it is under a condition that its mask implies, or under
      a constexpr condition (`tl.constexpr`, `is None`; not a flag assigned without `:
      tl.constexpr`, or the truth of a pointer).
    - No store in the loop may alias the load, and the loop has no atomic, barrier, volatile load,
      dependent launch, inline assembly or unknown call.
    - The new code reads no other elements: the loop has at least one iteration in every program of
      every launch, as `range(tl.program_id(0), rows, tl.num_programs(0))` has with `min(rows, ...)`
      programs, or the load's mask is false if the loop has no iteration.
    - The loop is a `range` or `tl.range` without `disable_licm` and `warp_specialize`.

    Assumed: two pointers are the same buffer or disjoint; no other launches (`no-other-launches`).

    ## Numerics

    `exact`. Bits are `same` without floating-point products and reductions; `contraction` with a
    product, which may fuse with another addition; `reduction-order` with a reduction, a dot or an
    unknown value, since the compiler may choose other layouts. An inactive lane without `other`
    stays undefined.

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
        scale_rows[(min(rows, 64),)](x, w, y, rows, n, BLOCK=1024)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale_rows(X, W, Y, rows, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + cols, mask=mask).to(tl.float32)
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            x = tl.load(X + row * N + cols, mask=mask)
            tl.store(Y + row * N + cols, x * w, mask=mask)


    def launch(x, w):
        rows, n = x.shape
        y = x.new_empty(rows, n)
        scale_rows[(min(rows, 64),)](x, w, y, rows, n, BLOCK=1024)
        return y
    ```

    ## Measured

    1.02x to 1.07x for the load of a row of weights.

    One H200, Triton 3.6, cold L2, medians of 20 runs: `persistent_rms_norm.py`, rows of 512 and
    4096. Compiled by Triton 3.7 for sm_80 and sm_90, its loop has one load instead of two
    (`tests/passes/test_licm_compiled.py`).

    Moving a load out of an inner loop was slower (FlagGems' `linalg_matrix_norm`, 0.86x to 1.00x),
    because each first iteration waits for the load. So the pass runs only if it is named.

    Loads under a constexpr condition were not measured separately. `suggest` does not list loads of
    scalars. A moved tile occupies registers until the loop ends; the remark gives its size.
    """

    name: ClassVar[str] = "licm"
    summary: ClassVar[str] = "move loop-invariant loads out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.licm.invariant_loads import invariant_loads
        from tritonopt.rewriting import loop_sites
        from tritonopt.rewriting.bits import bits_when_code_moves

        bits: Bits | None = None  # most kernels have no site to ask for
        said: set[tuple[ast.stmt, str]] = set()
        for places in invariant_loads(facts):
            site = loop_sites.first_that_holds(map(self._site, places))
            key = places[0].statement, site.failed[0].reason if site.failed else ""
            if not site.failed or key not in said:
                said.add(key)
                bits = bits or bits_when_code_moves(facts)
                yield replace(site, bits=bits)

    def _site(self, load: InvariantLoad) -> Site:
        """One load and one loop around it, as they came out."""
        from tritonopt.passes.licm.hoisted_code import check, hoisted
        from tritonopt.rewriting import loop_sites

        def make(attempt: Attempt) -> Sequence[Change]:
            check(load, attempt)
            return hoisted(load, attempt)

        facts = load.facts
        what = f"{load.what} above {loop_sites.header(facts, load.loop)}"
        outcome = f"{load.tile} in registers meanwhile"
        return loop_sites.site(load.expression, what, outcome, make)
