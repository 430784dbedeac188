"""Whether a loop runs at all: shown, or written as a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonopt.emit.writing import NotExpressible, Writer, reads_of
from tritonopt.facts import Assumption, EffectKind, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Negative, Param, PowerOfTwo, Total
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.indicators import negative
from tritonopt.facts.algebra.polynomial import ONE, Atom, TooLarge
from tritonopt.facts.algebra.turns import holds_in_every_program
from tritonopt.facts.effects import Effect
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.source.trees import walk


def why_it_runs(
    facts: KernelFacts, loop: Loop, known: Sequence[Polynomial]
) -> tuple[str, Assumption | None] | None:
    """Why a loop runs at least once where all of these conditions hold; None if that is not shown.

    With the reason comes the assumption that it rests on, if any.
    """
    try:
        return _why_it_runs(facts, loop, known)
    except TooLarge:
        return None


def _why_it_runs(
    facts: KernelFacts, loop: Loop, known: Sequence[Polynomial]
) -> tuple[str, Assumption | None] | None:
    forms = facts.forms
    missing = _below_zero_when_it_runs(facts, loop)
    if missing is None:
        return None
    if negative(missing) == ONE or forms.is_positive(-missing):
        return f"the loop in line {loop.line} runs at least once", None
    assumption = facts.assumptions.nonnegative(-missing - 1)
    if assumption is not None:
        return f"given: {assumption.text}", assumption
    for condition in known:
        runs = negative(missing)
        if _implies(forms, condition, missing) or condition * runs == condition:
            return (
                f"{condition.readable} is true only if the loop in line {loop.line} has an "
                "iteration",
                None,
            )
    return None


def runs_at_launches(facts: KernelFacts, loop: Loop) -> bool:
    """Whether a loop runs at least once in every program of every launch that is seen."""
    try:
        missing = _below_zero_when_it_runs(facts, loop)
        return missing is not None and holds_in_every_program(facts, -missing - 1)
    except TooLarge:
        return False


def implies(forms: Forms, condition: Polynomial, other: Polynomial) -> bool:
    """Whether a condition is shown to hold nowhere but where the other one does."""
    if condition * other == condition:
        return True
    alone = other.sole_atom is not None or (ONE - other).sole_atom is not None
    return alone and any(_implies(forms, condition, least) for least in _below_zero(other))


def _implies(forms: Forms, condition: Polynomial, least: Polynomial) -> bool:
    """Whether a form is shown to be negative wherever a condition holds."""
    return any(forms.is_nonnegative(below - least) for below in _below_zero(condition))


def _below_zero_when_it_runs(facts: KernelFacts, loop: Loop) -> Polynomial | None:
    """A form that is negative exactly where the loop runs."""
    count = facts.forms.trip_count(loop)
    if count is None:
        return None
    tiles = count.sole_atom
    if not isinstance(tiles, CeilDiv):
        return -count
    extent, step = tiles.dividend, tiles.divisor
    if facts.forms.is_positive(-step):
        return extent
    return -extent if facts.forms.is_positive(step) else None


def _below_zero(condition: Polynomial) -> Iterator[Polynomial]:
    """Forms that are negative wherever a condition holds: `a < b & c < d` says two."""
    if len(condition.terms) == 1:
        ((monomial, coefficient),) = condition.terms.items()
        if coefficient == 1:
            for atom, _ in monomial:
                if isinstance(atom, Negative):
                    yield atom.form
    complement = (ONE - condition).sole_atom
    if isinstance(complement, Negative):
        yield -complement.form - 1


# Code for whether a loop runs at all


def runs(writer: Writer, loop: Loop, environment: Environment) -> str:
    """A condition under which there is an iteration. Raises NotExpressible."""
    forms = writer.facts.forms
    count = forms.trip_count(loop)
    assert count is not None and loop.start is not None and loop.stop is not None
    expressions = list(writer.facts.values)
    match count.sole_atom:
        case CeilDiv(length, tile) if forms.is_positive(tile):
            return f"{writer.find_form(length, environment, expressions)} > 0"
    if loop.step is None or not forms.is_positive(forms.of(loop.step)):
        raise NotExpressible("it is unknown whether the loop counts up or down")
    ends = (forms.of(end) for end in (loop.stop, loop.start))
    stop, start = (writer.find_form(end, environment, expressions) for end in ends)
    return f"{stop} > {start}"


# Rows of no elements: a loop over one runs no time at all, straight-line code once


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
        return all(map(row.is_off, effects)) and all(
            row.stays(name) for name in loop.carried if is_read_later(facts, loop, name)
        )
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


def is_read_later(facts: KernelFacts, loop: Loop, name: str) -> bool:
    """Whether what a loop leaves in a name may be read: by what follows, or the next time."""
    if name not in loop.initial:
        return False
    inside = set(walk(loop.node))
    reads = (n for n in reads_of(facts.kernel.node, name) if n not in inside)
    return loop.parent is not None or any(n.lineno > loop.line for n in reads)
