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
    from tritonopt.transforms.autotuning.configurations import FreeTile


@dataclass(frozen=True)
class AutotuneConfigs(Pass):
    """Let Triton's tuner choose the number of warps, stages and the tile.

    ## What it does

    The kernel gets `@triton.autotune`, and its launches no longer say what the tuner chooses:

    - the number of warps: 2, 4, 8 and 16; in loops with a `tl.dot` 4 and 8, with 2, 3 and 4 stages;
    - the length of the tiles of a loop over a row, or of those that divide a range of elements
      among programs: 512 to 8192, where the kernel computes the same with each and every launch
      passes a number for it. A grid of `triton.cdiv(n, 1024)` becomes a function of the tile. With
      `tiles=false` all tiles stay;
    - what the launches say today is the first configuration.

    `key` has the sizes on which it depends how much a program does: those that bound a loop or
    stand in a mask. `restore_value` has the buffers that the kernel reads and writes, or updates
    atomically: the tuner runs it many times on the same memory, and puts these back.

    ## Why

    The best number of warps depends on the length of a row, on the type and on the GPU. The tuner
    measures on the first launch for each new key, and remembers.

    It costs time at each first launch, and 16 to 19 microseconds at every one (Triton 3.6), and a
    size in `key` that changes from call to call, as a sequence length may, is tuned again each
    time. `tritonopt tune` measures once, and writes what is best into the launches.

    What does not fit is left out by Triton: a configuration that runs out of shared memory or of
    registers counts as infinitely slow.

    ## Conditions

    - The kernel is decorated with `@triton.jit` and nothing else, and every launch of it is seen
      and stands in its file, as a statement of its own, `kernel[grid](...)`, without `**options`
      and not from another kernel.
    - `num_warps`, `num_stages` and `num_ctas` are numbers at the launches, the same at each, or not
      said at all.
    - No file with a launch captures CUDA graphs (`torch.cuda.graph`): nothing can be timed in one.
      A grid that is a function does nothing but return a tuple, for it is called for each run.
    - The kernel only loads, stores, updates atomically, meets at barriers and returns. Which buffer
      it writes to is known, and one that is to be put back is no argument that may be None, and not
      seen to be a part of a tensor, beside which the kernel may write too.
    - Of a tile in loops over a row: masks end it with the row, and nothing but sums, maxima and
      minima is left of it behind the loop. Of one for each program: there is no loop and no
      reduction, what a lane does depends on its place in the range alone, masks end it with the
      range, and the grid has `triton.cdiv` of the range and the tile along the first axis. A launch
      that computes the tile (`triton.next_power_of_2(n)`), has another use for the number, or
      passes it by its place, keeps it.

    Two pointers are taken to be one buffer or not to overlap (`parts-are-independent`). What the
    launches show holds for the files that were given (`no-other-launches`, assumed). A
    launch in another file that says `num_warps` fails after that.

    ## Numerics

    Safety `contract`, for the launches change with the kernel; with another tile for sums of floats
    `rounding`, for they are added up in another order. With another number of warps the compiler
    may choose another order for a reduction, so the bits are `reduction-order` where there is one.

    ## Example

    ```python
    @triton.jit
    def row_sum(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.atomic_add(Y, tl.sum(total, axis=0))


    def whole_sum(x):
        m, n = x.shape
        y = torch.zeros(1, dtype=torch.float32, device=x.device)
        row_sum[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n), num_warps=8)
        return y
    ```

    becomes

    ```python
    @triton.autotune(
        configs=[
            triton.Config({}, num_warps=8),
            triton.Config({}, num_warps=2),
            triton.Config({}, num_warps=4),
            triton.Config({}, num_warps=16),
        ],
        key=["N", "BLOCK"],
        restore_value=["Y"],
    )
    @triton.jit
    def row_sum(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.atomic_add(Y, tl.sum(total, axis=0))


    def whole_sum(x):
        m, n = x.shape
        y = torch.zeros(1, dtype=torch.float32, device=x.device)
        row_sum[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    Not measured: what the tuner finds is measured where it is used.
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
        from tritonopt.transforms.autotuning.configurations import why_it_stays
        from tritonopt.transforms.autotuning.restored_buffers import restored_buffers
        from tritonopt.transforms.autotuning.untuned_launches import check_launches
        from tritonopt.transforms.bits import bits_when_code_moves

        changes: tuple[Change, ...] = ()
        tile: FreeTile | None = None
        why = ""
        with Attempt() as attempt:
            check_launches(facts, attempt)
            restored = restored_buffers(facts, attempt)
            if self.tiles:
                tile, why = why_it_stays(facts)
            if tile is not None:
                attempt.prove("length-is-known-at-the-launch", f"{tile.name} may be any length")
                attempt.assume("parts-are-independent", "two pointers are one buffer, or apart")
            changes = tuple(_changes(facts, tile, restored))
            attempt.prove("is-expressible", "the launches can leave it to a tuner")
        if tile is not None and not tile.is_exact:
            attempt.need(Safety.ROUNDING)
        what = "warps" if tile is None else f"warps and {tile.name}"
        return Site.of(
            attempt,
            facts.kernel.node,
            f"left {what} to Triton's tuner" + (f"; the tile stays: {why}" if why else ""),
            "added no tuner",
            needs={Safety.CONTRACT},
            bits=bits_when_code_moves(facts),
            changes=changes,
            pays=False,
            advice="let Triton's tuner choose warps and tiles",
        )


def _changes(facts: KernelFacts, tile: FreeTile | None, restored: list[str]) -> Iterator[Change]:
    """The decorator, and the launches without what it chooses. Raises NotExpressible."""
    from tritonopt.transforms.autotuning.configurations import configurations, deciding_sizes
    from tritonopt.transforms.autotuning.decorator import decorator
    from tritonopt.transforms.autotuning.untuned_launches import OPTIONS, left_to_the_tuner

    chosen = [tile.name] if tile is not None else []
    sizes = deciding_sizes(facts, chosen)
    code = decorator(facts, configurations(facts, tile), sizes, restored)
    yield AddDecorator(facts.kernel, code)
    for launch in facts.launches.launches:
        grid = tile.grids.get(launch, ()) if tile is not None else ()
        yield from left_to_the_tuner(launch, {*OPTIONS, *chosen}, grid)
