"""Whether a form is an integer, and not below zero, as far as the kernel shows."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Bound,
    CeilDiv,
    FloorDiv,
    Iteration,
    Lane,
    Loaded,
    Maximum,
    Minimum,
    Mod,
    NumPrograms,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.polynomial import Atom, Polynomial

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

NONNEGATIVE_ATOMS = (Lane, Iteration, ProgramId, NumPrograms, Bound)
_INTEGER_ATOMS = (*NONNEGATIVE_ATOMS, CeilDiv, FloorDiv)


class Signs:
    """Answers for the forms of one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self.integer_loads: set[Atom] = set()
        """Elements that are known to be integers, as they are used as such."""

    def is_integer(self, form: Polynomial, given: Collection[str] = ()) -> bool:
        """Whether every value of the form is an integer, as far as the kernel shows.

        The parameters of the names given are taken to be integers.
        """
        if any(c.denominator != 1 for c in form.terms.values()):
            return False
        return all(
            power > 0 and self._is_integer_atom(atom, given)
            for monomial in form.terms
            for atom, power in monomial
        )

    def _is_integer_atom(self, atom: Atom, given: Collection[str]) -> bool:
        if atom.is_indicator or isinstance(atom, _INTEGER_ATOMS):
            return True
        if isinstance(atom, (Minimum, Maximum, Mod)):
            return all(self.is_integer(form, given) for form in atom.inside)
        if isinstance(atom, Loaded):
            return atom in self.integer_loads
        known = self._facts.integers.parameters
        return isinstance(atom, Param) and (atom.name in known or atom.name in given)

    def is_nonnegative(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 0 or more: a sum of what cannot be negative."""
        return all(
            coefficient > 0 and all(p > 0 and self._is_nonnegative_atom(a) for a, p in monomial)
            for monomial, coefficient in form.terms.items()
        )

    def is_positive(self, form: Polynomial) -> bool:
        return self.is_nonnegative(form) and any(
            all(isinstance(a, NumPrograms) or self._is_extent(a) for a, _ in monomial)
            for monomial in form.terms
        )

    def _is_nonnegative_atom(self, atom: Atom) -> bool:
        return isinstance(atom, NONNEGATIVE_ATOMS) or atom.is_indicator or self._is_extent(atom)

    def _is_extent(self, atom: Atom) -> bool:
        return isinstance(atom, Param) and atom.name in self._facts.extents
