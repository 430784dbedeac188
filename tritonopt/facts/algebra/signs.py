"""Whether a form is an integer, and not below zero, as far as the kernel shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritonopt.facts.algebra.polynomial import Atom, Polynomial

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_INTEGER_ATOMS = frozenset(
    {"lane", "trip", "program_id", "num_programs", "cdiv", "floordiv", "bound"}
)
NONNEGATIVE_ATOMS = frozenset({"lane", "trip", "program_id", "num_programs", "bound"})


class Signs:
    """Answers for the forms of one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self.integer_loads: set[Atom] = set()
        """Elements that are known to be integers, as they are used as such."""

    def is_integer(self, form: Polynomial) -> bool:
        """Whether every value of the form is an integer, as far as the kernel shows."""
        if any(c.denominator != 1 for c in form.terms.values()):
            return False
        return all(
            power > 0 and self._is_integer_atom(atom)
            for monomial in form.terms
            for atom, power in monomial
        )

    def _is_integer_atom(self, atom: Atom) -> bool:
        if atom.tag in _INTEGER_ATOMS or atom.is_indicator:
            return True
        if atom.tag in ("minimum", "maximum", "mod"):
            return all(self.is_integer(a) for a in atom.arguments if isinstance(a, Polynomial))
        if atom.tag == "load":
            return atom in self.integer_loads
        return atom.tag == "param" and atom.arguments[0] in self._facts.integers.parameters

    def is_nonnegative(self, form: Polynomial) -> bool:
        """Whether the form is shown to be 0 or more: a sum of what cannot be negative."""
        return all(
            coefficient > 0 and all(p > 0 and self._is_nonnegative_atom(a) for a, p in monomial)
            for monomial, coefficient in form.terms.items()
        )

    def is_positive(self, form: Polynomial) -> bool:
        return self.is_nonnegative(form) and any(
            all(a.tag == "num_programs" or self._is_extent(a) for a, _ in monomial)
            for monomial in form.terms
        )

    def _is_nonnegative_atom(self, atom: Atom) -> bool:
        return atom.tag in NONNEGATIVE_ATOMS or atom.is_indicator or self._is_extent(atom)

    def _is_extent(self, atom: Atom) -> bool:
        return atom.tag == "param" and atom.arguments[0] in self._facts.extents
