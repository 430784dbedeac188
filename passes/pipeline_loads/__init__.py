"""pipeline-loads: loops over tiles say how many turns ahead they load, or how far to unroll."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import AddArgument, Change, ReplaceExpression

if TYPE_CHECKING:
    from typing_extensions import Self

    from tritonopt.passes.pipeline_loads.loading_loops import LoadingLoop


@dataclass(frozen=True)
class PipelineLoads(Pass):
    """Prefetch the loads of a loop, or unroll the loop.

    ## What it does

    If a loop loads tiles and has no `tl.dot`, `for start in range(0, N, BLOCK)` becomes `for start
    in tl.range(0, N, BLOCK, num_stages=3)`: the compiler then issues loads of later iterations
    early. An existing `tl.range` gets the argument.

    | option | what is written |
    | --- | --- |
    | `num_stages=2` to `5` (default 3) | `num_stages=...`, the number of iterations in flight |
    | `num_stages=0` | no `num_stages` |
    | `unroll=2`, `4`, `8` (default 0) | `loop_unroll_factor=...` |

    The pass runs only if `--passes` names it. `tritonopt tune` tries 2, 3 and 4 stages and
    unrolling by 2 and 4 on your shapes, and keeps the fastest.

    ## Why

    A launch's `num_stages` pipelines only loads that feed `tl.dot`. In other loops each iteration
    waits for its loads (Triton #3425, #3092), unless `tl.range` has `num_stages`.

    ## Conditions

    A pipelined load reads memory early, and the compiler does not check dependences: if an
    iteration loads an element that the previous one stored, Triton 3.7 silently loads the old
    value, even across atomics; it also ignores `volatile`. So `num_stages` has these conditions:

    - No store before the end of the loop, or in a loop around it, may alias the loop's loads, even
      if each iteration accesses its own elements. Functions that another kernel calls are declined,
      because the caller may store.
    - The loop has no atomic, barrier, volatile load, device assertion, inline assembly or unknown
      call.
    - One or more loads read a new tile in every iteration, without a runtime condition; the
      compiler pipelines only such loads.
    - `num_stages - 1` tiles of each load fit into 64 KiB of shared memory, which every GPU has. If
      no launch shows tile lengths, this is assumed; a launch that does not fit raises
      `OutOfResources`.

    For both options, the loop is innermost, over `range` or `tl.range`, without `tl.dot`, `else`,
    `break` or `return`; neither it nor a loop around it has `flatten` or `warp_specialize`.
    Declined: a loop that has one iteration at every launch (`one-iteration`), or already has
    `num_stages` or `loop_unroll_factor`. Unrolling keeps the order of iterations, so it has no
    conditions on memory; it needs Triton 3.2.

    Assumed: two pointers are the same buffer or disjoint; there are no other launches
    (`no-other-launches`).

    ## Numerics

    Safety `exact`: the operations and their operands are the same. Bits are `same` without
    floating-point products and reductions; otherwise `contraction` or `reduction-order`, since the
    compiler may choose other layouts. The interpreter ignores `num_stages`, so only a GPU can show
    that the compiled results agree.

    ## Example

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0)
    var = tl.sum(total, axis=0)
    ```

    becomes

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=3):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0)
    var = tl.sum(total, axis=0)
    ```

    ## Measured

    1.13x to 4.90x for 132 rows or fewer, of 262144 elements and more; 0.60x to 1.48x for many rows.

    Layer norm, softmax, sums and a maximum of rows, tiles of 1024 and 4096, fp16 and fp32, one
    H200, Triton 3.6, cold L2, medians of 15 runs, original / rewritten; all results had the same
    bits (`benchmarks/pipeline_loads_speed.py`):

    | option | 16 rows of 4 million, 132 of 262144 | 4096 x 65536 to 65536 x 2048 |
    | --- | --- | --- |
    | `num_stages=2` | 0.70x to 2.76x | 0.64x to 1.27x |
    | `num_stages=3` | 1.13x to 4.90x | 0.60x to 1.48x |
    | `num_stages=4` | 1.09x to 6.99x | 0.51x to 1.69x |
    | `unroll=2` | 0.55x to 1.86x | 0.80x to 1.50x |
    | `unroll=4` | 0.39x to 2.52x | 0.76x to 1.79x |

    Launches of few programs are faster, because no other program runs during their loads. Layer
    norm and softmax over rows of two to four tiles are slowest: their loops end before the pipeline
    is full. With `num_stages` written by hand, a loop that loads what its previous iteration stored
    gave a wrong result on this GPU.

    For sm_80 and sm_90, Triton 3.7 compiles these loads to `ld.global` in the original and
    `cp.async` after the rewrite (`tests/passes/test_pipeline_loads_compiled.py`).
    """

    num_stages: Literal[0, 2, 3, 4, 5] = 3
    unroll: Literal[0, 2, 4, 8] = 0

    name: ClassVar[str] = "pipeline-loads"
    summary: ClassVar[str] = "prefetch the loads of loops over tiles, or unroll the loops"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def __post_init__(self) -> None:
        if not self.num_stages and not self.unroll:
            raise PassSelectionError(
                "pipeline-loads: num_stages and unroll cannot both be 0; one of them must be larger"
            )

    @classmethod
    def variants(cls) -> Iterator[Self]:
        yield from (cls(num_stages=stages) for stages in (3, 2, 4))
        yield from (cls(num_stages=0, unroll=turns) for turns in (2, 4))

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.pipeline_loads.loading_loops import loading_loops

        for loop in loading_loops(facts):
            if not loop.says("num_stages") and not loop.says("loop_unroll_factor"):
                yield self._site(loop)

    def _site(self, loop: LoadingLoop) -> Site:
        from tritonopt.rewriting import loop_sites
        from tritonopt.rewriting.bits import bits_when_code_moves

        header = loop_sites.header(loop.facts, loop.loop)
        parts = []
        if self.num_stages:
            buffers = f"num_stages={self.num_stages} (buffers {self.num_stages - 1} iterations)"
            parts.append(f"prefetch the loads of {header}, with {buffers}")
        if self.unroll:
            parts.append(f"unroll {header}, {self.unroll} iterations in one")
        advice = " and ".join(parts)
        with Attempt() as attempt:
            call = loop.check_header(attempt)
            if self.num_stages:
                loop.check_loads_ahead(self.num_stages - 1, attempt)
            attempt.write(self._changes(loop, call), "the file has a name for `tl.range`")
        return Site.of(
            attempt,
            loop.loop.node,
            advice.replace("unroll ", "unrolled ").replace("prefetch ", "prefetched "),
            f"did not pipeline {header}",
            bits=bits_when_code_moves(loop.facts),
            advice=advice,
        )

    def _changes(self, loop: LoadingLoop, call: ast.Call) -> Iterator[Change]:
        from tritonopt.emit.writing import Writer

        if loop.loop.kind == "range":
            yield ReplaceExpression(call.func, Writer(loop.facts).language("range"))
        if self.num_stages:
            yield AddArgument(call, f"num_stages={self.num_stages}")
        if self.unroll:
            yield AddArgument(call, f"loop_unroll_factor={self.unroll}")
