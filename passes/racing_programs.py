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
    """Find loads of elements that another program of the same launch writes.

    ## What it does

    If a kernel shifts a buffer in place, reads the row above the row that it writes, or reads
    neighbors in the tensor that it writes, the result of a load depends on which program runs
    first. The pass reports the load with a launch, a shape, the two programs and the element.

    The pass also reports lost updates: elements that all programs along a grid dimension load,
    change and store without an atomic, such as `tl.store(DW + cols, tl.load(DW + cols) + dw)` in
    one program per row.

    ## Why

    The programs of a launch have no order. On small inputs most programs load before any stores; on
    larger inputs, other GPUs or other block sizes the result varies. Triton's interpreter runs
    programs one after the other, so it does not show the race.

    ## Conditions

    Lost updates are reported if address, masks and branches do not depend on the program id or on
    loaded values, a repeated update changes the result, and for some sizes the grid has more than
    one program.

    Other races are reported only with an example in numbers:

    - The launch is in the same file, and its grid, arguments and configurations can be read.
    - Both accesses go to one tensor, passed once or twice, as a whole or from a row on (`x[1:]`).
      All sizes are those of one tensor, assumed contiguous. If a plain argument is used only as the
      distance between the accesses, we assume that it is 1.
    - No offset or mask is loaded or unknown. No atomic, barrier, volatile load or unknown call may
      order the programs.

    Not reported: a store of a constant; a masked store with an unmasked load, because the lanes
    that race may be masked off at the store.

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

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "racing-programs"
    summary: ClassVar[str] = "find loads of elements that another program of the launch writes"
    harm: ClassVar[str] = "the result depends on which program runs first, and no error is raised"

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
