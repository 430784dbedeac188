"""Whether a loop runs at all: shown, or written as a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import Assumption, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Negative
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.indicators import negative
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.algebra.turns import holds_in_every_program


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
            return f"{condition.readable} holds only where the loop in line {loop.line} runs", None
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


def runs_when(writer: Writer, loop: Loop, above: Loop) -> str:
    """The condition under which a loop runs, as code that stands right before the loop `above`.

    Raises NotExpressible where the way of counting is not known, or has no expression there.
    """
    facts = writer.facts
    where = f"the loop in line {loop.line} may run no time at all"
    if loop.start is None or loop.stop is None or loop.step is None:
        raise NotExpressible(where)
    step = facts.forms.of(loop.step)
    down = facts.forms.is_positive(-step)
    if not down and not facts.forms.is_positive(step):
        raise NotExpressible(f"{where}, and its step may be negative")
    assert isinstance(loop.node, ast.For) and isinstance(loop.node.iter, ast.Call)
    environment = facts.before[above.node]
    bounds = []
    for bound in (loop.start, loop.stop):
        written = next((a for a in loop.node.iter.args if facts.values.get(a) is bound), None)
        if written is not None and writer.means_the_same(written, environment):
            bounds.append(writer.operand(written))
        else:
            bounds.append(writer.find_form(facts.forms.of(bound), environment))
    start, stop = bounds
    if down:
        at_least_zero = facts.forms.of(loop.stop) == -ONE
        return f"{start} >= 0" if at_least_zero else f"{start} > {stop}"
    return f"{stop} > 0" if start == "0" else f"{start} < {stop}"
