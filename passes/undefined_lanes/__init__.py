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
    includes them. With an `other=` that is not the identity of the reduction, the result is wrong
    (`other-changes-the-result`). The pass reports the load. As a fix, it adds or replaces `other=`
    if one value is right for all uses, and otherwise sets the lanes by `tl.where` before the
    reduction. If it is not named, it makes only safe fixes.

    ## Why

    Without `other=` current GPUs read 0. This makes the following results wrong
    (`zero-changes-the-result`): a maximum of negative numbers, a minimum of positive ones, a
    product, `tl.sum(tl.exp(x))` (1 too much per inactive lane), a variance (the squared mean too
    much per lane). A plain sum is right only because of the 0 (`undefined-lanes-reduced`); an
    interpreter or the next compiler may load another value.

    If it is not named, the pass fixes `zero-changes-the-result` if the type is known, and
    `undefined-lanes-reduced` if `other=0.0` is enough, with which the machine code stays the same.
    Other findings of `undefined-lanes-reduced` are reported if the pass is named.

    ## Conditions

    A load is reported if all of this is proved:

    - The mask varies along a reduced axis, so that active and inactive lanes mix. (If a row is
      masked off completely, its result is undefined, but not stored.)
    - The inactive lanes reach the reduction: no `tl.where` replaces them. If another factor is 0 in
      these lanes, they are reported only if the pass is named, because `0 * NaN` is NaN.
    - The mask is not known to be true in all lanes, and a launch executes the code.

    These count as reductions too: sums accumulated per lane and reduced after a loop, scores of
    inactive keys (through `tl.dot` or a sum), blocks, whose elements outside of their shape are
    read as 0, and `tl.sort`, `tl.topk` and reverse scans, which mix lanes. Whether 0 changes the
    result is decided by example numbers; undecided cases, and maxima of integers (usually lengths
    or indices), are reported as `undefined-lanes-reduced`.

    An `other=` is reported if it is a number and changes the result. A maximum or minimum, which
    depends on the sign of the data, is reported only if each launch passes a tensor that its
    launcher gets as an argument, and the kernel loads the tensor once: the author of `other=0.0`
    may know that another kernel stored no negative numbers.

    The fix uses the identity: 0 for a sum of products, minus infinity for a maximum or a sum of
    exponentials. All loads of a reduction get it, or none. They get it if all reductions of these
    loads agree, and no load is in a helper, which may have other callers. They get an infinity only
    if no store can write such a lane and the type is not known to be integer. (An unknown type is
    assumed to be float, unless `other=` is an integer; a `tl.where` that needs no such assumption
    is preferred.) The fix by `tl.where` requires that the mask has the shape of the reduced tile,
    that its names are not bound again, and that the tile is not an accumulator of a loop.

    ## Numerics

    `exact`: the pass changes only results that were undefined or wrong. `rewrite --verify` reports
    the difference.

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
