"""racing-programs: a program reads what another program of the same launch writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint


@dataclass(frozen=True)
class RacingPrograms(Lint):
    """Find loads of what another program of the same launch writes, with two programs that do.

    ## What it does

    Where a kernel shifts a buffer in place, reads the row above the one that it writes, or is
    given one tensor both to read around a place and to write it, what a load gives depends on
    which program came first. The pass reports such a load together with a launch of the file
    that comes to it: a shape, the two programs and the element. It changes nothing.

    Reported as well is a load whose element all programs along an axis of the grid change and
    store, without an atomic: `tl.store(DW + cols, tl.load(DW + cols) + dw)` in a program for each
    row. What one of them adds is lost where another one has loaded before.

    ## Why

    Nothing orders the programs of a launch. On a small input they all run at once and mostly read
    before any of them writes; on a larger one, on another GPU, or with another block size the
    results change, from run to run. Triton's interpreter runs the programs one after the other.

    ## Conditions

    Of an element that all programs change, its address, its masks and the branches around do not
    depend on the program's number, and nothing of them is loaded; doing it twice is not doing it
    once; and the grid has more than one program there for some sizes of tensors.

    All else is reported only with numbers. The launch is in the same file and can be read: its
    grid, its arguments, its configurations. Both accesses are of one tensor, passed for one
    parameter or for two, as it is or from one of its rows on (`x[1:]`). All sizes come from one
    tensor, taken to be contiguous; a plain argument that only says how far apart the two accesses
    are is taken to be 1. Where another plain argument or a second tensor decides, or an offset or a
    mask is loaded or cannot be followed, nothing is said. The same holds for a kernel with
    atomics, barriers, volatile loads or calls that are not understood, which may wait for each
    other, for a tile that is loaded without a mask beside a store that has one, some of whose lanes
    nobody may use, and for a store that always writes the same constant.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit
    def shift(X, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
        tl.store(X + offsets, x, mask=offsets + 1 < N)


    def shift_left(x):
        n = x.numel()
        shift[(triton.cdiv(n, 64),)](x, n, BLOCK=64)
        return x
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def shift(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
        tl.store(Y + offsets, x, mask=offsets + 1 < N)


    def shift_left(x):
        y = torch.empty_like(x)
        n = x.numel()
        shift[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    ```

    ## Measured

    Nothing to measure: it is about being right.
    """

    name: ClassVar[str] = "racing-programs"
    summary: ClassVar[str] = "find loads of what another program of the same launch writes"
    harm: ClassVar[str] = "what is read depends on which program comes first, and nothing says so"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        kinds = {effect.kind for effect in facts.effects}
        if facts.launches.unknown or not {EffectKind.LOAD, EffectKind.STORE} <= kinds:
            return
        # Imported here: of many files no launch is known.
        from tritonopt.facts.memory.races import find_races

        for race in find_races(facts):
            message = (
                f"this load and the store in line {race.store.line} race: {race.numbers}; "
                f"{race.mend}"
            )
            reason = "reads-what-others-write"
            yield Site.of_mistake(race.load.node, "parts-are-independent", reason, message)
