"""What a reduction takes in of the lanes where the mask of a load is off.

And what the load would have to give them for the result to be right. Whether a reduction notices
is found by trying numbers, for what is loaded elsewhere too: `tl.sum(x)` does not notice the 0 that
today's hardware reads without an `other=`, but `tl.sum(tl.exp(x))` and `tl.max(x)` do.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Compared, Lane, Negative
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial, put_in
from tritonopt.facts.dtypes import BOOLEANS, INTEGERS
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import REDUCTION_PARAMETERS
from tritonopt.facts.memory.circumstances import arms_taken
from tritonopt.facts.memory.masked_off_value import NotKnown, Padding
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, Offsets, read_offsets, stays_below
from tritonopt.facts.operations import COMPARISONS, ELEMENTWISE, Op
from tritonopt.facts.repetition import Axes
from tritonopt.facts.values import Value, is_integer
from tritonopt.passes.undefined_lanes.drawn_lanes import (
    MOST_STEPS,
    decided_by,
    padding_is_noticed,
    steps_into,
    widened,
    zero_is_special,
)

NEUTRAL = {
    "sum": 0.0,
    "max": -math.inf,
    "argmax": -math.inf,
    "min": math.inf,
    "argmin": math.inf,
    "prod": 1.0,
}
"""What a lane must hold for the reduction not to notice it."""

_OTHER_FORMS = {
    "reduce": ("input", "axis", "combine_fn", "keep_dims"),
    **{name: REDUCTION_PARAMETERS[name] for name in ("max", "min", "argmax", "argmin")},
}
"""Reductions whose result the facts do not follow: with a function, or with indices."""

_MOVES = {
    "sort": ("x", "dim", "descending"),
    "topk": ("x", "k", "dim"),
    "cumsum": ("input", "axis", "reverse"),
    "cumprod": ("input", "axis", "reverse"),
}
"""What gives each lane something of the others along the axis."""


@dataclass(frozen=True)
class Reduction:
    """A reduction of the kernel's own text."""

    node: ast.expr
    name: str
    operand: Value
    axes: frozenset[int]
    """The axes that are reduced, counted from the right."""
    alike: str = ""
    """The reduction that notices what this one does, where it has another name."""

    @property
    def noticing(self) -> str:
        return self.alike or self.name


def reductions_of(facts: KernelFacts) -> list[Reduction]:
    """In source order, each once."""
    found: dict[Value, Reduction] = {}
    for node, value in facts.values.items():
        if isinstance(node, ast.Call) and value not in found:
            reduction = _reduction(node, value)
            if reduction is not None and reduction.name == "reduce" and _multiplies(facts, node):
                reduction = replace(reduction, name="prod")
            if reduction is not None:
                found[value] = reduction
    return sorted(found.values(), key=lambda r: (r.node.lineno, r.node.col_offset))


def _reduction(node: ast.expr, value: Value) -> Reduction | None:
    if value.op is Op.REDUCE:
        operand, name, axes = value.operand, value.reduction.name, value.reduction.axes
        if operand.rank is None:
            return None
        return Reduction(node, name, operand, frozenset(operand.rank - 1 - a for a in axes))
    match value.op, value.attribute:
        case Op.RESHAPED, (str() as name, tuple() as keywords) if name in _MOVES:
            return _moving(node, value, name, keywords)
        case Op.RESHAPED, (str() as name, tuple() as keywords) if name in _OTHER_FORMS:
            pass
        case _:
            return None
    given = _given(value, _OTHER_FORMS[name], keywords)
    operand = given.get("input", value)
    rank, axis = operand.rank, given.get("axis")
    if not rank:
        return None
    if axis is None or axis.is_none:
        return Reduction(node, name, operand, frozenset(range(rank)))
    if not isinstance(axis.constant, int):
        return None
    return Reduction(node, name, operand, frozenset({rank - 1 - axis.constant % rank}))


def _given(
    value: Value, parameters: tuple[str, ...], keywords: tuple[str, ...]
) -> dict[str, Value]:
    positional = len(value.operands) - len(keywords)
    return dict(zip((*parameters[:positional], *keywords), value.operands, strict=False))


def _moving(node: ast.expr, value: Value, name: str, keywords: tuple[str, ...]) -> Reduction | None:
    """A sort, or a scan from the end: one from the start comes to the lanes behind it last."""
    first, *others = _MOVES[name]
    given = _given(value, _MOVES[name], keywords)
    operand = given.get(first, value.operands[0])
    axis = given.get("axis" if "axis" in others else "dim")
    turned = given.get(others[-1])
    if not operand.rank:
        return None
    along = 0
    if axis is not None and not axis.is_none:
        if not isinstance(axis.constant, int):
            return None
        along = operand.rank - 1 - axis.constant % operand.rank
    elif "axis" in others:
        along = operand.rank - 1  # scans go along axis 0 where nothing is said
    falls = name == "topk" or (turned is not None and turned.constant is True)
    if name in ("sort", "topk"):
        return Reduction(node, name, operand, frozenset({along}), "max" if falls else "min")
    alike = "sum" if name == "cumsum" else "prod"
    return Reduction(node, name, operand, frozenset({along}), alike) if falls else None


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


_PASSED_ON = ELEMENTWISE - {Op.WHERE, Op.MUL, Op.AND}

_INFINITY = math.inf

_SPELLED = {0.0: "0.0", 1.0: "1.0", -_INFINITY: 'float("-inf")', _INFINITY: 'float("inf")'}


def spelled(number: float) -> str:
    """As a kernel writes a number that a reduction does not notice."""
    return _SPELLED[number]


@dataclass(frozen=True)
class TakenIn:
    """A load of which a reduction takes in the lanes where its mask is off."""

    load: Effect
    reduction: Reduction
    other: str
    """What the load would give them for the result to be right; empty where nothing is known."""
    noticed: bool | None
    """Whether its `other=`, or the 0 that hardware reads without one, changes the result."""
    off: Mapping[Atom, int]
    """Which comparisons hold (1) and which do not (0) in the lanes."""


def taken_in(
    facts: KernelFacts,
    divisibility: Divisibility,
    effect: Effect,
    reductions: Sequence[Reduction],
) -> Iterator[TakenIn]:
    """The reductions that take the lanes in."""
    for reduction in reductions:
        for axes in _ways(facts, reduction.operand, effect):
            lanes = _Lanes(facts, divisibility, effect, axes, reduction.axes)
            for off in lanes.off:
                taking = _Taking(facts, effect, off)
                direct = taking.reaches(reduction.operand)
                if not direct and (gives_other(effect) or not taking.spoils(reduction.operand)):
                    continue
                name, operand = reduction.noticing, reduction.operand
                noticed = padding_is_noticed(facts, name, operand, effect.order, off, lanes.on)
                other = "0.0" if noticed is False else ""
                other = _Filling(facts, effect, off).mending(reduction) or other
                if name == "sum" and (noticed is None or other == "0.0"):
                    special = zero_is_special(facts, operand, effect.order, off)
                    given = effect.other.constant if effect.other is not None else None
                    other = "" if special and not given else other
                    noticed = True if special and direct and gives_other(effect) else noticed
                if not direct:
                    # Multiplied by 0: only a NaN or an infinity would be seen, and 0 is neither.
                    other = "0.0" if noticed is not None else other
                    noticed = noticed and None
                if noticed and name in ("max", "argmax") and _is_of_integers(facts, operand):
                    noticed = None  # lengths and indices are not below 0
                if noticed and gives_other(effect) and not _has_any_sign(facts, effect, reduction):
                    noticed = None
                yield TakenIn(effect, reduction, other, noticed, off)


def worst(found: Iterable[TakenIn]) -> TakenIn | None:
    """The first that has a wrong result today, else the first."""
    first = None
    for undefined in found:
        if undefined.noticed:
            return undefined
        first = first or undefined
    return first


def gives_other(effect: Effect) -> bool:
    return effect.other is not None and not effect.other.is_none


def _has_any_sign(facts: KernelFacts, effect: Effect, reduction: Reduction) -> bool:
    """Whether callers may pass numbers below and above what `other=` is, where it depends on that.

    Who wrote an `other=` may know what another kernel, or a product, has made.
    """
    if reduction.noticing not in ("max", "argmax", "min", "argmin"):
        return True
    bases = facts.bases(effect) or frozenset()
    tiles = [v for v in reduction.operand.walk() if v.op is Op.LOAD and v.shape != ()]
    # A running maximum that is too large is subtracted, and changes nothing.
    several = len(tiles) > 1 and reduction.noticing in ("max", "argmax")
    return bool(bases) and not several and all(map(facts.launches.comes_from_callers, bases))


def _is_of_integers(facts: KernelFacts, operand: Value) -> bool:
    return is_integer(operand.dtype) or any(
        (part.op in (Op.LOAD, Op.CAST) and is_integer(part.dtype))
        or (part.op is Op.LOAD and part.number in facts.integers.loads)
        or (part.op is Op.LOAD and part.other.dtype == "int" and not facts.types.of(part).seen)
        for part in operand.walk(but=Op.LOAD)  # of what is loaded, not of where it lies
    )


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
        elif value.op is Op.INSERT_AXES:
            todo.append((value.operand, (value.pattern, *axes)))
        elif value.op in (Op.CARRIED, Op.RESULT):
            loop = facts.loops[value.carrier.loop]
            todo += [(end[value.carrier.name], axes) for end in (loop.initial, loop.following)]
        elif value.op in ELEMENTWISE or value.op in (Op.PHI, Op.BROADCAST_TO):
            todo += [(part, axes) for part in value.operands]
        elif len(axes) < MOST_STEPS:
            todo += [(part, (*own, *axes)) for part, own in steps_into(value)]
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
            if any(isinstance(leaf, Lane) and leaf.axis in self._reduced for leaf in atom.leaves())
            and not (self._is_always(atom, on) or self._is_of_rows(atom))
        ]

    def _is_of_rows(self, atom: Atom) -> bool:
        """Whether it bounds a tile of rows that follow each other in memory, and end with one."""
        if not isinstance(atom, Negative):
            return False
        lanes = [leaf for leaf in atom.form.atoms if isinstance(leaf, Lane)]
        rows = [lane for lane in lanes if lane.axis not in self._reduced]
        own = [lane.extent for lane in lanes if lane.axis in self._reduced]
        return any(atom.form.coefficient(row) in own for row in rows)

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
            if part.op in (Op.GT, Op.GE):
                least, most = most, least
            if self._stays_below(least, most, int(part.op in (Op.LE, Op.GE))):
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
    match atom:
        case Negative(form):
            return -form - 1 if on else form
        case Compared("lt" | "le" as order, left, right):
            strict = int(order == "lt")
            return right - left - strict if on else left - right - 1 + strict
    return None


class _Taking:
    """Whether a value takes in the lanes outside the mask of a load, where some comparisons are
    known."""

    def __init__(self, facts: KernelFacts, effect: Effect, known: Mapping[Atom, int]) -> None:
        self._facts = facts
        self._effect = effect
        self._known = known
        self._seen: set[tuple[Value, Axes]] = set()
        self._special = False

    def spoils(self, value: Value) -> bool:
        """Whether a NaN or an infinity in these lanes reaches the value, through factors of 0 too.

        Whole numbers and outcomes of comparisons are finite, and 0 times them is 0.
        """
        self._special = True
        self._seen.clear()
        return self.reaches(value)

    def reaches(self, value: Value, axes: Axes = ()) -> bool:
        if self._special and self._is_whole(value):
            return False
        if value is self._effect.loaded:
            return True
        if (value, axes) in self._seen:
            return False  # a loop around; what comes in, comes in on another way
        self._seen.add((value, axes))
        operands = value.operands
        match value.op:
            case Op.WHERE:
                decided = decided_by(self._facts, value.condition, axes, self._known)
                taken = value.then if decided else value.other
                return decided is not None and self.reaches(taken, axes)
            case Op.PHI:
                return self._chosen(value, axes)
            case Op.MUL | Op.AND:
                special = self._special and value.op is Op.MUL
                pairs = zip(operands, operands[::-1], strict=True)
                return any(
                    (special or not self._is_zero(other, axes)) and self.reaches(operand, axes)
                    for operand, other in pairs
                )
            case Op.INSERT_AXES:
                return self.reaches(value.operand, (value.pattern, *axes))
            case Op.CARRIED | Op.RESULT:
                loop = self._facts.loops[value.carrier.loop]
                ends = (loop.initial, loop.following)
                return any(self.reaches(end[value.carrier.name], axes) for end in ends)
        if value.op in _PASSED_ON or value.op is Op.BROADCAST_TO:
            return any(self.reaches(operand, axes) for operand in operands)
        return len(axes) < MOST_STEPS and any(
            self.reaches(part, (*own, *axes)) for part, own in steps_into(value)
        )

    def _is_whole(self, value: Value) -> bool:
        types = self._facts.types.of(value)
        return value.op in COMPARISONS or types.all_in(INTEGERS | BOOLEANS)

    def _chosen(self, value: Value, axes: Axes) -> bool:
        """One side of an `if`: that of the load, or one that a launch takes, else both."""
        condition, then, other = value.operands
        for guard in self._effect.guards:
            if guard.condition is condition:
                return self.reaches(then if guard.holds else other, axes)
        arms = arms_taken(self._facts, condition, by_default=True)
        if arms is not None:
            return any(self.reaches(then if arm else other, axes) for arm in arms)
        return self.reaches(then, axes) and self.reaches(other, axes)

    def _is_zero(self, value: Value, axes: Axes) -> bool:
        form = self._facts.forms.of(widened(self._facts, value, axes))
        return put_in(form, self._known).is_zero


class _Filling(Padding):
    """What lanes hold where a masked load gives them a number: 0, an infinity, or anything.

    What is not known is taken to be finite, as another load of today's hardware is that reads 0.
    """

    def __init__(self, facts: KernelFacts, effect: Effect, known: Mapping[Atom, int]) -> None:
        super().__init__(facts)
        self._effect = effect
        self._known = known
        self._filler = 0.0

    def mending(self, reduction: Reduction) -> str:
        """The `other=` with which the reduction does not notice the lanes; empty if none is known.

        Only of floating-point numbers: the least integer is another one for each type.
        """
        wanted = NEUTRAL.get(reduction.name)
        assert self._effect.loaded is not None
        if wanted is None:
            return ""
        both = (self._effect.loaded, reduction.operand)
        if wanted and any(_is_of_integers(self._facts, value) for value in both):
            return ""
        for filler in dict.fromkeys((wanted, -_INFINITY)):
            self._filler = filler
            self._found.clear()
            if self._or_none(reduction.operand, ()) == wanted:
                return spelled(filler)
        return ""

    def _is_off(self, mask: Value, axes: Axes) -> bool:
        return decided_by(self._facts, mask, axes, self._known) is False

    def _load(self, value: Value, axes: Axes) -> float:
        if self._facts.interpretation.loads[value.number] is self._effect:
            return self._filler
        try:
            return super()._load(value, axes)
        except NotKnown as why:
            if why.reason == "no-other":
                return self._filler  # it is fixed too, and is given the same
            raise

    def _number(self, value: Value, axes: Axes) -> float:
        match value.op:
            case Op.CAST:
                return self.of(value.operand, axes)
            case Op.CARRIED | Op.RESULT:
                return self._carried(value, axes)
            case Op.ADD | Op.SUB | Op.MUL | Op.DIV:
                number = self._of_one_side(value, axes)
                if number is not None:
                    return number
            case Op.ELEMENTWISE if value.function.removeprefix("math.") in ("sin", "erf"):
                if self.of(value.operands[0], axes) == 0.0:
                    return 0.0
        return super()._number(value, axes)

    def _of_one_side(self, value: Value, axes: Axes) -> float | None:
        """What comes of a number and of what is only taken to be finite; None where it is open."""
        one, other = (self._or_none(operand, axes) for operand in value.operands)
        number = one if other is None else other if one is None else None
        if number is None:
            return None
        if value.op in (Op.ADD, Op.SUB) and math.isinf(number):
            return -number if value.op is Op.SUB and one is None else number
        divides = value.op is Op.DIV and other is None
        return 0.0 if number == 0.0 and (divides or value.op is Op.MUL) else None

    def _or_none(self, value: Value, axes: Axes) -> float | None:
        try:
            return self.of(value, axes)
        except NotKnown:
            return None

    def _carried(self, value: Value, axes: Axes) -> float:
        """What it is before the loop, where an iteration of such lanes leaves it so."""
        loop, name = self._facts.loops[value.carrier.loop], value.carrier.name
        before = self.of(loop.initial[name], axes)
        if name in loop.carried:
            self._found[loop.carried[name].serial, axes] = before
        if self.of(loop.following[name], axes) != before:
            raise NotKnown("value-is-not-known", f"{name} is another number in each iteration")
        return before
