"""Why what a second sweep squares is not what the first one adds: the most telling difference."""

from __future__ import annotations

from collections.abc import Mapping

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.sweep_pairs import TwoSums, squared_loads
from tritonopt.facts import Atom, Polynomial
from tritonopt.facts.algebra.atoms import Call, Converted, Loaded, Opaque, Rounded, Total
from tritonopt.facts.algebra.polynomial import monomial_polynomial
from tritonopt.facts.effects import Effect
from tritonopt.facts.reductions import Accumulation, accumulation


def why_elements_differ(
    candidate: TwoSums,
    added: Accumulation,
    plain: Polynomial,
    mask: frozenset[Atom],
    renaming: Mapping[Atom, Atom],
) -> Declined:
    """`plain` is what the second sweep adds, but for the center; `mask` that of the first."""
    term = added.term
    if _differs_in_time_only(candidate, added, renaming):
        return candidate.sweeps.change_of_data()
    back = _stored_and_read_back(candidate)
    if back is not None:
        stored = f"it reads back what the {back.name} in line {back.line} has stored, rounded to"
        return refuted("data-is-unchanged", "data-may-change", f"{stored} the type of the buffer")
    square, elements, weight = "squares-of-deviations", "same-elements", "squares-of-deviations"
    leaves = list(plain.leaves())
    if any(isinstance(leaf, (Rounded, Converted)) for leaf in leaves):
        rounds = "the second sweep rounds what it squares to another type"
        return refuted(elements, "pinned-bits", rounds)
    if any(isinstance(leaf, (Call, Opaque)) for leaf in leaves):
        opaque = "what the second sweep squares is not understood"
        return unknown(elements, "opaque-value", opaque)
    rest = plain - term * term
    if not any(isinstance(a, Loaded) for a in rest.leaves()):
        extra = "lanes that the mask turns off add something to the second sum"
        return refuted("masked-off-lanes-add-nothing", "masked-off-lanes-count", extra)
    powers = {p for m in plain.terms for a, p in m if isinstance(a, Loaded)}
    if max(powers, default=0) < 2:
        other = "the second sweep adds up something other than squared deviations"
        return refuted(square, "not-a-square", other)
    summed = {(a.base, a.offset) for a in term.leaves() if isinstance(a, Loaded)}
    squared = {(a.base, a.offset) for a in squared_loads(plain)}
    buffers = [{base for base, _ in loads} for loads in (summed, squared)]
    if buffers[0] != buffers[1]:
        if buffers[1] < buffers[0]:
            missing = ", ".join(sorted(map(str, buffers[0] - buffers[1])))
            less = f"the second sweep does not read {missing}, which the first one adds"
            return refuted(elements, "different-elements", less)
        if buffers[0] & buffers[1]:
            return refuted(weight, "weighted", "the squared deviations are weighted")
        return refuted(elements, "different-elements", "the sweeps read different buffers")
    if summed != squared:
        other = "the sweeps read different elements of one buffer"
        return refuted(elements, "different-elements", other)
    if {a for m in plain.terms for a, _ in m if a.is_indicator} != mask:
        return refuted("same-arguments", "different-mask", "the sweeps are masked differently")
    if max(powers) > 2:
        other = "the deviations go in with another power than 2"
        return refuted(square, "not-a-square", other)
    root = _square_root(plain)
    if root is not None and _is_of_elements(root):
        other = "the first sweep does not add the elements that the second one squares"
        return refuted("squares-of-deviations", "center-is-not-the-mean", other)
    constant = refuted(weight, "weighted", "the squared deviations are weighted")
    return why_weighted(plain) or constant


def why_weighted(plain: Polynomial) -> Declined | None:
    """The reason where each square of what is loaded has a loaded factor; None where not.

    `plain` is what the second sweep adds, but for the center. The shift is the mean of the first
    tile, which is as near to the row's mean as the deviation of the row and the number of its tiles
    allow. With weights it is not: what the first tile has may count for nothing, and the difference
    between its mean and the row's then takes all digits. So it is with the weighted mean of the
    first tile, which may be 0 / 0 besides.
    """
    for monomial in plain.terms:
        powers = {atom: power for atom, power in monomial if isinstance(atom, Loaded)}
        if not {1, 2} <= set(powers.values()):
            return None
    if not plain.terms:
        return None
    weights = {a for a in plain.leaves() if isinstance(a, Loaded)} - squared_loads(plain)
    shown = ", ".join(sorted({str(atom.base) for atom in weights}))
    detail = f"the squares are weighted by {shown}, which may be 0 where the shift is taken"
    return refuted("squares-of-deviations", "weighted", detail)


def _stored_and_read_back(candidate: TwoSums) -> Effect | None:
    """What the first sweep stores into a buffer that the second one reads."""
    facts, sweeps = candidate.facts, candidate.sweeps
    loads = [e for e in sweeps.loads if sweeps.second in e.loops]
    bases = {base for load in loads for base in facts.bases(load) or ()}
    writes = (e for e in facts.effects if e.writes and sweeps.first in e.loops)
    return next((e for e in writes if bases & (facts.bases(e) or frozenset())), None)


def _differs_in_time_only(
    candidate: TwoSums, first: Accumulation, renaming: Mapping[Atom, Atom]
) -> bool:
    """Whether both sweeps read the same addresses, but a store may lie between."""
    forms = candidate.facts.forms_ignoring_memory
    squares = accumulation(candidate.facts, forms, candidate.sweeps.second, candidate.name)
    added = accumulation(candidate.facts, forms, candidate.sweeps.first, first.name)
    if squares is None or added is None:
        return False
    return without_sums(squares.term.map(renaming.get)) == added.term * added.term


def without_sums(form: Polynomial) -> Polynomial:
    """The form with the sums of earlier sweeps, and so the center, set to 0."""
    terms = form.terms.items()
    return Polynomial({m: c for m, c in terms if not any(isinstance(a, Total) for a, _ in m)})


def _is_of_elements(form: Polynomial) -> bool:
    """Whether a form is made of elements that are loaded, where some conditions hold."""
    factors = [atom for atom in form.atoms if not atom.is_indicator]
    return bool(factors) and all(isinstance(atom, Loaded) for atom in factors)


def _square_root(form: Polynomial) -> Polynomial | None:
    """The term of which a one-term form is the square."""
    if len(form.terms) != 1:
        return None
    ((monomial, coefficient),) = form.terms.items()
    if coefficient != 1 or any(p % 2 and not a.is_indicator for a, p in monomial):
        return None
    return monomial_polynomial((a, p if a.is_indicator else p // 2) for a, p in monomial)
