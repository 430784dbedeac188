"""What a kernel asks the number of its programs for.

One that goes on to its next tile by it handles several tiles already, and so does one that
divides the work by it. For any other the number of programs is that of its tiles, which a loop
over tiles can tell as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from tritonopt.checks.condition import refuted
from tritonopt.facts import Atom, KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Iteration, NumPrograms, ProgramId, Quotient
from tritonopt.facts.algebra.polynomial import Monomial
from tritonopt.facts.effects import Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.values import Value


def check_program_count(facts: KernelFacts, ids: ProgramIds) -> None:
    """Whether the number of programs stands for the number of tiles. Raises Declined."""
    claim = "rows-can-be-lifted"
    if ids.counted_in_helper:
        detail = f"{ids.counted_in_helper} asks how many programs there are: pass it their number"
        raise refuted(claim, "program-ids-are-used", detail)
    if not ids.counts:
        return
    strided, divides = _ways_through_tiles(facts, ids.axis)
    if strided is not None:
        detail = f"the loop in line {strided.line} goes on by the number of programs already"
        raise refuted(claim, "already-done", detail)
    line = ids.counts[0].lineno
    if divides:
        detail = f"the work is divided by the number of programs, which line {line} asks for"
        raise refuted(claim, "already-done", detail)
    for loop in facts.loops:
        if any(_counts_programs(value) for value in _steering(loop)):
            detail = f"how the loop in line {loop.line} runs depends on how many programs there are"
            raise refuted(claim, "program-ids-are-used", detail)


def _ways_through_tiles(facts: KernelFacts, axis: int) -> tuple[Loop | None, bool]:
    """A loop that strides by the number of programs, and whether each has its share of the work."""
    divides, programs = False, NumPrograms(Polynomial.constant(axis))
    for form in _index_forms(facts):
        for atom in form.atoms:
            if isinstance(atom, Quotient) and programs in atom.leaves():
                divides = True
        for loop in facts.loops:
            if _strides(form, loop, axis):
                return loop, divides
    return None, divides


def _index_forms(facts: KernelFacts) -> Iterator[Polynomial]:
    """The forms of the kernel's scalars that the number of programs goes into."""
    forms = facts.forms
    for value in facts.interpretation.computed:
        if value.rank in (0, None) and _counts_programs(value):
            yield forms.of(value)
    for loop in facts.loops:
        iteration = Polynomial.of(Iteration(loop.identity))
        if loop.start is not None and loop.step is not None and _counts_programs(loop.step):
            yield forms.of(loop.start) + forms.of(loop.step) * iteration
        for name, following in loop.following.items():
            if name in loop.initial and name in loop.carried and _counts_programs(following):
                step = forms.of(following) - forms.of(loop.carried[name])
                yield forms.of(loop.initial[name]) + step * iteration


def _strides(form: Polynomial, loop: Loop, axis: int) -> bool:
    """Whether the program id and every so many programs, by iterations, go into it alike."""
    of_axis = Polynomial.constant(axis)
    programs, tile = NumPrograms(of_axis), ProgramId(of_axis)
    iteration = Iteration(loop.identity)
    of_tile = {_without(m, {tile}): c for m, c in form.terms.items() if (tile, 1) in m}
    return any(
        of_tile.get(_without(monomial, {programs, iteration})) == coefficient
        for monomial, coefficient in form.terms.items()
        if (programs, 1) in monomial and (iteration, 1) in monomial
    )


def _without(monomial: Monomial, atoms: set[Atom]) -> Monomial:
    return tuple(power for power in monomial if power[0] not in atoms)


def _steering(loop: Loop) -> Iterator[Value]:
    """What decides how often a loop runs."""
    yield from (v for v in (loop.start, loop.stop, loop.step, loop.condition) if v is not None)


def _counts_programs(value: Value) -> bool:
    return any(part.op is Op.NUM_PROGRAMS for part in value.walk())
