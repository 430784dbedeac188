"""Facts that a user asserts: `M % BLOCK_M == 0`, `N <= BLOCK`, `disjoint(X, Y)`.

An assumption is a Python expression over the names of a kernel's parameters.
It says nothing of a kernel that does not have all of its names.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.launch_bindings import Recorded
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import SIGNS, walk


class AssumptionError(ValueError):
    """An assumption that says nothing, or something false."""


@dataclass(frozen=True)
class Assumption:
    """One asserted fact. At least one of the three meanings is set."""

    text: str
    names: frozenset[str]
    nonnegative: tuple[Polynomial, ...] = ()
    """Forms that are >= 0."""
    multiple: tuple[Polynomial, Polynomial] | None = None
    """(dividend, divisor) of `dividend % divisor == 0`."""
    disjoint: frozenset[str] = frozenset()

    def is_refuted_by(self, constants: Mapping[str, int]) -> bool:
        """Whether parameters that are known to be these numbers make the fact false."""
        values: dict[Atom, int] = {Param(name): number for name, number in constants.items()}
        if self.multiple is not None:
            dividend, divisor = (form.value(values) for form in self.multiple)
            return dividend is not None and divisor not in (None, 0) and dividend % divisor != 0
        numbers = [form.value(values) for form in self.nonnegative]
        return any(number is not None and number < 0 for number in numbers)

    def applies_to(self, parameters: frozenset[str]) -> bool:
        return self.names <= parameters


def parse_assumption(text: str) -> Assumption:
    """Reads one `--assume` expression.

    Raises AssumptionError where it does not parse, is of a form that nothing
    could use, or is false whatever its names stand for.
    """
    try:
        tree = parsed(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise AssumptionError(f"{text!r} is not a Python expression") from error
    names = frozenset(
        n.id for n in walk(tree) if isinstance(n, ast.Name) and not _is_called(n, tree)
    )
    match tree:
        case ast.Call(func=ast.Name(id="disjoint"), args=[ast.Name(), ast.Name()], keywords=[]):
            if len(names) != 2:
                raise AssumptionError(f"{text!r}: a buffer is not disjoint from itself")
            return Assumption(text, names, disjoint=names)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in SIGNS:
            return _comparison(text, names, left, SIGNS[type(op)], right)
    raise AssumptionError(
        f"{text!r} is not a fact that can be used; "
        "write `M % BLOCK == 0`, a comparison such as `N <= BLOCK`, or `disjoint(X, Y)`"
    )


def _is_called(name: ast.Name, tree: ast.expr) -> bool:
    return isinstance(tree, ast.Call) and tree.func is name


def _comparison(
    text: str, names: frozenset[str], left: ast.expr, op: str, right: ast.expr
) -> Assumption:
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and op == "==":
        dividend, divisor = _form(text, left.left), _form(text, left.right)
        remainder = _form(text, right)
        if not remainder.is_zero:
            raise AssumptionError(f"{text!r}: only a remainder of 0 can be used")
        a, b = dividend.constant_value, divisor.constant_value
        if b == 0 or (a is not None and b is not None and a % b):
            raise AssumptionError(f"{text!r} is false")
        return Assumption(text, names, multiple=(dividend, divisor))
    difference = _form(text, right) - _form(text, left)
    facts = {
        "<": (difference - 1,),
        "<=": (difference,),
        ">": (-difference - 1,),
        ">=": (-difference,),
        "==": (difference, -difference),
    }.get(op)
    if facts is None:
        raise AssumptionError(f"{text!r}: a `!=` cannot be used; write a `<` or a `>`")
    for fact in facts:
        if fact.constant_value is not None and fact.constant_value < 0:
            raise AssumptionError(f"{text!r} is false")
    return Assumption(text, names, nonnegative=facts)


def _form(text: str, node: ast.expr) -> Polynomial:
    match node:
        case ast.Name(id=name):
            return Polynomial.of(Param(name))
        case ast.Constant(value=value) if isinstance(value, int):
            return Polynomial.constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_form(text, operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _form(text, left) + _form(text, right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _form(text, left) - _form(text, right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _form(text, left) * _form(text, right)
    raise AssumptionError(
        f"{text!r}: {ast.unparse(node)!r} cannot be used; write integers, parameters, + - *"
    )


def assumptions_of(recorded: Recorded, tiles: Collection[str]) -> Iterator[Assumption]:
    """What holds of the numbers in every recorded launch. `tiles` are constexprs of the kernel."""
    columns = _columns([launch.numbers for launch in recorded.launches])
    for name, numbers in columns.items():
        least, most = min(numbers), max(numbers)
        both = (f"{least} <= {name}", f"{name} <= {most}")
        yield from map(parse_assumption, both if least < most else (f"{name} == {most}",))
    for one, other in permutations(columns, 2):
        pairs = list(zip(columns[one], columns[other], strict=True))
        if one < other and all(a == b for a, b in pairs):
            yield parse_assumption(f"{one} == {other}")
        if other in tiles and all(a <= b for a, b in pairs):
            yield parse_assumption(f"{one} <= {other}")
        if other in tiles and all(b > 0 and a % b == 0 for a, b in pairs):
            yield parse_assumption(f"{one} % {other} == 0")
    buffers = _columns([launch.storages for launch in recorded.launches])
    for one, other in combinations(buffers, 2):
        if all(a != b for a, b in zip(buffers[one], buffers[other], strict=True)):
            yield parse_assumption(f"disjoint({one}, {other})")


def _columns(launches: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """By parameter, what the launches pass; without those that one does not pass."""
    names = [name for name in launches[0] if all(name in launch for launch in launches)]
    return {name: [launch[name] for launch in launches] for name in names}


class Assumptions:
    """The assumptions that speak of one kernel, and what follows from them."""

    def __init__(self, given: Sequence[Assumption], parameters: frozenset[str]) -> None:
        self._given = [a for a in given if a.applies_to(parameters)]

    @property
    def given(self) -> Sequence[Assumption]:
        return self._given

    def disjoint(self, first: str, second: str) -> Assumption | None:
        wanted = frozenset({first, second})
        return next((a for a in self._given if a.disjoint == wanted), None)

    def multiple(self, dividend: Polynomial, divisor: Polynomial) -> Assumption | None:
        """The assumption by which `dividend % divisor == 0`."""
        return next((a for a in self._given if a.multiple == (dividend, divisor)), None)

    def nonnegative(self, form: Polynomial) -> Assumption | None:
        """The assumption by which `form >= 0`: one that is at most a constant below it."""
        for assumption in self._given:
            for known in assumption.nonnegative:
                slack = (form - known).constant_value
                if slack is not None and slack >= Fraction(0):
                    return assumption
        return None
