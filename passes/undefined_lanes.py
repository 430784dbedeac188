"""undefined-lanes: a reduction takes in lanes that a load left undefined."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.memory.circumstances import is_left_out
from tritonopt.facts.memory.lane_reductions import NEUTRAL, Reduction, reductions_of
from tritonopt.facts.memory.masked_off_lanes import TakenIn, taken_in
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint

_WORDS = {"prod": "product", "reduce": "reduction"}


@dataclass(frozen=True)
class UndefinedLanes(Lint):
    """Find reductions over a masked load that has no `other`.

    ## What it does

    Where the mask of a `tl.load` is off and no `other=` is given, the language leaves the lane
    undefined. A reduction that takes such lanes in gives an undefined result. The pass reports the
    load, and adds `other=` where the pass is named and one number suits all that is done with it.

    ## Why

    The hardware of today reads 0 there. A maximum of negative numbers is then 0, a minimum of
    positive ones and a product too, `tl.sum(tl.exp(x))` counts 1 for every lane that is not there,
    and a variance counts the squared mean: these results are wrong today
    (`zero-changes-the-result`). A plain sum is right by luck (`undefined-lanes-reduced`): nothing
    promises the 0, and an interpreter or the next compiler may put anything in its place.

    `tritonopt suggest` shows the first kind. The second kind is shown when the pass is named
    (`--passes undefined-lanes`): it is most of what is found in real code, and changes nothing on
    the GPUs of today.

    ## Conditions

    Reported only where it is shown that

    - the mask changes along an axis that is reduced, so that defined and undefined lanes meet: a
      row that is masked off as a whole gives an undefined result that nobody stores;
    - the undefined lanes come through to the reduction: no `tl.where` whose condition is false on
      them picks something else, and no factor is 0 there. Both are decided by index arithmetic,
      however the conditions are written; where they are not decided, nothing is said;
    - the mask is not shown to be on in every lane (by the launches, assertions or the arithmetic);
    - some launch comes there: of an `if` that the launches decide, the side that they take counts.

    That the 0 changes a result is shown by numbers: the reduction is computed with 0 in such a
    lane and with some number in the others. What cannot be computed counts as the second kind, and
    so does a maximum of integers, which are lengths and indices as a rule. A reduction is reported
    once, with all loads whose lanes it takes in.

    Sums that are gathered lane by lane over a loop, and reduced after it, count as well, and so do
    `tl.sort`, `tl.topk` and scans from the end: they bring such lanes among the others. The value
    that is advised for `other=` is one with which the reduction does not notice the lanes: 0 for a
    sum of products, minus infinity for a maximum and for a sum of exponentials.

    It is added where every reduction of what is loaded wants the same number, and the load stands
    in the kernel itself: a helper may be called for something else. An infinity is added
    only where no store may write such a lane, and what is loaded is not seen to be integers; where
    nothing shows its type it is taken to be floats, and the remark says so.

    ## Numerics

    `exact`: a lane without a value may have any. Results that are wrong today change, and
    `rewrite --verify` finds that the versions differ there.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    var = tl.max(x, axis=0)
    ```

    becomes

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
    var = tl.max(x, axis=0)
    ```

    ## Measured

    Nothing to measure: it is about being right.
    """

    name: ClassVar[str] = "undefined-lanes"
    mends: ClassVar[bool] = True
    summary: ClassVar[str] = "find reductions over masked loads without other="
    harm: ClassVar[str] = (
        "a masked load without other= gives the lanes outside its mask no value; the 0 that GPUs "
        "read there today is neutral for a sum, and not for a maximum, a minimum or a product"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        loads = [e for e in facts.effects if _may_be_undefined(e)]
        loads = [load for load in loads if not is_left_out(facts, load.node)]
        if not loads:
            return
        divisibility = Divisibility(facts)
        reductions = [r for r in reductions_of(facts) if not is_left_out(facts, r.node)]
        taken: dict[Reduction, list[TakenIn]] = {}
        wanted: dict[Effect, set[str]] = {}
        for effect in loads:
            try:
                every = list(taken_in(facts, divisibility, effect, reductions))
            except (TooLarge, RecursionError):  # a sum of hundreds of terms
                continue
            found = _worst(every)
            if found is not None:
                taken.setdefault(found.reduction, []).append(found)
                wanted[effect] = {undefined.other for undefined in every}
        for undefined in taken.values():
            yield _site(facts, undefined, wanted)


def _may_be_undefined(effect: Effect) -> bool:
    return (
        effect.kind is EffectKind.LOAD
        and effect.loaded is not None
        and effect.mask is not None
        and not effect.mask.is_none
        and (effect.other is None or effect.other.is_none)
    )


def _worst(found: Iterable[TakenIn]) -> TakenIn | None:
    """The first that has a wrong result today, else the first."""
    first = None
    for undefined in found:
        if undefined.noticed:
            return undefined
        first = first or undefined
    return first


def _site(facts: KernelFacts, found: Sequence[TakenIn], wanted: Mapping[Effect, set[str]]) -> Site:
    """What is said of one reduction, at the first of its loads."""
    shown = [undefined for undefined in found if undefined.noticed]
    first = (shown or found)[0]
    others = [str(u.load.line) for u in found if u is not first and u.load.line != first.load.line]
    reduction, node = first.reduction, first.load.node
    assert isinstance(node, ast.Call)
    text = _mask_text(facts, first.load)
    this = "the load in this call" if first.load.inlined else "this load"
    loads = f"{this} and the one in line {' and '.join(others)}" if others else this
    if len(others) > 1:
        loads = f"{this} and those in lines {', '.join(others[:-1])} and {others[-1]}"
    what = (
        f"the {_WORDS.get(reduction.name, reduction.name)} in line {reduction.node.lineno} "
        f"includes lanes where `{text}` is false, which {loads} "
        f"{'leave' if others else 'leaves'} undefined"
    )
    effect = ""
    if shown:
        effect = "; GPUs read 0 there today, which changes the result"
    elif not any(undefined.noticed is None for undefined in found):
        effect = "; GPUs read 0 there today, which does not change the result"
    mend = _mend(found, reduction)
    reason = "zero-changes-the-result" if shown else "undefined-lanes-reduced"
    claim = Condition("masked-off-lanes-add-nothing", Status.REFUTED, what, reason)
    site = Site(node, (claim,), f"{what}{effect}: {mend}", analysis=True, pays=bool(shown))
    every = {other for undefined in found for other in wanted[undefined.load]}
    if not first.other or every != {first.other} or any(u.load.inlined for u in found):
        return site  # reductions, or callers, that want something else of one load
    from tritonopt.transforms.mended_loads import mended_loads  # few files have such a load

    mended = mended_loads(facts, [undefined.load for undefined in found], first.other)
    if mended is None:
        return site
    return replace(
        site,
        message=f"{what}{effect}: added other={first.other}",
        advice=site.message,
        changes=mended.changes,
        conditions=(claim, *mended.conditions),
    )


def _mask_text(facts: KernelFacts, load: Effect) -> str:
    """The mask as it is written; that of a load in a helper in terms of the kernel."""
    if load.inlined:
        assert load.mask is not None
        return facts.forms.condition(load.mask).readable
    assert isinstance(load.node, ast.Call)
    mask = next((k.value for k in load.node.keywords if k.arg == "mask"), None) or load.node.args[1]
    return " ".join(facts.kernel.module.text_of(mask).split())


def _mend(found: Sequence[TakenIn], reduction: Reduction) -> str:
    given = {undefined.other for undefined in found}
    other = given.pop() if len(given) == 1 else ""
    if other:
        return f"add other={other}"
    neutral = NEUTRAL.get(reduction.name)
    if neutral == 0.0:
        return f"clear them with tl.where before the {reduction.name}"
    return "clear them with tl.where, or add an other= that leaves the result as it is"
