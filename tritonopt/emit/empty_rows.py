"""Rows of no elements: a loop over one runs no time at all, straight-line code once."""

from __future__ import annotations

from tritonopt.emit.writing import reads_of
from tritonopt.facts import EffectKind, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Negative, Param, PowerOfTwo, Total
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, TooLarge
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import Effect
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.source.trees import walk


def runs_always(facts: KernelFacts, loop: Loop, given: list[Assumption] | None = None) -> bool:
    """Whether a loop is shown to run, whatever is passed; `given` gets what that rests on."""
    count = facts.forms.trip_count(loop)
    if count is None or loop.start is None or loop.stop is None or loop.step is None:
        return False
    number = count.constant_value
    if number is not None:
        return number >= 1
    try:
        tile = count.sole_atom
        if tile is None or not isinstance(tile, CeilDiv):
            return False
        extent, step = tile.dividend, tile.divisor
        least = Bounds(facts).lower_bound(extent - 1)
        if given is not None and least is not None and least.number >= 0 and not least.sizes:
            given.extend(least.given)
            return True
        bindings = facts.launches.bindings
        return bool(bindings) and all(
            is_positive_at(extent, binding) or _holds_elements(facts, extent, step, binding)
            for binding in bindings
        )
    except TooLarge:
        return False


def is_positive_at(extent: Polynomial, binding: LaunchBinding) -> bool:
    """Whether a launch is shown to pass rows of one element at least."""
    length = substitute(extent, binding)
    rests = (length, *(length - known for known in binding.nonnegative))
    return any((rest.constant_value or 0) >= 1 for rest in rests)


def _holds_elements(
    facts: KernelFacts, extent: Polynomial, step: Polynomial, binding: LaunchBinding
) -> bool:
    """Whether the tile of a launch would have no lanes for a row of no elements."""
    # The next power of two of 0 is 0, and Triton has no tile of no lanes.
    lanes = step.sole_atom
    counts = lanes is not None and isinstance(lanes, Param) and lanes.name in facts.extents
    tile = Polynomial.of(PowerOfTwo(substitute(extent, binding)))
    return counts and substitute(step, binding) == tile


def does_nothing_when_empty(facts: KernelFacts, loop: Loop) -> bool:
    """Whether one turn of a loop that ends where it starts stores nothing and adds nothing."""
    try:
        row = _EmptyRow(facts, loop)
        effects = [e for e in facts.effects if loop in e.loops]
        return all(map(row.is_off, effects)) and all(map(row.stays, _read_later(facts, loop)))
    except TooLarge:
        return False


class _EmptyRow:
    """What is computed in a turn of a loop whose end is not above its start."""

    def __init__(self, facts: KernelFacts, loop: Loop) -> None:
        assert loop.start is not None and loop.stop is not None
        self._facts, self._loop = facts, loop
        self._room = facts.forms.of(loop.stop) - facts.forms.of(loop.start)

    def is_off(self, effect: Effect) -> bool:
        """Whether an access is masked off in all its lanes."""
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE) or effect.mask is None:
            return False
        if effect.mask.is_none:
            return False
        return self._when_empty(self._facts.forms.condition(effect.mask)).is_zero

    def stays(self, name: str) -> bool:
        """Whether a carried name is after the turn what it was before."""
        loop = self._loop
        opened = self._facts.forms.opening((loop.identity, name))
        before = opened.unknown(loop.carried[name])
        return self._when_empty(opened.of(loop.following[name])) == before

    def _when_empty(self, form: Polynomial) -> Polynomial:
        kept = {m: c for m, c in form.terms.items() if not any(self._is_zero(a) for a, _ in m)}
        return Polynomial(kept)

    def _is_zero(self, atom: Atom) -> bool:
        if isinstance(atom, Total):
            return self._when_empty(atom.term).is_zero
        return self._is_beyond(atom)

    def _is_beyond(self, atom: Atom) -> bool:
        """Whether this is the indicator of an index that lies before the end of the row."""
        if not isinstance(atom, Negative):
            return False
        return self._facts.forms.is_nonnegative(atom.form + self._room)


def _read_later(facts: KernelFacts, loop: Loop) -> list[str]:
    """The carried names that are read behind a loop."""
    nested = loop.parent is not None
    inside = set(walk(loop.node))
    return [
        name
        for name in sorted(loop.carried)
        if nested
        or any(n not in inside and n.lineno > loop.line for n in reads_of(facts.kernel.node, name))
    ]
