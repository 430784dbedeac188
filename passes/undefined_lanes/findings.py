"""What is said of a reduction that takes in inactive lanes, and the fix."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tritonopt.checks.condition import NotExpressible
from tritonopt.emit.writing import Writer, comments_in, statements_around
from tritonopt.facts import Effect, KernelFacts, Value
from tritonopt.facts.algebra.polynomial import put_in
from tritonopt.facts.dtypes import BOOLEANS, FLOAT_FUNCTIONS, FLOATS, INTEGERS
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
)
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.source import AddArgument, Change, ReplaceExpression

_WORDS = {"prod": "product", "reduce": "reduction"}


def finding(
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
        number = "another number" if first.load.block is None else "0"
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
        site = replace(site, harm="the result depends on the number of inactive lanes in the tile")
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
    mask = _mask_of(load)
    if mask is None:
        assert load.mask is not None
        return facts.forms.condition(load.mask).readable
    return " ".join(facts.kernel.module.text_of(mask).split())


def _mend(found: Sequence[TakenIn], reduction: Reduction) -> str:
    given = {undefined.other for undefined in found}
    other = given.pop() if len(given) == 1 else ""
    if other and not any(undefined.load.block for undefined in found):
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
        if not isinstance(call, ast.Call) or load.loaded is None or load.inlined or load.block:
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
    text = f"these lanes by {where}"
    change = ReplaceExpression(operand, code)
    return _Fix((change,), f"cleared {text}", f"clear {text}", conditions)


def _argument_of(load: Effect, name: str, place: int) -> ast.expr | None:
    """An argument of a load of the kernel's own text."""
    call = load.node
    if load.inlined or load.block or not isinstance(call, ast.Call) or _has_star(call.args):
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
            return Condition("type-stays", Status.PROVED, f"{name} takes only floats")
    if load.other is not None and (load.other.dtype == "int" or is_integer(load.other.dtype)):
        return None  # as an author writes it who loads integers
    return Condition("type-stays", Status.ASSUMED, "we assume that floats are loaded")
