"""autotune-configs: Triton's own tuner chooses warps, stages and tiles where the kernel runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import AddDecorator, Change

if TYPE_CHECKING:
    from tritonopt.passes.autotune_configs.configurations import FreeTile


@dataclass(frozen=True)
class AutotuneConfigs(Pass):
    """Let Triton's autotuner choose warps, stages and the tile length.

    ## What it does

    The kernel gets `@triton.autotune`, and its launches no longer pass the arguments that the tuner
    chooses:

    - 2, 4, 8 and 16 warps; with a `tl.dot` in a loop, 4 and 8 warps, each with 2, 3 and 4 stages;
    - tile lengths of 512 to 8192, for loops over a row and tiles of a range, where any length gives
      the same result. A grid `triton.cdiv(n, 1024)` becomes a function of the tile. `tiles=false`
      keeps all tiles.

    The current values are the first configuration. `key` lists the sizes in loop bounds and masks,
    and `restore_value` the buffers that the kernel reads and writes or updates atomically, because
    tuning runs it many times.

    ## Why

    The best number of warps depends on row length, type and GPU. The autotuner measures at the
    first launch for each key and discards configurations that exceed shared memory or registers. It
    costs tuning time for each key (each new sequence length, for example) and 16 to 19 microseconds
    per launch (Triton 3.6). `tritonopt tune` instead measures once and writes the best values into
    the launches.

    ## Conditions

    - The only decorator is `@triton.jit`, and no function defines the kernel at each call, which
      would tune it again. Every launch is a visible statement `kernel[grid](...)` in the kernel's
      file, without `**options`; no kernel calls it.
    - All launches pass the same numbers as `num_warps`, `num_stages` and `num_ctas`, or none.
    - No file with a launch captures CUDA graphs (`torch.cuda.graph`), because a tuner cannot time
      launches in a capture. A grid function only returns a tuple, because each trial calls it.
    - The kernel has no effects but loads, stores, atomics and barriers. A buffer to restore is
      never None. It is not known to be a part of a tensor, because the kernel may write to the
      rest.
    - The tuner can choose stages or a tile. A tuner for warps alone costs more at each launch than
      it saves; `tune` finds that number once. (`tiles=false` drops this condition.)
    - The tile length is tuned only if masks end at the end of the row or range, the result does not
      depend on the length (except for rounding), and every launch passes the length as a number
      (not `triton.next_power_of_2(n)`), by keyword. For tiles of a range, grid dimension 0 is
      `triton.cdiv(range, tile)`.

    Assumed: two pointers are the same buffer or disjoint (`parts-are-independent`), and there are
    no other launches (`no-other-launches`); a launch elsewhere that passes `num_warps` will fail.

    ## Numerics

    Safety `contract`, because the launches change; `rounding` too if the tile of a float sum is
    tuned. Bits are `reduction-order` with any reduction, since its order can depend on the warps.

    ## Example

    ```python
    @triton.jit
    def row_sum(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


    def sums(x):
        m, n = x.shape
        y = torch.empty(m, dtype=torch.float32, device=x.device)
        row_sum[(m,)](x, y, n, BLOCK=1024, num_warps=8)
        return y
    ```

    becomes

    ```python
    @triton.autotune(
        configs=[
            triton.Config({"BLOCK": 1024}, num_warps=8),
            triton.Config({"BLOCK": 512}, num_warps=2),
            triton.Config({"BLOCK": 512}, num_warps=4),
            triton.Config({"BLOCK": 1024}, num_warps=4),
            triton.Config({"BLOCK": 2048}, num_warps=4),
            triton.Config({"BLOCK": 2048}, num_warps=8),
            triton.Config({"BLOCK": 4096}, num_warps=8),
            triton.Config({"BLOCK": 4096}, num_warps=16),
            triton.Config({"BLOCK": 8192}, num_warps=16),
        ],
        key=["N"],
    )
    @triton.jit
    def row_sum(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row, tl.sum(total, axis=0))


    def sums(x):
        m, n = x.shape
        y = torch.empty(m, dtype=torch.float32, device=x.device)
        row_sum[(m,)](x, y, n)
        return y
    ```

    ## Measured

    Not measured: the tuner measures at each user's launches.
    """

    tiles: bool = True

    name: ClassVar[str] = "autotune-configs"
    summary: ClassVar[str] = "let Triton's tuner choose warps, stages and tiles"
    safety: ClassVar[frozenset[Safety]] = frozenset(
        {Safety.CONTRACT, Safety.ROUNDING, Safety.ASSUMPTION}
    )
    is_tried: ClassVar[bool] = False  # `tune` measures what the tuner would, and leaves none behind

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.source.decorators import AUTOTUNE

        if AUTOTUNE not in facts.kernel.decorators and facts.launches.launches:
            yield self._examined(facts)

    def _examined(self, facts: KernelFacts) -> Site:
        from tritonopt.emit.heuristic_functions import restored_buffers
        from tritonopt.passes.autotune_configs.configurations import (
            check_launches,
            check_more_than_warps,
            why_it_stays,
        )
        from tritonopt.rewriting.bits import bits_when_code_moves

        tile: FreeTile | None = None
        why = ""
        with Attempt() as attempt:
            check_launches(facts, attempt)
            restored = restored_buffers(facts, attempt)
            if self.tiles:
                tile, why = why_it_stays(facts)
            if self.tiles and tile is None:
                check_more_than_warps(facts, why)
            if tile is not None:
                attempt.prove("length-is-known-at-the-launch", f"{tile.name} may have any length")
                attempt.assume(
                    "parts-are-independent", "two pointers are the same buffer or disjoint"
                )
            attempt.write(_changes(facts, tile, restored), "a tuner can choose it for all launches")
        if tile is not None and not tile.is_exact:
            attempt.need(Safety.ROUNDING)
        what = "warps" if tile is None else f"warps and {tile.name}"
        return Site.of(
            attempt,
            facts.kernel.node,
            f"left {what} to Triton's tuner" + (f"; the tile length stays: {why}" if why else ""),
            "did not add a tuner",
            needs={Safety.CONTRACT},
            bits=bits_when_code_moves(facts),
            advice="let Triton's tuner choose warps and tiles",
        )


def _changes(facts: KernelFacts, tile: FreeTile | None, restored: list[str]) -> Iterator[Change]:
    """The decorator, and the launches without what it chooses. Raises NotExpressible."""
    from tritonopt.passes.autotune_configs.configurations import (
        OPTIONS,
        configurations,
        deciding_sizes,
        decorator,
        left_to_the_tuner,
    )

    chosen = [tile.name] if tile is not None else []
    sizes = deciding_sizes(facts, chosen)
    code = decorator(facts, configurations(facts, tile), sizes, restored)
    yield AddDecorator(facts.kernel, code)
    for launch in facts.launches.launches:
        grid = tile.grids.get(launch, ()) if tile is not None else ()
        yield from left_to_the_tuner(launch, {*OPTIONS, *chosen}, grid)
