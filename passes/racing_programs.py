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

    Where a kernel shifts a buffer in place, reads the row above the one it writes, or reads
    neighbors in the tensor it writes, a load's result depends on which program runs first. The pass
    reports the load with a launch, a shape, the two programs and the element.

    It also reports lost updates: elements that all programs along a grid dimension load, change and
    store without an atomic, as `tl.store(DW + cols, tl.load(DW + cols) + dw)` in a program per row.

    ## Why

    The programs of a launch have no order. On small inputs most read before any writes; on larger
    ones, other GPUs or block sizes, results vary. Triton's interpreter runs programs one by one and
    hides it.

    ## Conditions

    Lost updates: address, masks and branches do not depend on the program id or loaded values,
    repeating the update changes the result, and for some sizes the grid has more than one program.

    Other races are reported only with an example in numbers:

    - The launch is in the same file, with readable grid, arguments and configurations.
    - Both accesses go to one tensor, passed once or twice, completely or from a row on (`x[1:]`).
      All sizes come from one tensor, assumed contiguous; a plain argument that is only the distance
      between the accesses is assumed to be 1.
    - No offset or mask is loaded or unknown. No atomic, barrier, volatile load or unknown call may
      order the programs.

    A store of a constant is not reported, nor a masked store with an unmasked load, some of whose
    lanes may be unused.

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
