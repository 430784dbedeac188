"""undefined-lanes: a reduction takes in lanes that a load left undefined."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS
from tritonopt.facts.memory.circumstances import is_left_out
from tritonopt.facts.memory.lane_reductions import NEUTRAL, Reduction, reductions_of
from tritonopt.facts.memory.masked_off_lanes import TakenIn, taken_in
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import AddArgument

_WORDS = {"prod": "product", "reduce": "reduction"}


@dataclass(frozen=True)
class UndefinedLanes(Lint):
    """Find reductions over a masked load that has no `other`.

    ## What it does

    Inactive lanes of a `tl.load` without `other=` are undefined, and so is a reduction that
    includes them. The pass reports the load, and adds `other=` where one value suits all uses:
    without its name, where that is a safe fix.

    ## Why

    Current hardware reads 0. That makes these results wrong (`zero-changes-the-result`): a maximum
    of negative numbers, a minimum of positive ones, a product, `tl.sum(tl.exp(x))` (1 per inactive
    lane), a variance (the squared mean). A plain sum is right by luck (`undefined-lanes-reduced`):
    an interpreter or the next compiler may load anything.

    `tritonopt suggest` shows the first kind. The second, most of what real code has, appears when
    the pass is selected (`--passes undefined-lanes`).

    ## Conditions

    Reported where all of this is shown:

    - The mask varies along a reduced axis, so that active and inactive lanes mix. (The result of a
      row that is masked off completely is undefined, but not stored.)
    - The inactive lanes reach the reduction. Index arithmetic shows this: no `tl.where` replaces
      them, and no factor is 0 there.
    - The mask is not known to be true in all lanes, and a launch executes the code.

    Included are sums accumulated per lane and reduced after a loop, and `tl.sort`, `tl.topk` and
    reverse scans, which mix lanes. Example numbers show whether 0 changes the result; undecided
    cases count as the second kind, and so do maxima of integers, usually lengths or indices.

    `other=` is neutral: 0 for a sum of products, minus infinity for a maximum or a sum of
    exponentials. It is added where all reductions of the load agree, and the load is not in a
    helper, which may have other callers; an infinity only where no store can write such a lane and
    the type is not known to be integer (an unknown type is assumed to be float).

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
    site = Site(node, (claim,), f"{what}{effect}: {mend}", analysis=True, is_reported=bool(shown))
    every = {other for undefined in found for other in wanted[undefined.load]}
    if not first.other or every != {first.other} or any(u.load.inlined for u in found):
        return site  # reductions, or callers, that want something else of one load
    mended = _fixed_loads(facts, [undefined.load for undefined in found], first.other)
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


@dataclass(frozen=True)
class _FixedLoads:
    """What gives some loads a number for the lanes outside of their masks."""

    changes: tuple[AddArgument, ...]
    conditions: tuple[Condition, ...] = ()


def _fixed_loads(facts: KernelFacts, loads: Sequence[Effect], other: str) -> _FixedLoads | None:
    """`other=` for all of them; None where it may be of another type, or may be stored."""
    changes: list[AddArgument] = []
    conditions: list[Condition] = []
    reduced = {facts.values[reduction.node] for reduction in reductions_of(facts)}
    for load in loads:
        call = load.node
        if not isinstance(call, ast.Call) or load.loaded is None or _hides_other(call):
            return None
        # GPUs read 0 there, so it changes nothing for whoever relies on what they do.
        if other != "0.0":
            if _is_stored_elsewhere(facts, load, load.loaded, reduced):
                return None
            shown = _floats(facts, load.loaded)
            if shown is None:
                return None
            conditions.append(shown)
        changes.append(AddArgument(call, f"other={other}"))
    return _FixedLoads(tuple(changes), tuple(dict.fromkeys(conditions)))


def _hides_other(call: ast.Call) -> bool:
    names = {keyword.arg for keyword in call.keywords}
    return len(call.args) > 2 or bool(names & {None, "other"}) or _has_star(call.args)


def _has_star(arguments: Iterable[ast.expr]) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in arguments)


def _floats(facts: KernelFacts, loaded: Value) -> Condition | None:
    """That an infinity can be loaded; None where what is loaded may well be integers."""
    types = facts.types.of(loaded)
    if types.some_in(INTEGERS | BOOLEANS):
        return None
    if types.all_in(FLOATS):
        return Condition("type-stays", Status.PROVED, types.where)
    return Condition("type-stays", Status.ASSUMED, "what is loaded counts as floats")


def _is_stored_elsewhere(
    facts: KernelFacts, load: Effect, loaded: Value, reduced: set[Value]
) -> bool:
    """Whether a lane outside of the mask may be stored, other than reduced."""
    assert load.mask is not None
    mask = facts.forms.condition(load.mask)
    for effect in facts.effects:
        if effect.kind not in (EffectKind.STORE, EffectKind.ATOMIC) or effect.stored is None:
            continue
        if not _goes_into(facts, loaded, effect.stored, reduced):
            continue
        if effect.mask is None or effect.mask.is_none or facts.forms.condition(effect.mask) != mask:
            return True
    return False


def _goes_into(facts: KernelFacts, loaded: Value, stored: Value, reduced: set[Value]) -> bool:
    todo, seen = [stored], {stored}
    while todo:
        value = todo.pop()
        if value is loaded:
            return True
        if value in reduced:
            continue
        inside = list(value.operands)
        if value.op in (Op.CARRIED, Op.RESULT):
            loop = facts.loops[value.carrier.loop]
            inside = [loop.initial[value.carrier.name], loop.following[value.carrier.name]]
        todo += [part for part in inside if part not in seen]
        seen.update(inside)
    return False
