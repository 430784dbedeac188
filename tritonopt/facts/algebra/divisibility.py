"""Whether one integer form divides another, and what that rests on.

A sum is divisible where each of its terms is; a term where the divisor, or something that the
divisor divides, is a factor of it. `x % d` may be taken for `x` where the divisor divides d. What
the kernel's text leaves open, a fact that the user gave may show, or every launch.

Forms are those of values that index memory, so their atoms are integers.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import Choice, Maximum, Minimum, Mod, PowerOfTwo
from tritonopt.facts.algebra.polynomial import ZERO, Atom, Group, Monomial, Polynomial, TooLarge
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.effects import EffectKind
from tritonopt.facts.language import function
from tritonopt.facts.launch_bindings import LaunchBinding, Multiple
from tritonopt.source import Launch
from tritonopt.source.launches import places

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

MAX_REMAINDERS = 8


@dataclass(frozen=True)
class Proof:
    """What a claim rests on besides the kernel's own arithmetic; on nothing, if all are empty."""

    given: tuple[Assumption, ...] = ()
    stated: tuple[str, ...] = ()
    """What the kernel asserts, in words."""
    launches: tuple[Launch, ...] = ()
    """Those that show it."""

    @property
    def is_arithmetic(self) -> bool:
        return not (self.given or self.stated or self.launches)

    def __and__(self, other: Proof) -> Proof:
        return Proof(
            tuple(dict.fromkeys((*self.given, *other.given))),
            tuple(dict.fromkeys((*self.stated, *other.stated))),
            tuple(dict.fromkeys((*self.launches, *other.launches))),
        )

    @property
    def because(self) -> str:
        """In words; empty where it follows from the arithmetic."""
        parts = [f"given: {assumption.text}" for assumption in self.given]
        parts += self.stated
        if self.launches:
            plural = "es" if len(self.launches) > 1 else ""
            parts.append(f"shown by the launch{plural} in {places(self.launches)}")
        return "; ".join(parts)


@dataclass(frozen=True)
class _Fact:
    """`dividend % divisor == 0`, and who says so."""

    dividend: Polynomial
    divisor: Polynomial
    proof: Proof = Proof()


class Divisibility:
    """Answers for one kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts

    @cached_property
    def bindings(self) -> tuple[LaunchBinding, ...]:
        """What every launch passes; empty where the launches show nothing."""
        return self._facts.launches.bindings

    @cached_property
    def stated(self) -> tuple[tuple[Multiple, str], ...]:
        """What the kernel asserts of its own: `tl.static_assert(M % BLOCK == 0)`, `tl.assume`."""
        return tuple(_stated(self._facts))

    @cached_property
    def _known(self) -> tuple[_Fact, ...]:
        given = [
            _Fact(*assumption.multiple, Proof(given=(assumption,)))
            for assumption in self._facts.assumptions.given
            if assumption.multiple is not None
        ]
        said = [_Fact(*multiple, Proof(stated=(text,))) for multiple, text in self.stated]
        return (*said, *given)

    def proof(self, divisor: Polynomial, form: Polynomial) -> Proof | None:
        """What shows that `form % divisor == 0`; None where nothing does."""
        try:
            rest, proof = divide(divisor, form, self._known)
            if rest.is_zero:
                return proof
            shown = [self._at_launch(binding, divisor, rest) for binding in self.bindings]
        except TooLarge:
            return None
        if not shown or not all(shown):
            return None
        launches = tuple(dict.fromkeys(binding.launch for binding in self.bindings))
        return proof & Proof(launches=launches)

    def _at_launch(self, binding: LaunchBinding, divisor: Polynomial, form: Polynomial) -> bool:
        facts = [_Fact(*multiple) for multiple in binding.multiples]
        facts += [
            _Fact(substitute(fact.dividend, binding), substitute(fact.divisor, binding))
            for fact in self._known
        ]
        return divide(substitute(divisor, binding), substitute(form, binding), facts)[0].is_zero

    def largest_power_of_two(self, form: Polynomial) -> int:
        """The largest one, up to 1024, that is shown to divide a form."""
        power = 1024
        while power > 1 and self.proof(Polynomial.constant(power), form) is None:
            power //= 2
        return power


def substitute(form: Polynomial, binding: LaunchBinding) -> Polynomial:
    """A form of the kernel in terms of its launcher."""
    return replaced(form, binding.values)


def replaced(form: Polynomial, values: Mapping[Atom, Polynomial]) -> Polynomial:
    """A form with others in place of some of its atoms, wherever they stand in it."""
    terms = ZERO
    for monomial, coefficient in form.terms.items():
        term = Polynomial.constant(coefficient)
        for atom, power in monomial:
            inside = values.get(atom)
            if inside is None:
                term = term * Polynomial.of(_replaced_inside(atom, values), power)
            elif power > 0:
                term = term * inside.power(power)
            else:
                term = term * Polynomial.of(Group(inside), power)
        terms = terms + term
    return terms


def _replaced_inside(atom: Atom, values: Mapping[Atom, Polynomial]) -> Atom:
    return atom.with_arguments(
        [replaced(a, values) if isinstance(a, Polynomial) else a for a in atom.arguments]
    )


def divide(
    divisor: Polynomial, form: Polynomial, facts: Sequence[_Fact]
) -> tuple[Polynomial, Proof]:
    """What of `form` is not shown to be divisible, and what shows it of the rest."""
    if divisor == Polynomial.constant(1):
        return ZERO, Proof()
    if divisor.is_zero:
        return form, Proof()
    useful = _useful(divisor, facts)
    earlier = Proof()
    for _ in range(MAX_REMAINDERS):
        rest, proof = _divide_terms(divisor, form, useful)
        if rest.is_zero:
            return rest, earlier & proof
        for fact in (f for f in useful if _divide_terms(divisor, f.divisor, ())[0].is_zero):
            for whole in (form - fact.dividend, form + fact.dividend):
                left, other = _divide_terms(divisor, whole, useful)
                if left.is_zero:
                    return left, earlier & other & fact.proof
        simpler = _without_remainder(divisor, form, useful)
        if simpler is None:
            return rest, earlier & proof
        form, by = simpler
        earlier = earlier & by
    return form, earlier


def _useful(divisor: Polynomial, facts: Sequence[_Fact]) -> list[_Fact]:
    """Facts that say of something that it is a multiple of the divisor, or of a part of it."""
    whole = [fact for fact in facts if _divide_terms(divisor, fact.divisor, ())[0].is_zero]
    if divisor.constant_value is None:
        return whole
    # `K % 4 == 0` and `M % 8 == 0` together make 32 divide K * M.
    return [f for f in facts if f in whole or f.divisor.constant_value is not None]


def _divide_terms(
    divisor: Polynomial, form: Polynomial, useful: Iterable[_Fact]
) -> tuple[Polynomial, Proof]:
    proof = Proof()
    rest: dict[Monomial, Fraction] = {}
    for monomial, coefficient in form.terms.items():
        shown = _divides_term(divisor, Polynomial({monomial: coefficient}), useful)
        if shown is None:
            rest[monomial] = coefficient
        else:
            proof = proof & shown
    return Polynomial(rest), proof


def _divides_term(divisor: Polynomial, term: Polynomial, useful: Iterable[_Fact]) -> Proof | None:
    ((monomial, coefficient),) = term.terms.items()
    if coefficient.denominator != 1 or any(power < 0 for _, power in monomial):
        return None
    if _is_multiple(term, divisor):
        return Proof()
    for fact in useful:
        holds = _divide_terms(divisor, fact.divisor, ())[0].is_zero
        if holds and _is_multiple(term, fact.dividend):
            return fact.proof
    number = divisor.constant_value
    if number is None or number.denominator != 1:
        return None
    product, proof = abs(int(coefficient)), Proof()
    for atom, power in monomial:
        known, by = _multiple_of(atom, useful)
        product *= known**power
        proof = proof & by
    return proof if product % int(number) == 0 else None


def _is_multiple(term: Polynomial, divisor: Polynomial) -> bool:
    """Whether one term is a whole multiple of another."""
    if len(divisor.terms) != 1:
        return False
    ((theirs, number),) = divisor.terms.items()
    ((ours, coefficient),) = term.terms.items()
    powers = dict(ours)
    whole = (coefficient / number).denominator == 1
    return whole and all(power > 0 and powers.get(atom, 0) >= power for atom, power in theirs)


def _multiple_of(atom: Atom, facts: Iterable[_Fact]) -> tuple[int, Proof]:
    """A number that divides an atom."""
    number, proof = 1, Proof()
    for fact in facts:
        divisor = fact.divisor.constant_value
        if fact.dividend.sole_atom == atom and divisor is not None and divisor.denominator == 1:
            together = math.lcm(number, int(divisor))
            if together != number:
                number, proof = together, proof & fact.proof
    if number == 1:
        number = _least_power_of_two(Polynomial.of(atom)) or 1
    return number, proof


def _least_power_of_two(form: Polynomial) -> int | None:
    """The least value of what can only be a power of two; None for everything else."""
    constant = form.constant_value
    if constant is not None:
        number = int(constant)
        return number if number == constant and number > 0 and not number & (number - 1) else None
    atom = form.sole_atom
    if atom is None:
        return None
    if isinstance(atom, PowerOfTwo):
        return 1
    if not isinstance(atom, (Minimum, Maximum, Choice)):
        return None
    one, other = map(_least_power_of_two, atom.inside[-2:])
    if one is None or other is None:
        return None
    return max(one, other) if isinstance(atom, Maximum) else min(one, other)


def _without_remainder(
    divisor: Polynomial, form: Polynomial, useful: Sequence[_Fact]
) -> tuple[Polynomial, Proof] | None:
    """The form with one `x % d` taken for `x`, which changes it by a multiple of d."""
    for monomial, coefficient in form.terms.items():
        for atom, power in monomial:
            if not isinstance(atom, Mod) or power != 1:
                continue
            others = Polynomial({tuple(i for i in monomial if i[0] != atom): coefficient})
            rest, proof = _divide_terms(divisor, atom.divisor * others, useful)
            if rest.is_zero:
                return form + others * (atom.dividend - Polynomial.of(atom)), proof
    return None


def stated_tests(facts: KernelFacts, debugging: bool = False) -> Iterator[tuple[ast.expr, str]]:
    """What `static_assert` and `assume` say on every way through the kernel, and who says it.

    With `debugging` also what is checked in a debug build alone.
    """
    statements = ("static_assert", "assume", *(("device_assert",) if debugging else ()))
    first_exit = min((e.line for e in facts.effects if e.kind is EffectKind.EXIT), default=None)
    for statement in facts.kernel.node.body:
        if first_exit is not None and statement.lineno >= first_exit:
            return
        match statement:
            case ast.Expr(value=ast.Call(func=called, args=[test, *_])):
                name = function(facts.kernel.module.resolve(called))
                if name in statements:
                    yield test, f"the {name} in line {statement.lineno}"
            case ast.Assert(test=test) if debugging:
                yield test, f"the assert in line {statement.lineno}"


def _stated(facts: KernelFacts) -> Iterator[tuple[Multiple, str]]:
    """The remainders that are stated to be 0."""
    for test, said in stated_tests(facts):
        for dividend, divisor in _remainders(test):
            sides = [facts.values.get(side) for side in (dividend, divisor)]
            forms = [facts.forms.of(side) for side in sides if side is not None]
            if len(forms) == 2:
                yield (forms[0], forms[1]), said


def _remainders(test: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The (a, b) of every `a % b == 0` that a condition is made of."""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            for part in parts:
                yield from _remainders(part)
        case ast.Compare(
            left=ast.BinOp(left=left, op=ast.Mod(), right=right),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            yield left, right
