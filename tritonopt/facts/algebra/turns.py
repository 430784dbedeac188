"""Loops of few turns: of at most one, as `range(last_tile, N, TILE)`, or one tile that holds all.

A loop over `range(start, stop, step)` takes at most one turn where `start + step - stop` is not
negative, and two where `start + 2*step - stop` is not. That is shown from the kernel alone, or from
what every launch of it passes; what is counted, or divides, is taken to be at least 1, as
everywhere (see `bounds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Extremum,
    FloorDiv,
    Maximum,
    Minimum,
    PowerOfTwo,
    ProgramId,
)
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import ONE, Atom, Monomial, Polynomial, TooLarge
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import Loop
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.values import Value
from tritonopt.source import Launch

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_STEPS = 4
"""So many roundings and extremes one after the other are done away with."""
_MOST_ASKED = 500
"""Forms that are looked at for one answer: of many limits there are many cases."""


def takes_one_turn(facts: KernelFacts, loop: Loop, given: list[Assumption] | None = None) -> bool:
    """Whether the loop is shown never to take a second turn; `given` gets what that rests on."""
    return takes_at_most(facts, loop, 1, given)


def takes_at_most(
    facts: KernelFacts, loop: Loop, turns: int, given: list[Assumption] | None = None
) -> bool:
    """Whether the loop is shown never to take more turns than so many."""
    if loop.start is None or loop.stop is None or loop.step is None:
        return False
    prover = _Prover(Bounds(facts), given)
    try:
        start, stop, step = map(facts.forms.of, (loop.start, loop.stop, loop.step))
        rest = start + step * turns - stop
        if prover.is_positive(step) and prover.is_nonnegative(rest):
            return True
        bindings = facts.launches.bindings
        return bool(bindings) and all(
            _takes_few_in(prover, step, rest, binding) for binding in bindings
        )
    except TooLarge:
        return False


def is_at_most(
    facts: KernelFacts,
    number: Value | Polynomial,
    most: int,
    launch: Launch | None = None,
    given: list[Assumption] | None = None,
) -> bool:
    """Whether a whole number, as the length of a tile, is shown never to be above another one.

    At one launch, or at every one; `given` gets what that rests on.
    """
    return _is_nonnegative(facts, lambda form: -form + most, number, launch, given)


def is_at_least(facts: KernelFacts, number: Value, least: int, launch: Launch) -> bool:
    """Whether a whole number is shown never to be below another one at a launch."""
    return _is_nonnegative(facts, lambda form: form - least, number, launch)


def _is_nonnegative(
    facts: KernelFacts,
    rest_of: Callable[[Polynomial], Polynomial],
    number: Value | Polynomial,
    launch: Launch | None,
    given: list[Assumption] | None = None,
) -> bool:
    prover = _Prover(Bounds(facts), given)
    try:
        rest = rest_of(number if isinstance(number, Polynomial) else facts.forms.of(number))
        if prover.is_nonnegative(rest):
            return True
        every = facts.launches.bindings
        bindings = [b for b in every if launch is None or b.launch == launch]
        return bool(bindings) and all(
            prover.is_nonnegative(substitute(rest, binding), binding.nonnegative)
            for binding in bindings
        )
    except TooLarge:
        return False


def is_nonnegative_at(facts: KernelFacts, form: Polynomial, binding: LaunchBinding | None) -> bool:
    """Whether a form is shown to be at least 0, in the kernel alone or at one launch of it."""
    prover = _Prover(Bounds(facts))
    # As `4*n <= 1024` follows from `n <= 256`.
    form *= Fraction(1, gcd(*(number.numerator for number in form.terms.values())) or 1)
    given = tuple(known for one in facts.assumptions.given for known in one.nonnegative)
    if prover.is_nonnegative(form, given):
        return True
    if binding is None:
        return False
    known = (*binding.nonnegative, *(substitute(one, binding) for one in given))
    return prover.is_nonnegative(substitute(form, binding), known)


def starts_at_most(facts: KernelFacts, axis: int, programs: int) -> bool:
    """Whether no launch is shown to start more programs than so many along an axis."""
    prover = _Prover(Bounds(facts))
    extents = [(b, b.grid[axis] if axis < len(b.grid) else None) for b in facts.launches.bindings]
    try:
        return bool(extents) and all(
            extent is not None and prover.is_nonnegative(-extent + programs, binding.nonnegative)
            for binding, extent in extents
        )
    except TooLarge:
        return False


def holds_in_every_program(facts: KernelFacts, form: Polynomial) -> bool:
    """Whether a form is at least 0 in all programs of all launches, also where a size is 0."""
    prover = _Prover(Bounds(facts), sizes_may_be_zero=True)
    try:
        return bool(facts.launches.bindings) and all(
            (least := _in_the_last_program(form, binding)) is not None
            and prover.is_nonnegative(substitute(least, binding), binding.nonnegative)
            for binding in facts.launches.bindings
        )
    except TooLarge:
        return False


def _in_the_last_program(form: Polynomial, binding: LaunchBinding) -> Polynomial | None:
    """A form that only gets smaller from program to program, where it is smallest."""
    for atom in [atom for atom in form.atoms if isinstance(atom, ProgramId)]:
        programs = binding.programs(atom)
        within = [monomial for monomial in form.terms if any(a == atom for a, _ in monomial)]
        if programs is None or within != [((atom, 1),)] or form.terms[within[0]] > 0:
            return None
        form = replaced(form, {atom: programs - 1})
    return form


def _takes_few_in(
    prover: _Prover, step: Polynomial, rest: Polynomial, binding: LaunchBinding
) -> bool:
    upwards = prover.is_positive(step) or prover.is_positive(substitute(step, binding))
    return upwards and prover.is_nonnegative(substitute(rest, binding), binding.nonnegative)


@dataclass(frozen=True)
class _Prover:
    """Shows that forms are not negative; it remembers what it was asked."""

    bounds: Bounds
    given: list[Assumption] | None = None
    """What the user gave, and an answer may rest on."""
    sizes_may_be_zero: bool = False
    answers: dict[tuple[Polynomial, tuple[Polynomial, ...], int], bool] = field(
        default_factory=dict
    )

    def is_positive(self, form: Polynomial) -> bool:
        return self.is_nonnegative(form - 1)

    def is_nonnegative(
        self, form: Polynomial, known: tuple[Polynomial, ...] = (), steps: int = _STEPS
    ) -> bool:
        """Whether a form is at least 0; `known` are others that are."""
        asked = form, known, steps
        if asked not in self.answers:
            if len(self.answers) >= _MOST_ASKED:
                return False
            self.answers[asked] = self._is_nonnegative(form, known, steps)
        return self.answers[asked]

    def _is_nonnegative(self, form: Polynomial, known: tuple[Polynomial, ...], steps: int) -> bool:
        least = self.bounds.lower_bound(form)
        if least and least.number >= 0 and not (self.sizes_may_be_zero and least.sizes):
            if self.given is not None:
                self.given.extend(least.given)
            return True
        if any(self.is_nonnegative(form - other, steps=steps) for other in known):
            return True
        if steps == 0:
            return False
        below = self._below(form, known, steps)
        if any(self.is_nonnegative(lower, known, steps - 1) for lower in below):
            return True
        extrema = sorted(
            (atom for atom in form.atoms if isinstance(atom, Extremum)), key=lambda atom: atom.key
        )
        every = (self._cases(form, known, atom) for atom in extrema)
        return any(
            cases and all(self.is_nonnegative(*case, steps - 1) for case in cases)
            for cases in every
        )

    def _cases(
        self, form: Polynomial, known: Sequence[Polynomial], extremum: Extremum
    ) -> list[tuple[Polynomial, tuple[Polynomial, ...]]]:
        """The form and what is known, where the one of the two is meant and where the other is.

        Of `min(1024, n)` that is known not to be above 512, only n is.
        """
        found = []
        for meant in (extremum.left, extremum.right):
            here = tuple(replaced(other, {extremum: meant}) for other in known)
            if not any(map(self._is_surely_negative, here)):
                found.append((replaced(form, {extremum: meant}), here))
        return found

    def _is_surely_negative(self, form: Polynomial) -> bool:
        """Whether a form is below 0, also where what is taken for a size is 0: from what cannot
        be, anything would follow."""
        least = self.bounds.lower_bound(-form - 1)
        return least is not None and least.number >= 0 and not least.sizes

    def _below(
        self, form: Polynomial, known: tuple[Polynomial, ...], steps: int
    ) -> Iterator[Polynomial]:
        """Forms that are not above this one, with something simpler in place of one atom."""
        for monomial, coefficient in form.terms.items():
            others = form - Polynomial({monomial: coefficient})
            for index, (atom, power) in enumerate(monomial):
                if power != 1:
                    continue
                above = coefficient < 0
                rest = (*monomial[:index], *monomial[index + 1 :])
                for product in self._products(atom, rest, above=above):
                    yield others + product * coefficient
                if self.is_nonnegative(Polynomial({rest: abs(coefficient)}), steps=0):
                    for limit in self._limits(atom, above=above):
                        yield others + limit * Polynomial({rest: coefficient})
                if above and isinstance(atom, PowerOfTwo) and not rest:
                    most = _power_of_two_within(form.terms.get((), Fraction(0)) / -coefficient)
                    if most and self.is_nonnegative(-atom.form + most, known, steps - 1):
                        yield others + Polynomial.constant(most) * coefficient

    def _products(self, atom: Atom, rest: Monomial, *, above: bool) -> Iterator[Polynomial]:
        """What an atom times `rest`, if that is its own divisor, is not below, or not above."""
        if not isinstance(atom, (CeilDiv, FloorDiv)):
            return
        dividend, divisor = atom.dividend, atom.divisor
        if divisor != Polynomial({rest: Fraction(1)}) or not self.is_positive(divisor):
            return
        if isinstance(atom, CeilDiv):
            yield dividend + divisor - 1 if above else dividend
        elif self.is_nonnegative(dividend, steps=0):
            # Triton rounds toward zero, which is down only there.
            yield dividend if above else dividend - divisor + 1

    def _limits(self, atom: Atom, *, above: bool) -> Iterator[Polynomial]:
        """What an atom is not below, or not above."""
        if isinstance(atom, Minimum if above else Maximum):
            yield from (atom.left, atom.right)
        elif isinstance(atom, PowerOfTwo) and not above:
            yield atom.form
            # Of 0 it is 0: then there is nothing to go through, in tiles of nothing.
            yield Polynomial.constant(1)
        elif isinstance(atom, (CeilDiv, FloorDiv)) and above:
            dividend, divisor = atom.dividend, atom.divisor
            # Rounded up it is above 1 beyond one divisor, rounded down from two of them on.
            room = divisor - dividend if isinstance(atom, CeilDiv) else divisor * 2 - dividend - 1
            if self.is_positive(divisor) and self.is_nonnegative(room):
                yield Polynomial.constant(1)
            if isinstance(atom, FloorDiv) and self.is_nonnegative(dividend, steps=0):
                yield dividend


def _power_of_two_within(limit: Fraction) -> int:
    """The greatest power of two that is at most a limit; 0 where there is none.

    What is at most such a power has a next power of two that is at most it.
    """
    return 1 << (int(limit).bit_length() - 1) if limit >= 1 else 0


@dataclass(frozen=True)
class Tiles:
    """What one launch shows of a sweep, under one configuration."""

    where: str
    """The launch, as messages name it."""
    holds_row: bool = False
    """Whether one tile always holds the row."""
    grows: bool = False
    """Whether the tile is as large as the row takes, up to the size below."""
    size: int | None = None
    """Of the tile, or the most that it can be; None where that is no number here."""


def tiles_of(facts: KernelFacts, loop: Loop) -> tuple[Tiles, ...]:
    """For every launch and configuration; empty where the launches are not known."""
    row = length_and_tile(facts, loop)
    if row is None:
        return ()
    length, step = row
    found = [
        _tiles(binding.launch.where, substitute(length, binding), substitute(step, binding))
        for binding in facts.launches.bindings
    ]
    return tuple(dict.fromkeys(found))


def length_and_tile(facts: KernelFacts, loop: Loop) -> tuple[Polynomial, Polynomial] | None:
    """The elements that a loop goes through, and those of one iteration."""
    if loop.start is None or loop.stop is None or loop.step is None:
        return None
    length = facts.forms.of(loop.stop) - facts.forms.of(loop.start)
    step = facts.forms.of(loop.step)
    if step == ONE and (counted := _counted(length)) is not None:
        return counted
    return length, step


def goes_through_parts(facts: KernelFacts, loop: Loop) -> bool:
    """Whether each launch passes how many tiles there are of something, for a loop over tiles.

    What it goes through then is what the programs of another kernel have found, a number each.
    """
    if loop.start is None or loop.stop is None or loop.step is None:
        return False
    length = facts.forms.of(loop.stop) - facts.forms.of(loop.start)
    bindings = facts.launches.bindings
    if not bindings or facts.forms.of(loop.step) == ONE:
        return False
    return all(isinstance(substitute(length, b).sole_atom, CeilDiv) for b in bindings)


def _tiles(where: str, length: Polynomial, step: Polynomial) -> Tiles:
    whole = Polynomial.of(PowerOfTwo(length))
    rest = (step - length).constant_value
    if step == whole or (rest is not None and rest >= 0):
        return Tiles(where, holds_row=True)
    atom = step.sole_atom
    if isinstance(atom, Minimum) and whole in atom.inside:
        sizes = [form.constant_value for form in atom.inside if form != whole]
        return Tiles(where, grows=True, size=_number(sizes[0]) if sizes else None)
    if step == ONE:
        return Tiles(where)  # a loop that counts tiles
    return Tiles(where, size=_number(step.constant_value))


def _counted(tiles: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """(length, tile) of a loop that counts tiles: `range(tl.cdiv(N, BLOCK))`."""
    match tiles.sole_atom:
        case CeilDiv(length, tile):
            return length, tile
        case FloorDiv(length, tile):
            return length - tile + 1, tile
    return None


def _number(constant: Fraction | None) -> int | None:
    return int(constant) if constant is not None and constant.denominator == 1 else None
