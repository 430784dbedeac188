"""Canonical forms: what a value is, whatever it was called and however it was written.

Every value has a form, a polynomial over `atoms`. Integers are
taken as mathematical integers (the condition `no-int32-overflow`, which covers
narrower and unsigned types too, once a value has one), floating point as real
numbers: equal forms of floats are equal up to rounding, which is what a rewrite
at `rounding` may use and one at `exact` may not. Real numbers have no inf and no
NaN, and are not divided by zero: `0*x` is 0, and `x/x` is 1.

Lanes are numbered from the last axis, so that broadcasting changes nothing:
`cols` and `cols[None, :]` have one form. A sum over lanes or iterations is an
atom "total" over what varies, with what does not vary taken out of it. A loop
that counts below zero runs zero times.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import FloorDiv, Iteration, Opaque, Param, ceiling_division
from tritonopt.facts.algebra.form_rules import RULES, axes_of
from tritonopt.facts.algebra.indicators import Indicators, Signs
from tritonopt.facts.algebra.polynomial import Argument, Polynomial, TooLarge
from tritonopt.facts.algebra.variation import sum_over_loop, varies_itself
from tritonopt.facts.effects import Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


class Forms:
    """Computes and remembers forms.

    `memory` says whether loads at one address are told apart by the writes
    between them; a pass that wants to know *why* two forms differ asks again
    without. `opened` holds carried names that are to stay atoms, which is how a
    loop's step is computed.
    """

    def __init__(
        self,
        facts: KernelFacts,
        *,
        memory: bool = True,
        opened: frozenset[tuple[int, str]] = frozenset(),
    ) -> None:
        self.facts = facts
        self.memory = memory
        self.opened = opened
        self.signs = Signs(facts)
        self.recurrences: Recurrences = Recurrences(self)
        self._indicators = Indicators(self)
        self._known: dict[int, Polynomial] = {}

    def of(self, value: Value) -> Polynomial:
        """The form of a value; a value too large to be of use is an atom of its own."""
        known = self._known.get(value.serial)
        if known is not None:
            return known
        # Operands first, so that a chain of a thousand additions is no deep recursion.
        todo = [value]
        while todo:
            part = todo[-1]
            ahead = [o for o in part.operands if o.serial not in self._known]
            if ahead:
                todo += ahead
                continue
            todo.pop()
            if part.serial not in self._known:
                self._known[part.serial] = self._compute(part)
        return self._known[value.serial]

    def _compute(self, value: Value) -> Polynomial:
        rule = RULES.get(value.op)
        if rule is None:
            return self.unknown(value)
        try:
            return rule(self, value)
        except TooLarge:
            return self.unknown(value)

    def unknown(self, value: Value) -> Polynomial:
        """An atom of its own, which depends on every loop it was computed in."""
        if value.op in (Op.CARRIED, Op.RESULT):
            identity, name = value.carrier
            loop = self.facts.loops[identity]
            around = loop.nest if value.op is Op.CARRIED else loop.nest[:-1]
            own: Argument = (value.op.value, identity, name)
        else:
            own = ("value", value.serial)
            around = tuple(
                self.facts.loops[i] for i in self.facts.interpretation.variant_loops(value)
            )
        depends = tuple(Iteration(loop.identity) for loop in around)
        return Polynomial.of(Opaque(own, axes_of(value), depends))

    def condition(self, value: Value) -> Polynomial:
        """A form that is 1 where the condition holds and 0 where it does not."""
        return self._indicators.of(value)

    def address(self, pointer: Value) -> tuple[str | None, Polynomial]:
        """(base parameter, offset in elements); base None when it is not one parameter."""
        form = self.of(pointer)
        bases = [
            atom
            for atom in form.atoms
            if isinstance(atom, Param) and atom.name in self.facts.pointers
        ]
        if len(bases) == 1 and form.terms.get(((bases[0], 1),)) == 1:
            offset = form - Polynomial.of(bases[0])
            if bases[0] not in offset.atoms:
                return bases[0].name, offset
        return None, form

    # Loops

    def opening(self, name: tuple[int, str]) -> Forms:
        """The forms where one more carried name stays an atom."""
        return Forms(self.facts, memory=self.memory, opened=self.opened | {name})

    def trip_count(self, loop: Loop) -> Polynomial | None:
        """How many iterations, where that is known; a negative number means none."""
        return self.recurrences.trip_count(loop)

    def recurrence_step(self, loop: Loop, name: str) -> Polynomial | None:
        """What one iteration adds to a carried name; None when it is not an addition."""
        return self.recurrences.recurrence_step(loop, name)

    # Signs

    def is_integer(self, form: Polynomial, given: Collection[str] = ()) -> bool:
        """Whether every value of the form is an integer, if the parameters of these names are."""
        return self.signs.is_integer(form, given)

    def is_nonnegative(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 0 or more: a sum of what cannot be negative."""
        return self.signs.is_nonnegative(form)

    def is_positive(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 1 or more."""
        return self.signs.is_positive(form)


MAX_OPENED = 2
"""Names of one loop that are kept as they are at a time, while the step of one of them is found.

Where each of many names is computed from all the others, every set of them would be tried.
"""


class Recurrences:
    """Solves those where each iteration adds something.

    The step of a carried name is found with that name opened: it stays an atom.
    """

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._with_opened: dict[tuple[int, str], Forms] = {}

    def trip_count(self, loop: Loop) -> Polynomial | None:
        """How many iterations, where that is known; a negative number means none."""
        forms = self._forms
        if loop.start is None or loop.stop is None or loop.step is None:
            return None
        if forms.facts.exits_early(loop):
            return None
        try:
            extent = forms.of(loop.stop) - forms.of(loop.start)
            count = ceiling_division(extent, forms.of(loop.step))
            tiles = count.sole_atom
            if isinstance(tiles, FloorDiv) and forms.is_positive(tiles.divisor):
                # `(a + b - 1) // b` differs from the ceiling of a / b, if at all, where both
                # are no number of iterations.
                return ceiling_division(tiles.dividend - tiles.divisor + 1, tiles.divisor)
            return count
        except TooLarge:
            return None

    def recurrence_step(self, loop: Loop, name: str) -> Polynomial | None:
        """What one iteration adds to a carried name; None when it is not an addition."""
        if loop.iteration is None or name not in loop.following:
            return None
        opened = self._opened((loop.identity, name))
        carried = opened.unknown(loop.carried[name])
        try:
            step = opened.of(loop.following[name]) - carried
        except TooLarge:
            return None
        own = carried.sole_atom
        return None if own is None or own in set(step.leaves()) else step

    def _opened(self, name: tuple[int, str]) -> Forms:
        if name not in self._with_opened:
            self._with_opened[name] = self._forms.opening(name)
        return self._with_opened[name]

    def carried(self, value: Value) -> Polynomial:
        """The form of a carried name at the start of an iteration."""
        forms = self._forms
        identity, name = value.carrier
        loop = forms.facts.loops[identity]
        if (identity, name) in forms.opened or self._has_opened_enough(identity):
            return forms.unknown(value)
        step = self.recurrence_step(loop, name)
        if step is None or any(varies_itself(leaf, loop) for leaf in step.leaves()):
            return forms.unknown(value)
        return forms.of(loop.initial[name]) + step * Polynomial.of(Iteration(identity))

    def _has_opened_enough(self, loop: int) -> bool:
        return sum(identity == loop for identity, _ in self._forms.opened) >= MAX_OPENED

    def result(self, value: Value) -> Polynomial:
        """The form of a carried name after its loop."""
        forms = self._forms
        identity, name = value.carrier
        loop = forms.facts.loops[identity]
        step, count = self.recurrence_step(loop, name), self.trip_count(loop)
        if step is None or count is None:
            return forms.unknown(value)
        return forms.of(loop.initial[name]) + sum_over_loop(step, loop, count)
