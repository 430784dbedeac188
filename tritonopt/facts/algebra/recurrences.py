"""What loops add to the names that they carry, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import FloorDiv, Iteration, ceiling_division
from tritonopt.facts.algebra.polynomial import Polynomial, TooLarge
from tritonopt.facts.algebra.sums import sum_over_loop
from tritonopt.facts.algebra.variation import varies_itself
from tritonopt.facts.effects import Loop
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.algebra.forms import Forms

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
