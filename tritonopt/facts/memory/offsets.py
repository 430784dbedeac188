"""Offsets that run from lane to lane: plain, wrapped at a length, or cut off at one.

    plain      start + lane
    wrapped    (start + lane) % limit
    selected   start + lane where that is below the limit, another value elsewhere

`start` and `limit` are the same for all lanes of the axis. What is said of such offsets is said
of every program and every iteration.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Choice,
    Compared,
    Constant,
    FloorDiv,
    Iteration,
    Lane,
    Math,
    Maximum,
    Minimum,
    Mod,
    Negative,
    PowerOfTwo,
    ProgramId,
    Truth,
    Zero,
    ceiling_division,
)
from tritonopt.facts.algebra.divisibility import Divisibility, Proof, substitute
from tritonopt.facts.algebra.indicators import negative
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial
from tritonopt.facts.algebra.variation import varies_along
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


_WIDE = frozenset({"int32", "int64", "uint32", "uint64"})
_ORDERS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})


class Kind(str, Enum):
    PLAIN = "plain"
    WRAPPED = "wrapped"
    SELECTED = "selected"


class NotConsecutive(Exception):
    """Why the lanes do not go up by one, in words."""


@dataclass(frozen=True)
class Offsets:
    """Offsets along one axis of a tile."""

    kind: Kind
    axis: int
    """Counted from the right."""
    extent: Polynomial
    start: Polynomial
    limit: Polynomial | None = None
    instead: Polynomial | None = None
    """Of selected offsets: what the other lanes get."""

    @property
    def form(self) -> Polynomial:
        """The values of the lanes, as compiled code computes them."""
        inside = self.start + Polynomial.of(Lane(self.extent, self.axis))
        if self.limit is None:
            return inside
        if self.kind is Kind.WRAPPED:
            return Polynomial.of(Mod(inside, self.limit, "runtime"))
        assert self.instead is not None
        below = negative(inside - self.limit)
        return below * inside + (ONE - below) * self.instead


def read_offsets(facts: KernelFacts, value: Value) -> Offsets:
    """What kind of offsets a value is. Raises NotConsecutive where it is none."""
    value = without_casts(value)
    forms = facts.forms
    match value.op:
        case Op.MOD:
            inside, limit = forms.of(value.left), forms.of(value.right)
            axis, extent, start = _lanes(inside)
            return Offsets(Kind.WRAPPED, axis, extent, start, _even(limit, axis))
        case Op.WHERE:
            return _selected(facts, value)
    axis, extent, start = _lanes(forms.of(value))
    return Offsets(Kind.PLAIN, axis, extent, start)


def without_casts(value: Value) -> Value:
    """The value before it is converted to a type that holds every index."""
    while value.op is Op.CAST and value.dtype in _WIDE:
        value = value.operand
    return value


def _selected(facts: KernelFacts, value: Value) -> Offsets:
    condition = value.condition
    if condition.op not in _ORDERS:
        raise NotConsecutive("the condition does not compare them with a length")
    least, most = (facts.forms.of(side) for side in (condition.left, condition.right))
    if condition.op in (Op.GT, Op.GE):
        least, most = most, least
    below = least - most if condition.op in (Op.LT, Op.GT) else least - most - 1
    here, there = (facts.forms.of(side) for side in (value.then, value.other))
    # Integers: where `a < b` does not hold, `b - 1 < a` does.
    for inside, instead, less in ((here, there, below), (there, here, -below - 1)):
        try:
            axis, extent, start = _lanes(inside)
            limit = _even(inside - less, axis)
        except NotConsecutive:
            continue
        return Offsets(Kind.SELECTED, axis, extent, start, limit, _even(instead, axis))
    raise NotConsecutive("the condition does not compare them with a length")


def _lanes(form: Polynomial) -> tuple[int, Polynomial, Polynomial]:
    """(axis, number of lanes, rest) of `rest + lane`; the fastest axis that has such lanes."""
    lanes = sorted(
        (atom for atom in form.atoms if isinstance(atom, Lane)), key=lambda a: str(a.axis)
    )
    if not lanes:
        raise NotConsecutive("the values of its lanes are not known")
    why = ""
    for lane in lanes:
        extent, axis = lane.extent, lane.axis
        step = form.terms.get(((lane, 1),))
        if step != 1:
            apart = "" if step is None else f"{step} elements "
            why = why or f"neighboring lanes of {form.readable} are {apart}apart"
            continue
        start = form - Polynomial.of(lane)
        if any(varies_along(atom, axis) for atom in start.atoms):
            why = why or f"the lanes of {form.readable} do not go up by one"
            continue
        return axis, extent, start
    raise NotConsecutive(why)


def _even(form: Polynomial, axis: int) -> Polynomial:
    """The form, which must be the same for all lanes."""
    if any(varies_along(atom, axis) for atom in form.atoms):
        raise NotConsecutive(f"{form.readable} is not the same for all lanes")
    return form


# Tiles that stay below the limit


def stays_below(facts: KernelFacts, divisibility: Divisibility, offsets: Offsets) -> Proof | None:
    """What shows that every lane is below the limit, in every program and iteration."""
    assert offsets.limit is not None
    start, extent, limit = offsets.start, offsets.extent, offsets.limit
    slack = limit - start - extent
    if _is_nonnegative(slack):
        return Proof()
    assumption = facts.assumptions.nonnegative(slack)
    if assumption is not None:
        return Proof(given=(assumption,))
    bindings = divisibility.bindings
    launches = Proof(launches=tuple(dict.fromkeys(binding.launch for binding in bindings)))
    if bindings and all(_slack_at_launch(binding, slack) for binding in bindings):
        return launches
    tile = start.whole_quotient(extent)
    counter = tile.sole_atom if tile is not None else None
    if counter is None:
        return None
    whole = divisibility.proof(extent, limit)
    if isinstance(counter, Iteration):
        loop = next(loop for loop in facts.loops if Iteration(loop.identity) == counter)
        count = facts.forms.trip_count(loop)
        if whole is not None and count == ceiling_division(limit, extent):
            return whole
    if isinstance(counter, ProgramId) and bindings:
        by_grid = (
            _grid_stays_below(binding, binding.programs(counter), extent, limit, whole is not None)
            for binding in bindings
        )
        if all(by_grid):
            return (whole or Proof()) & launches
    return None


def _is_nonnegative(form: Polynomial) -> bool:
    constant = form.constant_value
    return constant is not None and constant >= 0


def _slack_at_launch(binding: LaunchBinding, slack: Polynomial) -> bool:
    form = substitute(slack, binding)
    return _is_nonnegative(form) or any(
        _is_nonnegative(form - known) for known in binding.nonnegative
    )


def _grid_stays_below(
    binding: LaunchBinding,
    programs: Polynomial | None,
    extent: Polynomial,
    limit: Polynomial,
    whole: bool,
) -> bool:
    """Whether the last program's tile ends at the limit or before it.

    `whole` says that the limit is known to be a multiple of the extent.
    """
    if programs is None:
        return False
    extent, length = substitute(extent, binding), substitute(limit, binding)
    if _is_nonnegative(length - extent * programs):
        return True
    if programs == Polynomial.of(FloorDiv(length, extent, "static")):
        return True
    return whole and programs == ceiling_division(length, extent)


# Numbers


def number_of(form: Polynomial, numbers: Mapping[Atom, int]) -> int | None:
    """What a form comes to where its leaves are these numbers, as compiled code computes it."""
    total = 0
    for monomial, coefficient in form.terms.items():
        product, denominator = coefficient.as_integer_ratio()
        if denominator != 1:
            return None
        for atom, power in monomial:
            number = numbers[atom] if atom in numbers else _number_of_atom(atom, numbers)
            if number is None or power < 0:
                return None
            product *= number if power == 1 else number**power
        total += product
    return total


Evaluator = Callable[[Sequence[int]], "int | None"]
"""What a form comes to at a place: with these numbers for the leaves that vary."""


def evaluator(
    form: Polynomial, known: Mapping[Atom, int], varying: Mapping[Atom, int]
) -> Evaluator:
    """`number_of` a form, of which some leaves are known, as a function of the numbers of others.

    `varying` says of each of these its place among the numbers. What is known is computed once.
    """
    fixed = 0
    terms: list[tuple[int, list[Evaluator]]] = []
    for monomial, coefficient in form.terms.items():
        product, denominator = coefficient.as_integer_ratio()
        if denominator != 1 or any(power < 0 for _, power in monomial):
            return _nothing
        factors: list[Evaluator] = []
        for atom, power in monomial:
            found = _factor(atom, known, varying)
            if found is None:
                return _nothing
            if isinstance(found, int):
                product *= found**power
            else:
                factors += [found] * power
        if factors:
            terms.append((product, factors))
        else:
            fixed += product

    def evaluate(place: Sequence[int]) -> int | None:
        total = fixed
        for number, factors in terms:
            for factor in factors:
                part = factor(place)
                if part is None:
                    return None
                number *= part
            total += number
        return total

    return evaluate


def _nothing(_: Sequence[int]) -> None:
    """Of a form without a number."""


def _factor(
    atom: Atom, known: Mapping[Atom, int], varying: Mapping[Atom, int]
) -> Evaluator | int | None:
    """A number, where what is known gives one, else how it is found; None where it is not."""
    if atom in varying:
        return itemgetter(varying[atom])
    if atom in known:
        return known[atom]
    if not isinstance(atom, (*COMPUTED, Math)):
        return None
    if not any(leaf in varying for leaf in atom.leaves()):
        return _number_of_atom(atom, known)
    sides = [evaluator(form, known, varying) for form in atom.inside]
    if isinstance(atom, Negative):
        return lambda place: None if (n := sides[0](place)) is None else int(n < 0)
    return lambda place: _computed(atom, [side(place) for side in sides])


def _number_of_atom(atom: Atom, numbers: Mapping[Atom, int]) -> int | None:
    if not isinstance(atom, (*COMPUTED, Math)):
        return None
    return _computed(atom, [number_of(form, numbers) for form in atom.inside])


def _computed(atom: Atom, sides: Sequence[int | None]) -> int | None:
    """What an atom comes to with these numbers inside."""
    if isinstance(atom, Compared) and atom.order in ("eq", "is") and None in sides:
        is_none = [form.sole_atom == Constant("None") for form in atom.inside]
        if any(is_none) and any(side is not None for side in sides):
            return 0  # a number is not None
        return _are_one(*atom.inside)
    match atom, sides:
        case Negative(), [int() as a]:  # what masks are made of
            return int(a < 0)
        case Minimum(), [int() as a, int() as b]:
            return min(a, b)
        case Maximum(), [int() as a, int() as b]:
            return max(a, b)
        case CeilDiv(), [int() as a, int() as b] if b:
            return -(-a // b)
        case FloorDiv(rounding=rounding), [int() as a, int() as b] if b:
            floor = rounding == "static"
            return a // b if floor else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case Mod(rounding=rounding), [int() as a, int() as b] if b:
            floor = rounding == "static"
            return a % b if floor else abs(a) % abs(b) * (-1 if a < 0 else 1)
        case Compared(order=order), [int() as a, int() as b]:
            truth = {"lt": a < b, "le": a <= b, "eq": a == b, "is": a == b}.get(order)
            return None if truth is None else int(truth)
        case Zero(), [int() as a]:
            return int(a == 0)
        case Truth(), [int() as a]:
            return int(a != 0)
        case Choice(), [int() as test, then, other]:
            return then if test else other
        case Math(name=name), [int() as a, int() as b] if name in _BITS and a >= 0 <= b < 64:
            return _BITS[name](a, b)
        case PowerOfTwo(), [int() as a]:
            return 1 << (a - 1).bit_length() if a > 0 else None
    return None


def _are_one(left: Polynomial, right: Polynomial) -> int | None:
    """Whether two sides are one text, None or number; None where they may be."""
    for side in (left, right):
        given = side.sole_atom
        known = isinstance(given, Constant) and given.name != "nan"
        if side.constant_value is None and not known:
            return None
    return int(left == right)


_BITS: Mapping[str, Callable[[int, int], int]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
}

COMPUTED = (
    *(Minimum, Maximum, CeilDiv, FloorDiv, Mod, PowerOfTwo),
    *(Negative, Zero, Compared, Truth, Choice),
)
"""Atoms with a number of their own once what is inside them has one."""
