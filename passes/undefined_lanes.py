"""undefined-lanes: a reduction takes in lanes that a load left undefined."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from tritonopt.facts import Atom, Effect, EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.language import REDUCTION_PARAMETERS
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, Offsets, read_offsets, stays_below
from tritonopt.facts.memory.zeros import Axes, put_in, widened, zero_is_noticed
from tritonopt.facts.values import COMPARISONS, ELEMENTWISE, is_integer
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint

_PASSED_ON = ELEMENTWISE - {"where", "mul", "and"}

_INFINITY = math.inf

_NEUTRAL = {
    "sum": 0.0,
    "max": -_INFINITY,
    "argmax": -_INFINITY,
    "min": _INFINITY,
    "argmin": _INFINITY,
    "prod": 1.0,
}
"""What a lane must hold for the reduction not to notice it."""

_WORDS = {"prod": "product", "reduce": "reduction"}

_SPELLED = {0.0: "0.0", 1.0: "1.0", -_INFINITY: 'float("-inf")', _INFINITY: 'float("inf")'}

_OTHER_FORMS = {
    "reduce": ("input", "axis", "combine_fn", "keep_dims"),
    **{name: REDUCTION_PARAMETERS[name] for name in ("max", "min", "argmax", "argmin")},
}
"""Reductions whose result the facts do not follow: with a function, or with indices."""


@dataclass(frozen=True)
class UndefinedLanes(Lint):
    """Find reductions over a masked load that has no `other`.

    ## What it does

    Where the mask of a `tl.load` is off and no `other=` is given, the language leaves the lane
    undefined. A reduction that takes such lanes in gives an undefined result. The pass reports the
    load, and changes nothing.

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
    - the mask is not shown to be on in every lane (by the launches, assertions or the arithmetic).

    That the 0 changes a result is shown by numbers: the reduction is computed with 0 in such a
    lane and with some number in the others. What cannot be computed counts as the second kind, and
    so does a maximum of integers, which are lengths and indices as a rule. A reduction is reported
    once, with all loads whose lanes it takes in.

    Sums that are gathered lane by lane over a loop, and reduced after it, count as well. The value
    that is advised for `other=` is one with which the reduction does not notice the lanes: 0 for a
    sum of products, minus infinity for a maximum and for a sum of exponentials.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N)
    var = tl.max(x, axis=0)
    ```

    is reported, and this is not:

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
    var = tl.max(x, axis=0)
    ```

    ## Measured

    Nothing to measure: it is about being right.
    """

    name: ClassVar[str] = "undefined-lanes"
    summary: ClassVar[str] = "find reductions over masked loads without other="
    harm: ClassVar[str] = (
        "a masked load without other= gives the lanes outside its mask no value; the 0 that GPUs "
        "read there today is neutral for a sum, and not for a maximum, a minimum or a product"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        loads = [e for e in facts.effects if _may_be_undefined(e)]
        if not loads:
            return
        divisibility = Divisibility(facts)
        reductions = _reductions(facts)
        taken: dict[_Reduction, list[_Undefined]] = {}
        for effect in loads:
            try:
                found = _worst(_all(facts, divisibility, effect, reductions))
            except (TooLarge, RecursionError):  # a sum of hundreds of terms
                continue
            if found is not None:
                taken.setdefault(found.reduction, []).append(found)
        for undefined in taken.values():
            yield _site(facts, undefined)


def _may_be_undefined(effect: Effect) -> bool:
    return (
        effect.kind is EffectKind.LOAD
        and not effect.inlined
        and effect.loaded is not None
        and effect.mask is not None
        and not effect.mask.is_none
        and (effect.other is None or effect.other.is_none)
    )


@dataclass(frozen=True)
class _Reduction:
    """A reduction of the kernel's own text."""

    node: ast.expr
    name: str
    operand: Value
    axes: frozenset[int]
    """The axes that are reduced, counted from the right."""


def _reductions(facts: KernelFacts) -> list[_Reduction]:
    """In source order, each once."""
    found: dict[Value, _Reduction] = {}
    for node, value in facts.values.items():
        if isinstance(node, ast.Call) and value not in found:
            reduction = _reduction(node, value)
            if reduction is not None and reduction.name == "reduce" and _multiplies(facts, node):
                reduction = replace(reduction, name="prod")
            if reduction is not None:
                found[value] = reduction
    return sorted(found.values(), key=lambda r: (r.node.lineno, r.node.col_offset))


def _reduction(node: ast.expr, value: Value) -> _Reduction | None:
    if value.op == "reduce":
        operand, name, axes = value.operands[0], value.reduction.name, value.reduction.axes
        if operand.rank is None:
            return None
        return _Reduction(node, name, operand, frozenset(operand.rank - 1 - a for a in axes))
    match value.op, value.attribute:
        case "reshaped", (str() as name, tuple() as keywords) if name in _OTHER_FORMS:
            pass
        case _:
            return None
    positional = len(value.operands) - len(keywords)
    given = dict(zip((*_OTHER_FORMS[name][:positional], *keywords), value.operands, strict=False))
    operand = given.get("input", value)
    rank, axis = operand.rank, given.get("axis")
    if not rank:
        return None
    if axis is None or axis.is_none:
        return _Reduction(node, name, operand, frozenset(range(rank)))
    if not isinstance(axis.constant, int):
        return None
    return _Reduction(node, name, operand, frozenset({rank - 1 - axis.constant % rank}))


def _multiplies(facts: KernelFacts, reduction: ast.Call) -> bool:
    """Whether the function that a `tl.reduce` is given is the product of its two parameters."""
    names = {
        n.id
        for n in (*reduction.args, *(k.value for k in reduction.keywords))
        if isinstance(n, ast.Name)
    }
    for combine in facts.kernel.module.kernels:
        if combine.name in names and len(combine.node.body) == 1:
            match combine.node.body[0]:
                case ast.Return(
                    value=ast.BinOp(left=ast.Name(id=a), op=ast.Mult(), right=ast.Name(id=b))
                ):
                    return {a, b} == {p.name for p in combine.parameters} and a != b
    return False


@dataclass(frozen=True)
class _Undefined:
    """A load whose undefined lanes a reduction takes in."""

    load: Effect
    reduction: _Reduction
    other: str
    """What the load would give them for the result to be right; empty where nothing is known."""
    noticed: bool | None
    """Whether the 0 that today's hardware reads there changes the result, where that is known."""


def _all(
    facts: KernelFacts,
    divisibility: Divisibility,
    effect: Effect,
    reductions: list[_Reduction],
) -> Iterator[_Undefined]:
    """The reductions that take the lanes in."""
    for reduction in reductions:
        for axes in _ways(facts, reduction.operand, effect):
            lanes = _Lanes(facts, divisibility, effect, axes, reduction.axes)
            for off in lanes.off:
                if not _Taking(facts, effect, off).reaches(reduction.operand):
                    continue
                name, operand = reduction.name, reduction.operand
                noticed = zero_is_noticed(facts, name, operand, effect.order, off, lanes.on)
                other = "0.0" if noticed is False else ""
                other = _Filling(facts, effect, off).mending(reduction) or other
                if noticed and name in ("max", "argmax") and _is_of_integers(operand):
                    noticed = None  # lengths and indices are not below 0
                yield _Undefined(effect, reduction, other, noticed)


def _is_of_integers(operand: Value) -> bool:
    return is_integer(operand.dtype) or any(
        part.op in ("load", "cast") and is_integer(part.dtype) for part in operand.walk()
    )


def _worst(found: Iterable[_Undefined]) -> _Undefined | None:
    """The first that has a wrong result today, else the first."""
    first = None
    for undefined in found:
        if undefined.noticed:
            return undefined
        first = first or undefined
    return first


def _site(facts: KernelFacts, found: Sequence[_Undefined]) -> Site:
    """What is said of one reduction, at the first of its loads."""
    shown = [undefined for undefined in found if undefined.noticed]
    first = (shown or found)[0]
    others = [str(u.load.line) for u in found if u is not first and u.load.line != first.load.line]
    reduction, node = first.reduction, first.load.node
    assert isinstance(node, ast.Call)
    mask = next((k.value for k in node.keywords if k.arg == "mask"), None) or node.args[1]
    text = " ".join(facts.kernel.module.text_of(mask).split())
    loads = f"this load and the one in line {' and '.join(others)}" if others else "this load"
    if len(others) > 1:
        loads = f"this load and those in lines {', '.join(others[:-1])} and {others[-1]}"
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
    message = f"{what}{effect}: {_mend(found, reduction)}"
    reason = "zero-changes-the-result" if shown else "undefined-lanes-reduced"
    claim = Condition("reduced-lanes-are-defined", Status.REFUTED, what, reason)
    return Site(node, (claim,), message, analysis=True, pays=bool(shown))


def _mend(found: Sequence[_Undefined], reduction: _Reduction) -> str:
    given = {undefined.other for undefined in found}
    other = given.pop() if len(given) == 1 else ""
    if other:
        return f"add other={other}"
    neutral = _NEUTRAL.get(reduction.name)
    if neutral == 0.0:
        return f"clear them with tl.where before the {reduction.name}"
    return "clear them with tl.where, or add an other= that leaves the result as it is"


def _ways(facts: KernelFacts, operand: Value, effect: Effect) -> list[Axes]:
    """The axes that are inserted into the load on its ways to the operand of a reduction."""
    found: list[Axes] = []
    seen: set[tuple[Value, Axes]] = set()
    todo: list[tuple[Value, Axes]] = [(operand, ())]
    while todo:
        value, axes = todo.pop()
        if (value, axes) in seen:
            continue
        seen.add((value, axes))
        if value is effect.loaded:
            found.append(axes)
        elif value.op == "insert_axes":
            assert isinstance(value.attribute, tuple)
            todo.append((value.operands[0], (value.attribute, *axes)))
        elif value.op in ("carried", "result"):
            loop = facts.loops[value.carrier.loop]
            todo += [(end[value.carrier.name], axes) for end in (loop.initial, loop.following)]
        elif value.op in ELEMENTWISE or value.op in ("phi", "broadcast_to"):
            todo += [(part, axes) for part in value.operands]
    return found


class _Lanes:
    """The lanes that the mask of a load leaves out, as an operand of a reduction has them."""

    def __init__(
        self,
        facts: KernelFacts,
        divisibility: Divisibility,
        effect: Effect,
        axes: Axes,
        reduced: frozenset[int],
    ) -> None:
        self._facts = facts
        self._divisibility = divisibility
        self._reduced = reduced
        assert effect.mask is not None
        self._mask = widened(facts, effect.mask, axes)
        self._condition = facts.forms.condition(self._mask)

    @cached_property
    def on(self) -> dict[Atom, int]:
        """Which comparisons hold (1) and which do not (0) for the mask to be on."""
        return {
            atom: on
            for atom in self._condition.atoms
            if atom.is_indicator and (on := self._needed(atom)) is not None
        }

    @cached_property
    def off(self) -> list[dict[Atom, int]]:
        """Ways in which the mask is off in some lanes of a reduced axis and on in others.

        As `on`.
        """
        return [
            {**self.on, atom: 1 - on}
            for atom, on in self.on.items()
            if any(
                leaf.tag == "lane" and leaf.arguments[1] in self._reduced for leaf in atom.leaves()
            )
            and not self._is_always(atom, on)
        ]

    def _needed(self, atom: Atom) -> int | None:
        """What an indicator must be for the mask to be on; None where either may do."""
        for value in (0, 1):
            if put_in(self._condition, {atom: value}).is_zero:
                return 1 - value
        return None

    def _is_always(self, atom: Atom, on: int) -> bool:
        """Whether the comparison behind an indicator is shown to hold in every lane."""
        if self._is_at_least_zero(_what_it_needs(atom, on)):
            return True
        indicator = Polynomial.of(atom)
        wanted = indicator if on else ONE - indicator
        for part in self._mask.walk():
            if part.op not in COMPARISONS or self._facts.forms.condition(part) != wanted:
                continue
            least, most = part.operands
            if part.op in ("gt", "ge"):
                least, most = most, least
            if self._stays_below(least, most, int(part.op in ("le", "ge"))):
                return True
        return False

    def _is_at_least_zero(self, form: Polynomial | None) -> bool:
        least = Bounds(self._facts).lower_bound(form) if form is not None else None
        return least is not None and least.number >= 0

    def _stays_below(self, lanes: Value, limit: Value, slack: int) -> bool:
        try:
            offsets = read_offsets(self._facts, lanes)
        except NotConsecutive:
            return False
        if offsets.kind is not Kind.PLAIN:
            return False
        end = self._facts.forms.of(limit) + slack
        bounded = Offsets(Kind.PLAIN, offsets.axis, offsets.extent, offsets.start, end)
        return stays_below(self._facts, self._divisibility, bounded) is not None


def _what_it_needs(atom: Atom, on: int) -> Polynomial | None:
    """A form that is at least 0 just where an indicator is on; None where it has none."""
    match atom.tag, atom.arguments:
        case "negative", (Polynomial() as form,):
            return -form - 1 if on else form
        case "holds", ("lt" | "le" as order, Polynomial() as left, Polynomial() as right):
            strict = int(order == "lt")
            return right - left - strict if on else left - right - 1 + strict
    return None


class _Taking:
    """Whether a value takes in what a load leaves undefined, where some comparisons are known."""

    def __init__(self, facts: KernelFacts, effect: Effect, known: Mapping[Atom, int]) -> None:
        self._facts = facts
        self._effect = effect
        self._known = known
        self._seen: set[tuple[Value, Axes]] = set()

    def reaches(self, value: Value, axes: Axes = ()) -> bool:
        if value is self._effect.loaded:
            return True
        if (value, axes) in self._seen:
            return False  # a loop around; what comes in, comes in on another way
        self._seen.add((value, axes))
        operands = value.operands
        match value.op:
            case "where":
                decided = self._decided(operands[0], axes)
                return decided is not None and self.reaches(operands[1 if decided else 2], axes)
            case "phi":
                return self._chosen(value, axes)
            case "mul" | "and":
                if any(self._is_zero(operand, axes) for operand in operands):
                    return False
                return any(self.reaches(operand, axes) for operand in operands)
            case "insert_axes":
                assert isinstance(value.attribute, tuple)
                return self.reaches(operands[0], (value.attribute, *axes))
            case "carried" | "result":
                loop = self._facts.loops[value.carrier.loop]
                ends = (loop.initial, loop.following)
                return any(self.reaches(end[value.carrier.name], axes) for end in ends)
        if value.op in _PASSED_ON or value.op == "broadcast_to":
            return any(self.reaches(operand, axes) for operand in operands)
        return False

    def _chosen(self, value: Value, axes: Axes) -> bool:
        """One side of an `if`: the one in which the load is, else both must take it in."""
        condition, then, other = value.operands
        for guard in self._effect.guards:
            if guard.condition is condition:
                return self.reaches(then if guard.holds else other, axes)
        return self.reaches(then, axes) and self.reaches(other, axes)

    def _decided(self, condition: Value, axes: Axes) -> bool | None:
        form = put_in(
            self._facts.forms.condition(widened(self._facts, condition, axes)), self._known
        )
        constant = form.constant_value
        return None if constant is None else bool(constant)

    def _is_zero(self, value: Value, axes: Axes) -> bool:
        form = self._facts.forms.of(widened(self._facts, value, axes))
        return put_in(form, self._known).is_zero


class _Filling:
    """What lanes hold where a masked load gives them a number: 0, an infinity, or anything."""

    def __init__(self, facts: KernelFacts, effect: Effect, known: Mapping[Atom, int]) -> None:
        self._facts = facts
        self._effect = effect
        self._known = known
        self._filler = 0.0
        self._filled: dict[tuple[Value, Axes], float | None] = {}

    def mending(self, reduction: _Reduction) -> str:
        """The `other=` with which the reduction does not notice the lanes; empty if none is known.

        Only of floating-point numbers: the least integer is another one for each type.
        """
        wanted = _NEUTRAL.get(reduction.name)
        assert self._effect.loaded is not None
        if wanted is None or (wanted and is_integer(self._effect.loaded.dtype)):
            return ""
        for filler in dict.fromkeys((wanted, -_INFINITY)):
            self._filler = filler
            self._filled.clear()
            try:
                held = self._of(reduction.operand, ())
            except RecursionError:  # a sum of hundreds of terms
                return ""
            if held == wanted:
                return _SPELLED[filler]
        return ""

    def _of(self, value: Value, axes: Axes) -> float | None:
        key = (value, axes)
        if key not in self._filled:
            self._filled[key] = None  # a loop around, other than through what it carries
            self._filled[key] = self._compute(value, axes)
        return self._filled[key]

    def _compute(self, value: Value, axes: Axes) -> float | None:
        operands = value.operands
        match value.op:
            case "load":
                return self._loaded(value, axes)
            case "const":
                constant = value.constant
                return float(constant) if constant in _SPELLED else None
            case "cast" | "full" | "broadcast_to" | "pos":
                return self._of(operands[0], axes)
            case "insert_axes":
                assert isinstance(value.attribute, tuple)
                return self._of(operands[0], (value.attribute, *axes))
            case "carried" | "result":
                return self._carried(value, axes)
            case "where" | "phi":
                sides = {self._of(side, axes) for side in operands[1:]}
                return sides.pop() if len(sides) == 1 else None
        name = str(value.attribute if value.op == "elementwise" else value.op)
        numbers = [self._of(operand, axes) for operand in operands]
        return _computed(name, numbers)

    def _loaded(self, value: Value, axes: Axes) -> float | None:
        load = self._facts.interpretation.loads[value.number]
        if load is self._effect:
            return self._filler
        if load.mask is None or load.mask.is_none:
            return None
        mask = self._facts.forms.condition(widened(self._facts, load.mask, axes))
        if not put_in(mask, self._known).is_zero:
            return None
        if load.other is not None and not load.other.is_none:
            return self._of(load.other, ())
        return 0.0 if self._filler == 0.0 else None  # it is reported too, and given 0 then

    def _carried(self, value: Value, axes: Axes) -> float | None:
        """What it is before the loop, where an iteration of such lanes leaves it so."""
        loop, name = self._facts.loops[value.carrier.loop], value.carrier.name
        before = self._of(loop.initial[name], axes)
        if name in loop.carried:
            self._filled[(loop.carried[name], axes)] = before
        return before if self._of(loop.following[name], axes) == before else None


def _computed(name: str, numbers: list[float | None]) -> float | None:
    """A function of 0, infinities and numbers of which only that they are finite is taken."""
    match name, numbers:
        case "add", [a, b]:
            return _sum(a, b)
        case "sub", [a, b]:
            return _sum(a, None if b is None else -b)
        case "mul", [a, b] if 0.0 in numbers and not {a, b} & {_INFINITY, -_INFINITY}:
            return 0.0
        case "div", [0.0, b] if b is None:
            return 0.0
        case "neg", [float() as a]:
            return -a
        case "maximum", [float() as a, float() as b]:
            return max(a, b)
        case "minimum", [float() as a, float() as b]:
            return min(a, b)
        case "exp" | "exp2", [a] if a == -_INFINITY:
            return 0.0
        case (("abs" | "sqrt" | "sqrt_rn" | "sin" | "erf" | "floor" | "ceil"), [0.0]):
            return 0.0
    return None


def _sum(a: float | None, b: float | None) -> float | None:
    infinite = {n for n in (a, b) if n is not None and math.isinf(n)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else None
    return 0.0 if a == b == 0.0 else None
