"""grid-stride: a program that handles one tile becomes one that handles every so many.

What of a kernel is per tile, how many programs its launches start, and the code of the loop.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.emit.writing import Writer
    from tritonopt.passes.grid_stride.tile_legality import TileSum, Tiling


_NO_SUM = "no atomic adds up a tile in registers"
_WITH_SUMS, _WITHOUT = "sm*2", "sm*8"
"""As many programs as were measured: few where each ends with atomics."""
_LATER_AXES = "65535"
"""What CUDA allows along the second and the third axis of a grid."""


@dataclass(frozen=True)
class GridStride(Pass):
    """Let each program handle several tiles in a loop.

    ## What it does

    The kernel's body becomes a loop over tiles that starts at the program id and has the step
    `tl.num_programs`. Then the result is right for any grid, such as a few programs per
    multiprocessor, or no more programs than CUDA allows.

    - Statements that do not depend on the tile, also loads, move before the loop.
    - An `atomic_add` whose addresses do not depend on the tile accumulates in registers and runs
      once after the loop.
    - If the body has a matrix product, the loop is not pipelined (`tl.range(..., num_stages=1)`):
      the `num_stages` of the launch is meant for the kernel's own loops and costs shared memory.
    - `if ...: return` becomes an `if` around the rest. A parameter rebound in the body (`X += row *
      stride`) gets a new name, because it would otherwise accumulate.

    If every visible launch starts `tl.cdiv(n, BLOCK)` programs of kernel parameters n and BLOCK,
    the kernel computes this number of tiles. Otherwise each launch passes it as a new argument.

    Options:

    - `axis` (0): the grid dimension.
    - `programs`: the maximal number of programs along the axis, a number or `sm*K` for K per
      multiprocessor, which is queried from torch (unlimited if `torch.cuda` finds no GPU). Default:
      `sm*2` with accumulated atomics, else `sm*8` on axis 0, and CUDA's 65535 on the other axes.

    ## Why

    Work that all tiles share runs once per program. This is faster if gradients accumulate in
    registers. If it is not named, the pass requires that each tile adds to many addresses; if all
    tiles add to one address (the sum of a tensor), the loop costs more than the atomics. Other
    kernels are mostly slower, because the hardware starts a program faster than a loop iterates.

    ## Conditions

    - No helper reads the program id or `tl.num_programs` of the axis, except to return the id.
      There is no unknown call and no `tl.device_print`, which prints the id.
    - The kernel does not already divide its work by `tl.num_programs` (`already-done`); other uses
      of `tl.num_programs` become the number of tiles. Some launch may start more programs than
      there are multiprocessors (`grid-of-processors`).
    - No loop polls memory that the kernel writes, as a loop that takes a lock does.
    - No tile reads what another tile writes (`tiles-race`). Launches pass no overlapping parts of a
      tensor (`x[1:]`, `x[:-1]`), and do not pass one tensor for two parameters that are read and
      written at different offsets.
    - A `return` ends an `if` without `else`, in the kernel's own block or a constexpr `if` there
      (`early-exit`). Names bound before it are not bound again after it, except pointers moved by
      scalars (`name-is-bound-elsewhere`). No helper returns early on a runtime condition.
    - Every launch is visible, its result unused, its grid a tuple or a function that only returns
      one.
    - If a parameter is added, no heuristic or hook takes all arguments, and the tuner's pruning
      functions take `**kwargs` and read only keys given as literals (`parameter-cannot-be-added`).
      No file changes a dict that the tuner gets as `**NAME`.
    - A load that moves before the loop aliases no store, and no early exit is before it.
    - An accumulated atomic has the same mask for every tile and an unused result; no other access
      goes to its memory. The accumulator has the memory's type, or fp32 for narrower floats.
    - The grid has one axis, or the loop saves work (accumulated atomics, or loads before the loop).
      Otherwise a limit along axis 0 would not limit the number of programs
      (`other-axes-are-unlimited`); the option `programs` drops this condition.
    - The number of tiles plus the number of programs is below 2**31 (`no-int32-overflow`, assumed).

    ## Numerics

    Safety `contract`, because the launches change. Accumulated atomics on floats are added in
    another order (`rounding`); the original has no fixed order either.

    ## Example

    ```python
    @triton.jit
    def bias_gradient_kernel(DY, DB, stride, M, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        DY += row * stride
        cols = tl.arange(0, BLOCK)
        dy = tl.load(DY + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.atomic_add(DB + cols, dy, mask=cols < N)


    def bias_gradient(dy):
        m, n = dy.shape
        db = torch.zeros(n, device=dy.device, dtype=torch.float32)
        block = triton.next_power_of_2(n)
        bias_gradient_kernel[(m,)](dy, db, dy.stride(0), m, n, BLOCK=block)
        return db
    ```

    becomes

    ```python
    @triton.jit
    def bias_gradient_kernel(DY, DB, stride, M, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        db_sum = tl.zeros([BLOCK], dtype=tl.float32)
        for row in range(tl.program_id(0), M, tl.num_programs(0)):
            DY_tile = DY + row * stride
            dy = tl.load(DY_tile + cols, mask=cols < N, other=0.0).to(tl.float32)
            db_sum += dy
        tl.atomic_add(DB + cols, db_sum, mask=cols < N)


    def bias_gradient(dy):
        m, n = dy.shape
        db = torch.zeros(n, device=dy.device, dtype=torch.float32)
        block = triton.next_power_of_2(n)
        num_programs = (
            2 * torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
            if torch.cuda.is_available()
            else 2**31 - 1
        )
        bias_gradient_kernel[(min(m, num_programs),)](dy, db, dy.stride(0), m, n, BLOCK=block)
        return db
    ```

    ## Measured

    2.23x to 4.26x where gradients are summed, 0.69x to 1.19x elsewhere, mostly slower.

    One H200, Triton 3.6, random data, cold L2, medians of 20 runs, original / rewritten. Layer norm
    backward (`examples/layer_norm_backward.py`, `programs=sm*2`), two atomics per program:

    | rows | columns | fp32 | fp16 | bf16 |
    | --- | --- | --- | --- | --- |
    | 4096 | 512 | 3.43 | 3.24 | 3.24 |
    | 4096 | 1024 | 2.31 | 2.80 | 2.85 |
    | 4096 | 4096 | 2.62 | 2.74 | 2.73 |
    | 4096 | 8192 | 2.23 | 3.34 | 3.32 |
    | 32768 | 512 | 3.54 | 3.20 | 3.26 |
    | 32768 | 1024 | 2.46 | 3.49 | 3.49 |
    | 32768 | 4096 | 3.25 | 4.26 | 4.18 |
    | 32768 | 8192 | 2.62 | 4.15 | 4.14 |

    For 128 rows, fewer than the limit of programs, 0.98x.

    Without accumulated atomics, `programs=sm*8`:

    | kernel | speed-up |
    | --- | --- |
    | rms norm, 65536 rows | 0.69x (512, fp16) to 1.19x (4096, fp32) |
    | softmax | 0.85x and 1.10x |
    | cosine similarity | 0.82x |
    | vector addition | 0.96x |
    | dropout | 0.93x |
    | attention backward | 1.00x |
    | attention with a loop over keys | 0.95x |
    | attention over a window, no loop of its own | 0.74x (8192 windows), 1.05x (128) |

    With `sm*32` rms norm has 0.97x and 0.98x, the cost of the loop alone, instead of 0.69x and
    1.18x with `sm*8`. Scripts and record: `benchmarks/rewrites_speed.py`,
    `benchmarks/grid_stride_speed.py`, `benchmarks/results/`.
    """

    axis: Literal[0, 1, 2] = 0
    programs: str = ""

    name: ClassVar[str] = "grid-stride"
    summary: ClassVar[str] = "let each program loop over tiles, so that any grid is right"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    gain: ClassVar[Gain | None] = Gain(
        figure("grid-stride, sums"),
        f"{WHERE}, where sums of gradients are gathered in registers (layer norm backward)",
        "values that every tile adds to the same memory are added once per program",
        "{programs=sm*2}",
    )

    def __post_init__(self) -> None:
        if not re.fullmatch(r"|[1-9][0-9]*|sm\*[1-9][0-9]*", self.programs):
            raise PassSelectionError(
                f"grid-stride: programs cannot be {self.programs!r}; "
                "write a number, or sm*K for K programs on every multiprocessor"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        ids = ProgramIds.of(facts.kernel, self.axis)
        if ids.calls and not ids.are_strided and not _is_helper(facts):
            yield self._tiled(facts, ids)

    def _tiled(self, facts: KernelFacts, ids: ProgramIds) -> Site:
        """One tile for each program becomes a loop over tiles."""
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.grid_stride.tile_body import TileBody
        from tritonopt.passes.grid_stride.tile_legality import prove_tiling

        writer = Writer(facts)
        body = TileBody.of(facts, ids)
        tiling: Tiling | None = None
        with Attempt() as attempt:
            tiling = prove_tiling(body, writer, attempt)
            self._check_limit(tiling)
            self._write(tiling, writer, attempt)
        sums: tuple[TileSum, ...] = ()
        if tiling is not None and attempt.holds:
            sums = tiling.sums.sums
        adds = any(sum_.is_tile for sum_ in sums)
        attempt.need(Safety.CONTRACT)
        if not all(sum_.is_whole for sum_ in sums):
            attempt.need(Safety.ROUNDING)
        return Site.of(
            attempt,
            ids.calls[0],
            self._message(tiling) if tiling is not None else "",
            "did not add a loop over tiles",
            bits=Bits.REDUCTION_ORDER if sums else Bits.SAME,
            profit=profit(facts, "grid-stride", never="" if adds else _NO_SUM),
            advice=self._advice(tiling) if tiling is not None else "",
        )

    def _check_limit(self, tiling: Tiling) -> None:
        """That the limit of its own bounds the programs of a launch. Raises Declined."""
        saved = tiling.sums.sums or tiling.body.hoisted_loads
        if self.programs or self.axis or saved:
            return
        for extent in tiling.launches.extents:
            if extent.axes != 1:
                detail = f"the launch in {extent.launch.where} starts programs along other axes too"
                way = "give a limit for this axis, as in grid-stride{programs=sm*8}"
                reason = "other-axes-are-unlimited"
                raise refuted("grid-is-known", reason, f"{detail}: {way}")

    def _write(self, tiling: Tiling, writer: Writer, attempt: Attempt) -> None:
        """Of the kernel and its launches. Raises NotExpressible."""
        from tritonopt.launches.plan import Limit
        from tritonopt.passes.grid_stride.tile_loop import tile_loop

        changes = tile_loop(tiling, writer)
        detail = "a tile's index is what the program id was; tiles and programs together stay"
        attempt.assume("no-int32-overflow", f"{detail} below 2**31")
        default = _WITH_SUMS if tiling.sums.sums else _LATER_AXES if self.axis else _WITHOUT
        limit = self.programs or default
        changes += tiling.launches.changes(Limit(limit))
        attempt.write(changes, "what the loop needs can be written")

    def may_act(self, facts: KernelFacts) -> bool:
        # Profitable is an atomic that is done once for a program.
        return any(effect.kind is EffectKind.ATOMIC for effect in facts.effects)

    def _advice(self, tiling: Tiling) -> str:
        summary = tiling.launches.summary
        loop = f"let each program loop over tiles along axis {self.axis} ({summary})"
        if not tiling.sums.sums:
            return loop
        lines = ", ".join(str(sum_.statement.lineno) for sum_ in tiling.sums.sums)
        return f"{loop}, and do the atomics (line {lines}) once for all of its tiles"

    def _message(self, tiling: Tiling) -> str:
        sums, summary = tiling.sums, tiling.launches.summary
        parts = [f"made each program loop over tiles along axis {self.axis} ({summary})"]
        if hoisted := tiling.body.hoisted:
            number = "1 statement" if len(hoisted) == 1 else f"{len(hoisted)} statements"
            parts.append(f"{number} moved before the loop")
        parts += [f"the atomic in line {sum_.statement.lineno} executed once" for sum_ in sums.sums]
        parts += [f"the atomic in line {line} stays, {why}" for line, why in sums.left.items()]
        return "; ".join([*parts, _expectation(tiling)])


def _is_helper(facts: KernelFacts) -> bool:
    from tritonopt.passes.grid_stride.tile_body import is_plain

    return any(isinstance(n, ast.Return) and not is_plain(n) for n in facts.kernel.nodes)


def _expectation(tiling: Tiling) -> str:
    """Whether a gain or a loss is to be expected, and why."""
    sums = tiling.sums.sums
    if sums and not any(sum_.is_tile for sum_ in sums):
        return (
            "slower is expected, because a tile adds only one number "
            f"({figure('grid-stride, one number')} {WHERE})"
        )
    if sums:
        return (
            "faster is expected, because there are fewer atomics "
            f"({figure('grid-stride, sums')} {WHERE} where gradients were summed)"
        )
    if tiling.body.hoisted_loads:
        return (
            "faster or slower: loads before the loop run once per program, but starting a program "
            "takes less time than an iteration "
            f"({figure('grid-stride, no sums')} {WHERE})"
        )
    also = ", but the axis may be longer than 65535" if tiling.body.ids.axis else ""
    return (
        "slower is expected, because no load leaves the loop, and starting a program takes "
        f"less time than an iteration ({figure('grid-stride, no sums')} {WHERE}){also}"
    )
