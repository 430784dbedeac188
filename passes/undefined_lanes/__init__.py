"""undefined-lanes: a reduction takes in lanes that are outside the mask of a load."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tritonopt.checks.condition import NotExpressible
from tritonopt.emit.writing import Writer, comments_in, statements_around
from tritonopt.facts import Effect, EffectKind, KernelFacts, Value
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import TooLarge, put_in
from tritonopt.facts.dtypes import BOOLEANS, FLOAT_FUNCTIONS, FLOATS, INTEGERS
from tritonopt.facts.memory.circumstances import is_left_out
from tritonopt.facts.operations import Op
from tritonopt.facts.uses import is_stored_elsewhere, is_used_otherwise
from tritonopt.facts.values import is_integer
from tritonopt.passes.undefined_lanes.masked_off_lanes import (
    NEUTRAL,
    Reduction,
    TakenIn,
    gives_other,
    reductions_of,
    spelled,
    taken_in,
    worst,
)
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import AddArgument, Change, ReplaceExpression

_NUMBERS = (Op.CONST, Op.NEG, Op.POS, Op.CAST, Op.FULL, Op.DTYPE)
_WORDS = {"prod": "product", "reduce": "reduction"}


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

    Without its name the pass fixes the first kind where the type is known, and the second where
    `other=0.0` is enough: the machine code stays the same. What is left of the second kind appears
    when the pass is selected (`--passes undefined-lanes`).

    ## Conditions

    Reported where all of this is shown:

    - The mask varies along a reduced axis, so that active and inactive lanes mix. (The result of a
      row that is masked off completely is undefined, but not stored.)
    - The inactive lanes reach the reduction. Index arithmetic shows this: no `tl.where` replaces
      them. Where a factor is 0 there, only the selected pass reports them: `0 * NaN` is NaN.
    - The mask is not known to be true in all lanes, and a launch executes the code.

    Included are sums accumulated per lane and reduced after a loop, and `tl.sort`, `tl.topk` and
    reverse scans, which mix lanes. Example numbers show whether 0 changes the result; undecided
    cases count as the second kind, and so do maxima of integers, usually lengths or indices.

    An `other=` is reported where it is a number and changes the result. For maxima and minima,
    which depend on the sign of the data, each launch must pass a tensor of its caller, loaded once:
    whoever writes `other=0.0` may know what another kernel has stored.

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
        for (reduction, _), owned in taken.items():
            try:
                site = _site(facts, owned, undefined_in.get(reduction, []), wanted)
            except (TooLarge, RecursionError):
                continue
            yield site


def _is_masked(effect: Effect) -> bool:
    """Whether a load gives the lanes outside of a mask a number that is seen, or none."""
    masked = effect.mask is not None and not effect.mask.is_none
    parts = effect.other.walk() if effect.other is not None else ()
    seen = all(part.op in _NUMBERS for part in parts)
    return effect.kind is EffectKind.LOAD and effect.loaded is not None and masked and seen


def _site(
    facts: KernelFacts,
    found: Sequence[TakenIn],
    undefined: Sequence[TakenIn],
    wanted: Mapping[Effect, set[str]],
) -> Site:
    """What is said of one reduction, at the first of its loads.

    `undefined` is all that leaves lanes of it undefined, also where the load is reported elsewhere:
    one that is left makes the whole NaN.
    """
    shown = [one for one in found if one.noticed]
    first = (shown or found)[0]
    named = found if gives_other(first.load) else [*found, *undefined]
    others = [str(n) for n in sorted({u.load.line for u in named} - {first.load.line})]
    reduction, node = first.reduction, first.load.node
    assert isinstance(node, ast.Call)
    text = _mask_text(facts, first.load)
    this = "the load in this call" if first.load.inlined else "this load"
    loads = f"{this} and the one in line {' and '.join(others)}" if others else this
    if len(others) > 1:
        loads = f"{this} and those in lines {', '.join(others[:-1])} and {others[-1]}"
    given = _other_of(first.load)
    if gives_other(first.load):
        number = "another number"
        if given is not None and not others:
            number = " ".join(facts.kernel.module.text_of(given).split())
        leaves = f"; {loads} {'give' if others else 'gives'} them {number}"
    else:
        leaves = f", which {loads} {'leave' if others else 'leaves'} undefined"
    what = (
        f"the {_WORDS.get(reduction.name, reduction.name)} in line {reduction.node.lineno} "
        f"includes lanes where `{text}` is false{leaves}"
    )
    effect, reason = "", "undefined-lanes-reduced"
    if gives_other(first.load):
        effect, reason = ", which changes the result", "other-changes-the-result"
    elif shown:
        effect = "; GPUs read 0 there today, which changes the result"
        reason = "zero-changes-the-result"
    elif all(one.noticed is False for one in named):
        effect = "; GPUs read 0 there today, which does not change the result"
    mend = _mend(found, reduction)
    claim = Condition("masked-off-lanes-add-nothing", Status.REFUTED, what, reason)
    site = Site(node, (claim,), f"{what}{effect}: {mend}", analysis=True, is_reported=bool(shown))
    if gives_other(first.load):
        site = replace(site, harm="the number of elements in a tile changes the result")
    mended = _fix(facts, found, undefined, wanted)
    if mended is None:
        return site
    return replace(
        site,
        is_reported=bool(shown) or mended.is_free,
        message=f"{what}{effect}: {mended.done}",
        advice=f"{what}{effect}: {mended.advice}",
        changes=mended.changes,
        conditions=(claim, *mended.conditions),
    )


def _fix(
    facts: KernelFacts,
    found: Sequence[TakenIn],
    undefined: Sequence[TakenIn],
    wanted: Mapping[Effect, set[str]],
) -> _Fix | None:
    """Another `other=` where that suits all who take the lanes in, else a `tl.where`.

    A `tl.where` too where it needs no assumption on types, or does the same in front of another
    reduction.
    """
    other, fixed = found[0].other, None
    first, *others = found
    mask = first.load.mask
    assert mask is not None
    on = facts.forms.condition(mask)
    loads = list(dict.fromkeys(one.load for one in (*found, *undefined)))
    if other and {one for load in loads for one in wanted[load]} == {other}:
        fixed = _fixed_loads(facts, loads, other)
    choices = facts.interpretation.table.made_by(Op.WHERE)
    is_cleared = any(
        choice.then is first.load.loaded and facts.forms.condition(choice.condition) == on
        for choice in choices
    )
    if fixed is not None and (fixed.is_free or not (fixed.is_assumed or is_cleared)):
        return fixed
    if not all(one.noticed for one in found):
        return fixed
    apart = any(not put_in(on, one.off).is_zero for one in (*others, *undefined))
    cleared = None if apart else _cleared(facts, first)
    is_better = cleared is not None and (is_cleared or not cleared.is_assumed)
    return cleared if fixed is None or is_better else fixed


def _mask_text(facts: KernelFacts, load: Effect) -> str:
    """The mask as it is written; that of a load in a helper in terms of the kernel."""
    if load.inlined:
        assert load.mask is not None
        return facts.forms.condition(load.mask).readable
    mask = _mask_of(load)
    assert mask is not None
    return " ".join(facts.kernel.module.text_of(mask).split())


def _mend(found: Sequence[TakenIn], reduction: Reduction) -> str:
    given = {undefined.other for undefined in found}
    other = given.pop() if len(given) == 1 else ""
    if other:
        return f"add other={other}"
    neutral = NEUTRAL.get(reduction.name)
    if neutral == 0.0:
        return f"clear them with tl.where before the {reduction.name}"
    return "clear them with tl.where, or add an other= that does not change the result"


@dataclass(frozen=True)
class _Fix:
    """What makes the lanes outside of a mask neutral."""

    changes: tuple[Change, ...]
    done: str
    advice: str
    conditions: tuple[Condition, ...] = ()
    is_free: bool = False
    """Whether the machine code of today stays what it is: GPUs read this already."""

    @property
    def is_assumed(self) -> bool:
        return any(condition.status is Status.ASSUMED for condition in self.conditions)


def _fixed_loads(facts: KernelFacts, loads: Sequence[Effect], other: str) -> _Fix | None:
    """`other=` for all of them; None where it may be of another type, or may be stored."""
    changes: list[Change] = []
    conditions: list[Condition] = []
    reduced = {facts.values[reduction.node] for reduction in reductions_of(facts)}
    given = [_other_of(load) for load in loads]
    written = _zero(facts, loads) if other == "0.0" else other
    for load, old in zip(loads, given, strict=True):
        call = load.node
        if not isinstance(call, ast.Call) or load.loaded is None or load.inlined:
            return None  # other callers of a helper may want something else
        if old is None and _hides_other(call):
            return None
        # GPUs read 0 there, so it changes nothing for whoever relies on what they do.
        if old is not None or other != "0.0":
            if is_stored_elsewhere(facts, load, load.loaded, reduced):
                return None
            if old is not None and is_used_otherwise(facts.interpretation, load.loaded, reduced):
                return None
            shown = _floats(facts, load, load.loaded) if "inf" in other else None
            if "inf" in other and shown is None:
                return None
            conditions += [shown] if shown is not None else []
        added = AddArgument(call, f"other={written}")
        changes.append(added if old is None else ReplaceExpression(old, written))
    done, advice = ("replaced the", "use") if any(given) else ("added", "add")
    text = f"other= by {written}" if any(given) else f"other={written}"
    conditions = list(dict.fromkeys(conditions))
    is_free = other == "0.0" and not any(given)
    advice = f"{advice} other={written}"
    return _Fix(tuple(changes), f"{done} {text}", advice, tuple(conditions), is_free)


def _zero(facts: KernelFacts, loads: Sequence[Effect]) -> str:
    """0 or 0.0: as the file writes it in loads, else by the type that is loaded."""
    given = (
        k.value
        for kernel in facts.kernel.module.kernels
        for k in kernel.nodes
        if isinstance(k, ast.keyword) and k.arg == "other"
    )
    zeros = {
        repr(n.value)
        for n in given
        if isinstance(n, ast.Constant) and repr(n.value) in ("0", "0.0")
    }
    if len(zeros) == 1:
        return zeros.pop()
    whole = (facts.types.of(load.loaded).some_in(INTEGERS) for load in loads if load.loaded)
    return "0" if any(whole) else "0.0"


def _cleared(facts: KernelFacts, found: TakenIn) -> _Fix | None:
    """`tl.where` around what is reduced; None where the mask cannot be written there."""
    reduction, load = found.reduction, found.load
    call, neutral = reduction.node, NEUTRAL.get(reduction.name)
    mask, operand = _mask_of(load), None
    if isinstance(call, ast.Call):
        operand = call.args[0] if call.args else None
        if isinstance(call.func, ast.Attribute) and call.func.value in facts.values:
            operand = call.func.value
    if operand is None or facts.values.get(operand) is not reduction.operand or mask is None:
        return None
    parts = list(reduction.operand.walk())
    loops = any(part.op in (Op.CARRIED, Op.RESULT) and part.shape != () for part in parts)
    if (
        neutral is None
        or loops
        or load.loaded not in parts
        or comments_in(facts.kernel.module.text_of(operand))
    ):
        return None
    shapes = [facts.values[mask].shape, reduction.operand.shape]
    forms = [None if s is None else [facts.forms.of(extent) for extent in s] for s in shapes]
    statement = next((s for s, _, _ in statements_around(facts, call)), None)
    writer = Writer(facts)
    if forms[0] is None or forms[0] != forms[1] or statement not in facts.before:
        return None
    assert statement is not None
    if not writer.means_the_same(mask, facts.before[statement]):
        return None
    shown = _floats(facts, load, reduction.operand)
    if shown is None and math.isinf(neutral):
        return None
    floats = shown is not None and shown.status is Status.PROVED
    filler = spelled(neutral) if floats or math.isinf(neutral) else str(int(neutral))
    try:
        where = writer.language("where")
    except NotExpressible:
        return None
    code = f"{where}({writer.text(mask)}, {writer.text(operand)}, {filler})"
    conditions = (shown,) if shown is not None and math.isinf(neutral) else ()
    text = f"these lanes with {where}"
    change = ReplaceExpression(operand, code)
    return _Fix((change,), f"cleared {text}", f"clear {text}", conditions)


def _argument_of(load: Effect, name: str, place: int) -> ast.expr | None:
    """An argument of a load of the kernel's own text."""
    call = load.node
    if load.inlined or not isinstance(call, ast.Call) or _has_star(call.args):
        return None
    given = next((k.value for k in call.keywords if k.arg == name), None)
    return given or (call.args[place] if len(call.args) > place else None)


def _mask_of(load: Effect) -> ast.expr | None:
    return _argument_of(load, "mask", 1)


def _other_of(load: Effect) -> ast.expr | None:
    return _argument_of(load, "other", 2) if gives_other(load) else None


def _hides_other(call: ast.Call) -> bool:
    names = {keyword.arg for keyword in call.keywords}
    return len(call.args) > 2 or bool(names & {None, "other"}) or _has_star(call.args)


def _has_star(arguments: Iterable[ast.expr]) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in arguments)


def _floats(facts: KernelFacts, load: Effect, value: Value) -> Condition | None:
    """That infinity can be loaded; None where what is loaded may well be integers.

    Of an infinity the compiler makes an undefined integer.
    """
    types = facts.types.of(value)
    if types.some_in(INTEGERS | BOOLEANS):
        return None
    if types.all_in(FLOATS):
        return Condition("type-stays", Status.PROVED, types.where)
    for made in facts.interpretation.table.made_by(Op.ELEMENTWISE):
        name = made.function.removeprefix("math.")
        if name in FLOAT_FUNCTIONS and value in made.operands:
            return Condition("type-stays", Status.PROVED, f"{name} takes floats alone")
    if load.other is not None and (load.other.dtype == "int" or is_integer(load.other.dtype)):
        return None  # as an author writes it who loads integers
    return Condition("type-stays", Status.ASSUMED, "what is loaded counts as floats")
