"""Sums of exponentials: which function of which elements is added, below which maximum.

A term is W * e ** (c * (x - m)): W is 1 or conditions on the lane, c is a positive constant, and m
is made from what the first loop has left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from tritonopt.checks.condition import refuted
from tritonopt.emit.sweeps import comes_from
from tritonopt.facts import Atom, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import Constant
from tritonopt.facts.algebra.polynomial import ONE, Monomial, TooLarge, monomial_polynomial
from tritonopt.facts.loop_nests import TwoSweeps, earlier_siblings
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import Accumulation, accumulation, reduced_tile, takes_extremes

FUNCTIONS = frozenset({"exp", "exp2"})
_INFINITY = Constant(repr(-math.inf))
_CLAIM = "exponents-are-below-the-maximum"


@dataclass(frozen=True)
class Exponential:
    """What one lane of an iteration adds."""

    value: Value
    """The call of the function."""
    name: str
    mask: frozenset[Atom]
    """Indicators of the lanes that count."""
    exponent: Polynomial

    @property
    def argument(self) -> Value:
        return self.value.operands[0]


@dataclass(frozen=True)
class Subtrahend:
    """The maximum, as it is subtracted."""

    value: Value
    """Of the shape that it has beside the tile."""
    reduced: Value
    """Without the axes that only make it fit."""
    axes: tuple[int, ...]
    """Axes along which it was reduced after its loop; none where that has done so, or nobody."""
    keep_dims: bool
    factor: Fraction
    """The c of above."""
    mask: frozenset[Atom]
    """Indicators of the lanes where it is subtracted; elsewhere the exponent is -inf."""


def exponentials_in(facts: KernelFacts, added: Accumulation, first: Loop) -> list[Value]:
    """The exponentials in what is added that are made from what an earlier sweep has left."""
    atoms = added.term.atoms
    return [
        value
        for value in added.tile.walk()
        if value.op is Op.ELEMENTWISE
        and str(value.attribute).rsplit(".", 1)[-1] in FUNCTIONS
        and comes_from(value.operands[0], first)
        and facts.forms.of(value).sole_atom in atoms
    ]


def exponential(facts: KernelFacts, added: Accumulation, first: Loop) -> Exponential:
    """Raises Declined where the term is anything else than one exponential under a mask."""
    found = exponentials_in(facts, added, first)
    atoms = {facts.forms.of(value).sole_atom for value in found}
    if len(atoms) == 1 and len(added.term.terms) == 1:
        (atom,) = atoms
        ((monomial, coefficient),) = added.term.terms.items()
        mask = frozenset(a for a, _ in monomial if a.is_indicator)
        if coefficient == 1 and {(a, p) for a, p in monomial if a not in mask} == {(atom, 1)}:
            value = found[0]
            name = str(value.attribute).rsplit(".", 1)[-1]
            return Exponential(value, name, mask, facts.forms.of(value.operands[0]))
    other = f"{added.name} adds up something other than one exponential in each lane"
    raise refuted(_CLAIM, "not-an-exponential", other)


def subtrahend(facts: KernelFacts, one: Exponential, result: Value) -> Subtrahend:
    """Where the exponent has the maximum, `result`. Raises Declined where it has it otherwise."""
    found = list(dict.fromkeys(_subtrahends(one.argument, result)))
    forms = {facts.forms.of(value) for value, *_ in found}
    atom = forms.pop().sole_atom if len(forms) == 1 else None
    with_it = {m: c for m, c in one.exponent.terms.items() if any(_holds(a, atom) for a, _ in m)}
    others = {a for m in with_it for a, _ in m if a != atom}
    if atom is None or len(with_it) != 1 or any(_holds(other, atom) for other in others):
        changed = "the maximum is used in the exponent other than by subtraction"
        raise refuted(_CLAIM, "maximum-is-changed", changed)
    ((monomial, factor),) = with_it.items()
    mask = frozenset(a for a, _ in monomial if a.is_indicator)
    if {(a, p) for a, p in monomial if a not in mask} != {(atom, 1)} or factor >= 0:
        text = "the maximum is subtracted with a factor that is not known to be positive"
        raise refuted(_CLAIM, "factor-may-be-negative", text)
    if mask and not _is_infinite_elsewhere(one.exponent, mask):
        other = "inactive lanes have another exponent than -inf"
        raise refuted(_CLAIM, "masked-off-lanes-count", other)
    value, reduced, axes, keep_dims = found[0]
    return Subtrahend(value, reduced, axes, keep_dims, -factor, mask)


def _is_infinite_elsewhere(exponent: Polynomial, mask: Iterable[Atom]) -> bool:
    """Whether an exponent is -inf in all lanes that a mask turns off."""
    on = monomial_polynomial((a, 1) for a in mask)
    finite, infinite = split_infinity(exponent - on * exponent)
    factor = infinite.terms.get((), Fraction(0))
    return finite.is_zero and factor > 0 and infinite == (ONE - on) * factor


def split_infinity(form: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(a, b) of a form a + b * -inf."""
    finite: dict[Monomial, Fraction] = {}
    infinite: dict[Monomial, Fraction] = {}
    for monomial, coefficient in form.terms.items():
        rest = tuple((a, p) for a, p in monomial if (a, p) != (_INFINITY, 1))
        (finite if len(rest) == len(monomial) else infinite)[rest] = coefficient
    return Polynomial(finite), Polynomial(infinite)


def _holds(atom: Atom, wanted: Atom | None) -> bool:
    return any(leaf == wanted for leaf in atom.leaves())


def _subtrahends(
    value: Value, result: Value
) -> Iterator[tuple[Value, Value, tuple[int, ...], bool]]:
    """The largest parts of a value that are the maximum itself, with how they come from it."""
    inner = value
    while inner.op in (Op.INSERT_AXES, Op.BROADCAST_TO):
        inner = inner.operand
    tile, axes = reduced_tile(inner, "max")
    if tile is result:
        yield value, inner, axes, bool(axes) and inner.reduction.keep_dims
        return
    for operand in value.operands:
        yield from _subtrahends(operand, result)


@dataclass(frozen=True)
class Candidate:
    """Two sweeps, the sum that the second one makes, and what the first one may make for it."""

    sweeps: TwoSweeps
    name: str
    maximum: str


def candidates(facts: KernelFacts) -> Iterator[list[Candidate]]:
    """For each sum of exponentials the earlier sweeps that they are made from, nearest first."""
    for second, earlier in earlier_siblings(facts):
        for name in sorted(second.carried):
            found = [
                Candidate(TwoSweeps(facts, first, second), name, maximum)
                for first in earlier
                for maximum in _maxima(facts, first, second, name)
            ]
            if found:
                yield found


def _maxima(facts: KernelFacts, first: Loop, second: Loop, name: str) -> list[str]:
    """Names of the first loop, made of extremes, that go into exponents that are added up."""
    try:
        added = accumulation(facts, facts.forms, second, name)
    except TooLarge:
        return []
    if added is None:
        return []
    exponents = [value.operands[0] for value in exponentials_in(facts, added, first)]
    parts = [part for exponent in exponents for part in exponent.walk()]
    names = {
        part.carrier.name
        for part in parts
        if part.op is Op.RESULT and part.carrier.loop == first.identity
    }
    return [name for name in sorted(names) if takes_extremes(facts, first, name)]
