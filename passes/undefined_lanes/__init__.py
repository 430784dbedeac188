"""undefined-lanes: a reduction takes in lanes that are outside the mask of a load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.memory.circumstances import is_left_out
from tritonopt.facts.operations import Op
from tritonopt.passes.undefined_lanes.masked_off_lanes import (
    Reduction,
    TakenIn,
    gives_other,
    reductions_of,
    taken_in,
    worst,
)
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint

_NUMBERS = (Op.CONST, Op.NEG, Op.POS, Op.CAST, Op.FULL, Op.DTYPE)


@dataclass(frozen=True)
class UndefinedLanes(Lint):
    """Find reductions that include lanes outside the mask of a load.

    ## What it does

    Inactive lanes of a `tl.load` without `other=` are undefined, and so is a reduction that
    includes them; with an `other=` that is not its identity, the reduction is wrong
    (`other-changes-the-result`). The pass reports the load. It adds or replaces `other=` where one
    value suits all uses, and else clears the lanes with `tl.where` in front of the reduction;
    without its name, where that is a safe fix.

    ## Why

    Without `other=` current hardware reads 0. That makes these results wrong
    (`zero-changes-the-result`): a maximum of negative numbers, a minimum of positive ones, a
    product, `tl.sum(tl.exp(x))` (1 per inactive lane), a variance (the squared mean). A plain sum
    is right by luck (`undefined-lanes-reduced`): an interpreter or the next compiler may load
    anything.

    With no pass named, it fixes the first kind where the type is known, and the second where
    `other=0.0` is enough: the machine code stays the same. What is left of the second kind appears
    when the pass is selected (`--passes undefined-lanes`).

    ## Conditions

    Reported where all of this is shown:

    - The mask varies along a reduced axis, so that active and inactive lanes mix. (The result of a
      row that is masked off completely is undefined, but not stored.)
    - The inactive lanes reach the reduction. Index arithmetic shows this: no `tl.where` replaces
      them. Where a factor is 0 there, only the selected pass reports them: `0 * NaN` is NaN.
    - The mask is not known to be true in all lanes, and a launch executes the code.

    Included are sums accumulated per lane and reduced after a loop, scores of inactive keys (by way
    of `tl.dot` or a sum), blocks, which read 0 outside of their shape, and `tl.sort`, `tl.topk` and
    reverse scans, which mix lanes. Example numbers show whether 0 changes the result; undecided
    cases count as the second kind, and so do maxima of integers, usually lengths or indices.

    An `other=` is reported where it is a number and changes the result. For maxima and minima,
    which depend on the sign of the data, each launch must pass its launcher's argument, loaded
    once: whoever writes `other=0.0` may know what another kernel has stored.

    `other=` is neutral: 0 for a sum of products, minus infinity for a maximum or a sum of
    exponentials. All loads of the reduction get it, or none: where all their reductions agree, and
    no load is in a helper, which may have other callers; an infinity only where no store can write
    such a lane and the type is not known to be integer (an unknown type is assumed to be float,
    unless `other=` is an integer; a `tl.where` that needs no such assumption comes first).
    `tl.where` needs a mask of the shape of what is reduced, with
    its names unchanged, and no accumulator of a loop.

    ## Numerics

    Counts as `exact`, because the value was undefined. A wrong result does change, and
    `rewrite --verify` reports the difference.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    largest = tl.max(x, axis=0)
    ```

    becomes

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
    largest = tl.max(x, axis=0)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "undefined-lanes"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find reductions that include lanes outside the mask of a load"
    harm: ClassVar[str] = (
        "a masked load without other= gives the lanes outside its mask no value; the 0 that GPUs "
        "read there today is neutral for a sum, and not for a maximum, a minimum or a product"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        facts = facts.of_tiles
        loads = [e for e in facts.effects if _is_masked(e)]
        loads = [load for load in loads if not is_left_out(facts, load.node)]
        if not loads:
            return
        divisibility = Divisibility(facts)
        reductions = [r for r in reductions_of(facts) if not is_left_out(facts, r.node)]
        taken: dict[tuple[Reduction, bool], list[TakenIn]] = {}
        wanted: dict[Effect, set[str]] = {}
        undefined_in: dict[Reduction, list[TakenIn]] = {}
        for effect in loads:
            try:
                every = list(taken_in(facts, divisibility, effect, reductions))
            except (TooLarge, RecursionError):  # a sum of hundreds of terms
                continue
            for one in every if not gives_other(effect) else ():
                undefined_in.setdefault(one.reduction, []).append(one)
            found = worst(every)
            if found is not None and (found.noticed or not gives_other(effect)):
                taken.setdefault((found.reduction, gives_other(effect)), []).append(found)
                wanted[effect] = {undefined.other for undefined in every}
        if taken:
            # Imported here: of most kernels there is nothing to say.
            from tritonopt.passes.undefined_lanes.findings import finding
        for (reduction, _), owned in taken.items():
            try:
                site = finding(facts, owned, undefined_in.get(reduction, []), wanted)
            except (TooLarge, RecursionError):
                continue
            yield site


def _is_masked(effect: Effect) -> bool:
    """Whether a load gives the lanes outside of a mask a number that is seen, or none."""
    masked = effect.mask is not None and not effect.mask.is_none
    parts = effect.other.walk() if effect.other is not None else ()
    seen = all(part.op in _NUMBERS for part in parts)
    return effect.kind is EffectKind.LOAD and effect.loaded is not None and masked and seen
