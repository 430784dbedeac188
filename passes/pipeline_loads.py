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

    from tritonopt.transforms.pipelining.loading_loops import LoadingLoop


@dataclass(frozen=True)
class PipelineLoads(Pass):
    """Let loops load ahead of their use, or unroll them.

    ## What it does

    `for start in range(0, N, BLOCK)` becomes `for start in tl.range(0, N, BLOCK, num_stages=3)`
    where the loop loads tiles and multiplies no matrices: the compiler then starts the loads of
    later turns before it needs them. `tl.range` without `num_stages` is given it.

    | option | what is written |
    | --- | --- |
    | `num_stages=2` to `5` (default 3) | `num_stages=...`: that many turns are under way at once |
    | `num_stages=0` | nothing of the kind |
    | `unroll=2`, `4`, `8` (default 0) | `loop_unroll_factor=...`: so many turns in one |

    It says nothing of whether that is faster, so it is a knob: `tritonopt tune` tries 2, 3 and 4
    stages, and 2 and 4 turns in one, on the shapes that matter, and keeps what wins. It acts where
    it is named, and never under `all`.

    ## Why

    The `num_stages` of a launch pipelines loads for `tl.dot` and no others: in a loop that sums
    or scales, each turn waits for its own loads (Triton #3425, #3092), unless `tl.range` says
    otherwise.

    ## Conditions

    A pipelined load reads memory earlier than it did, and the compiler does not ask whether that is
    the same. In Triton 3.7 a loop that loads what its turn before has stored becomes one that loads
    what was there before, without a word; atomics in the loop do not stop it, and a volatile load
    is one no longer. So:

    - nothing that the kernel stores before the end of the loop, or in any turn of a loop around it,
      may be in a buffer that the loop reads. A buffer that is changed in place is not
      pipelined, even where each turn has elements of its own; nor are the loops of a function that
      another kernel calls, which may have stored before;
    - the loop has no atomic, barrier, volatile load, device assertion, inline assembly or
      unknown call;
    - it is the innermost one, over `range` or `tl.range`, without `else`, `break` and `return`,
      and no loop around it says `flatten` or `warp_specialize`;
    - some tile is loaded in every turn, and not the same one. A load under a condition at run time,
      or of a single element, is not pipelined;
    - `num_stages - 1` tiles of each load are in shared memory at once. Where the launches show how
      long tiles are, these must fit into 64 KiB, which every GPU has; else it is assumed, and a
      launch that does not fit raises `OutOfResources`.

    A loop that says `num_stages` or `loop_unroll_factor` already is left as it is. To unroll a loop
    none of what is said of memory is asked for: the turns stay in their order.

    Two pointers are taken to be one buffer or not to overlap. What the launches show holds for
    the files that were given (`no-other-launches`, assumed). `loop_unroll_factor` came with Triton
    3.2.

    ## Numerics

    Safety `exact`: every value is computed from the same operands by the same operations. The
    bits of compiled code are said to be the `same` only where there is neither a floating-point
    product nor a reduction in the kernel. With a product they are `contraction`, with a reduction
    `reduction-order`, for the compiler may choose other layouts for tiles in shared memory.

    Triton's interpreter runs both loops alike. That the compiled loop gives the same answer is seen
    on a GPU alone.

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

    Layer norm, softmax, sums and a maximum of rows, tiles of 1024 and 4096 elements, fp16 and fp32,
    one H200, Triton 3.6, cold L2, medians of 15 runs, original / rewritten. All results had the
    same bits (`benchmarks/pipeline_loads_speed.py`):

    | knob | 16 rows of 4 million, 132 of 262144 | 4096 rows of 65536 to 65536 rows of 2048 |
    | --- | --- | --- |
    | `num_stages=2` | 0.70x to 2.76x | 0.64x to 1.27x |
    | `num_stages=3` | 1.13x to 4.90x | 0.60x to 1.48x |
    | `num_stages=4` | 1.09x to 6.99x | 0.51x to 1.69x |
    | `unroll=2` | 0.55x to 1.86x | 0.80x to 1.50x |
    | `unroll=4` | 0.39x to 2.52x | 0.76x to 1.79x |

    Where few programs run, each waits for its own loads, and more of them under way are what is
    missing. Where many run, they hide that for each other; the worst losses are layer norm and
    softmax over rows of two to four tiles, which end before the pipeline is full. On the same
    machine a loop that loads what its turn before has stored gave another result with `num_stages`
    written by hand.

    Compiled code, Triton 3.7 for sm_80 and sm_90 (`tests/passes/test_pipeline_loads_compiled.py`):
    the loads of the loops above are `ld.global` before and `cp.async` after.
    """

    num_stages: Literal[0, 2, 3, 4, 5] = 3
    unroll: Literal[0, 2, 4, 8] = 0

    name: ClassVar[str] = "pipeline-loads"
    summary: ClassVar[str] = "let loops over tiles load ahead, or unroll them"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def __post_init__(self) -> None:
        if not self.num_stages and not self.unroll:
            raise PassSelectionError(
                "pipeline-loads: num_stages and unroll cannot both be 0; one of them must say more"
            )

    @classmethod
    def variants(cls) -> Iterator[Self]:
        yield from (cls(num_stages=stages) for stages in (3, 2, 4))
        yield from (cls(num_stages=0, unroll=turns) for turns in (2, 4))

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.pipelining.loading_loops import loading_loops

        for loop in loading_loops(facts):
            if not loop.says("num_stages") and not loop.says("loop_unroll_factor"):
                yield self._site(loop)

    def _site(self, loop: LoadingLoop) -> Site:
        from tritonopt.transforms import loop_sites
        from tritonopt.transforms.bits import bits_when_code_moves

        header = loop_sites.header(loop.facts, loop.loop)
        parts = []
        if self.num_stages:
            parts.append(f"let {header} load ahead, with {self.num_stages} turns under way")
        if self.unroll:
            parts.append(f"unroll {header}, {self.unroll} turns in one")
        advice = " and ".join(parts)
        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            call = loop.check_header(attempt)
            if self.num_stages:
                loop.check_loads_ahead(self.num_stages - 1, attempt)
            changes = tuple(self._changes(loop, call))
            attempt.prove("is-expressible", "`tl.range` has a name in the file")
        return Site.of(
            attempt,
            loop.loop.node,
            advice.replace("unroll ", "unrolled "),
            f"left {header} as it is",
            bits=bits_when_code_moves(loop.facts),
            changes=changes,
            pays=False,
            advice=advice,
        )

    def _changes(self, loop: LoadingLoop, call: ast.Call) -> Iterator[Change]:
        from tritonopt.transforms.writing import Writer

        if loop.loop.kind == "range":
            yield ReplaceExpression(call.func, Writer(loop.facts).language("range"))
        if self.num_stages:
            yield AddArgument(call, f"num_stages={self.num_stages}")
        if self.unroll:
            yield AddArgument(call, f"loop_unroll_factor={self.unroll}")
