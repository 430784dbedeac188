"""How small an integer form can be, as far as the kernel shows.

What divides, counts lanes, or bounds or steps a loop is a size. It is a written default that sizes
are at least 1, and an answer names those it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Bound,
    CeilDiv,
    FloorDiv,
    Iteration,
    Lane,
    Maximum,
    Minimum,
    Mod,
    NumPrograms,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_AT_LEAST_ZERO = (Lane, Iteration, Bound, ProgramId)

_RUNTIME = ("", "runtime")


@dataclass(frozen=True)
class LowerBound:
    """A number that a form is not below."""

    number: int
    sizes: frozenset[str] = frozenset()
    """What is taken to be at least 1."""
    given: tuple[Assumption, ...] = ()

    def with_(self, number: int, *others: LowerBound) -> LowerBound:
        sizes = self.sizes.union(*(other.sizes for other in others))
        given = (*self.given, *(a for other in others for a in other.given))
        return LowerBound(number, sizes, tuple(dict.fromkeys(given)))


class Bounds:
    """Answers for one kernel."""

    def __init__(self, facts: KernelFacts, extents: Iterable[Value] = ()) -> None:
        """`extents` are those of tiles that no `arange` of the kernel makes."""
        self._facts = facts
        self._extents = tuple(extents)

    @cached_property
    def sizes(self) -> frozenset[str]:
        """Parameters that divide, are divided with rounding up, count lanes, or bound a loop."""
        found = {
            value.name
            for value in self._sizes()
            if value.op in (Op.PARAM, Op.CONSTEXPR) and value.name not in self._facts.pointers
        }
        for value in self._values:
            if value.op is Op.FLOORDIV:
                # `(M + BLOCK - 1) // BLOCK`
                dividend, divisor = (self._facts.forms.of(o) for o in value.operands)
                atom = (dividend - divisor + 1).sole_atom
                if isinstance(atom, Param):
                    found.add(atom.name)
        return frozenset(found)

    def _sizes(self) -> Iterator[Value]:
        yield from chain(*map(_factors, self._extents))
        for value in self._values:
            if value.op in (Op.FLOORDIV, Op.MOD):
                yield from _factors(value.right)
            elif value.op is Op.LANE:
                yield from _factors(value.extent)
            elif value.op is Op.CDIV:
                yield from chain(*map(_factors, value.operands))
        for loop in self._facts.loops:
            for bound in (loop.stop, loop.step):
                if bound is not None:
                    yield from _factors(bound)

    @cached_property
    def _values(self) -> list[Value]:
        """Every value that the kernel's own text names, and what it is made of."""
        found: dict[int, Value] = {}
        for value in self._facts.values.values():
            if value.serial not in found:
                found.update((part.serial, part) for part in value.walk())
        return list(found.values())

    def lower_bound(self, form: Polynomial) -> LowerBound | None:
        """A lower bound; None where none is known."""
        assumption = self._facts.assumptions.nonnegative(form)
        if assumption is not None:
            return LowerBound(0, given=(assumption,))
        total = LowerBound(0)
        for monomial, coefficient in form.terms.items():
            if coefficient.denominator != 1 or any(power < 0 for _, power in monomial):
                return None
            if coefficient < 0 and monomial:
                return None
            product = LowerBound(int(coefficient))
            for atom, power in monomial:
                factor = self._least_of(atom)
                if factor is None or factor.number < 0:
                    return None
                product = product.with_(product.number * factor.number**power, factor)
            total = total.with_(total.number + product.number, product)
        return total

    def _least_of(self, atom: Atom) -> LowerBound | None:
        if atom.is_indicator or isinstance(atom, _AT_LEAST_ZERO):
            return LowerBound(0)
        if isinstance(atom, NumPrograms):
            return LowerBound(1)
        if isinstance(atom, Param):
            name = atom.name
            if name in self._facts.extents:
                return LowerBound(1)
            if name in self.sizes:
                return LowerBound(1, frozenset({name}))
            assumption = self._facts.assumptions.nonnegative(Polynomial.of(atom))
            return None if assumption is None else LowerBound(0, given=(assumption,))
        sides = [self.lower_bound(form) for form in atom.inside]
        match atom, sides:
            case Mod(rounding=rounding), [LowerBound(number=a) as one, _] if (
                a >= 0 and rounding in _RUNTIME
            ):
                return one.with_(0)  # truncated, it has the dividend's sign
            case Mod(), [LowerBound(number=a) as one, LowerBound(number=b) as other] if (
                a >= 0 and b >= 1
            ):
                return one.with_(0, other)
            case FloorDiv() | CeilDiv(), [
                LowerBound(number=a) as one,
                LowerBound(number=b) as other,
            ] if a >= 0 and b >= 0:
                return one.with_(0, other)
            case FloorDiv(divisor=divisor) | CeilDiv(divisor=divisor), [
                LowerBound(number=a) as one,
                None,
            ] if a >= 0:
                return one.with_(0, LowerBound(1, frozenset({self._name(divisor)})))
            case Minimum(), [LowerBound(number=a) as one, LowerBound(number=b) as other]:
                return one.with_(min(a, b), other)
            case Maximum(), _:
                known = [side for side in sides if side is not None]
                return max(known, key=lambda side: side.number) if known else None
        return None

    def _name(self, form: Polynomial) -> str:
        """What the kernel calls something, else how it is computed."""
        for name, value in self._facts.interpretation.after.items():
            if value.op not in (Op.TUPLE, Op.DTYPE) and self._facts.forms.of(value) == form:
                return name
        return form.readable


def _factors(value: Value) -> Iterator[Value]:
    if value.op is Op.MUL:
        yield from chain(*map(_factors, value.operands))
    else:
        yield value
