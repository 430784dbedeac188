"""Forms, divisibility and bounds, against a solver: what they claim holds for all integers.

Expressions are drawn whose meaning the solver decides: sums, products with a literal, division and
remainder by a literal (they round toward zero, as compiled kernels do), minima and maxima. A claim
that it refutes is wrong, with the numbers that show it; what it gives up is counted, and is little.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facts.support import body, form
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility

EXAMPLES = 150
MILLISECONDS = 2000

PROGRAM = z3.Int("program_id(0)")
VARIABLES = {"n": z3.Int("n"), "m": z3.Int("m"), "pid": PROGRAM}
KNOWN = (PROGRAM >= 0, PROGRAM < 2**31)

literals = st.integers(1, 8).map(str) | st.sampled_from(["16", "24", "32", "64", "128"])
atoms = st.sampled_from([*VARIABLES, *VARIABLES, "0", "1", "3"])


def _grown(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, smaller, st.sampled_from("+-"), smaller),
        st.builds("({} * {})".format, smaller, literals),
        st.builds("({} {} {})".format, smaller, st.sampled_from(["//", "%"]), literals),
        st.builds("tl.cdiv({}, {})".format, smaller, literals),
        st.builds(
            "tl.{}({}, {})".format, st.sampled_from(["minimum", "maximum"]), smaller, smaller
        ),
        # `x // d * d + x % d` and `(x + d - 1) // d` are rewritten by name.
        st.builds("({0} // {1} * {1} + {0} % {1})".format, smaller, literals),
        st.builds("({0} - {0} % {1})".format, smaller, literals),
        st.builds("(({0} + {1} - 1) // {1})".format, smaller, literals),
    )


expressions = st.recursive(atoms, _grown, max_leaves=6)


class Solver:
    """Asks for numbers at which a claim is false."""

    def __init__(self) -> None:
        self.decided = self.given_up = 0

    def refutation(self, claim: z3.BoolRef, *known: z3.BoolRef) -> z3.ModelRef | None:
        solver = z3.Solver()
        solver.set("timeout", MILLISECONDS)
        solver.add(*KNOWN, *known, z3.Not(claim))
        answer = solver.check()
        if answer == z3.unknown:
            self.given_up += 1
            return None
        self.decided += 1
        return solver.model() if answer == z3.sat else None

    def check(self) -> None:
        """That the claims were really tried."""
        assert self.decided >= EXAMPLES // 3
        assert self.given_up <= self.decided // 10


def meaning(expression: str) -> z3.ArithRef:
    """The expression as the solver's term."""
    return _term(ast.parse(expression, mode="eval").body)


def _term(node: ast.expr) -> z3.ArithRef:
    match node:
        case ast.Name(name):
            return VARIABLES[name]
        case ast.Constant(int(number)):
            return z3.IntVal(number)
        case ast.BinOp(left, operation, right):
            return _OPERATIONS[type(operation)](_term(left), _term(right))
        case ast.Call(ast.Attribute(attr=name), [left, right]):
            return _FUNCTIONS[name](_term(left), _term(right))
    raise AssertionError(ast.dump(node))


def _quotient(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    # The solver's own rounds so that the remainder is not negative; divisors here are positive.
    return z3.If(a >= 0, a / b, -((-a) / b))


_OPERATIONS: dict[type[ast.operator], Callable[[z3.ArithRef, z3.ArithRef], z3.ArithRef]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: _quotient,
    ast.Mod: lambda a, b: a - b * _quotient(a, b),
}
_FUNCTIONS: dict[str, Callable[[z3.ArithRef, z3.ArithRef], z3.ArithRef]] = {
    "cdiv": lambda a, b: _quotient(a + b - 1, b),
    "minimum": lambda a, b: z3.If(a <= b, a, b),
    "maximum": lambda a, b: z3.If(a >= b, a, b),
}


def kernel(*values: str) -> KernelFacts:
    named = "\n".join(f"value{i} = {value}" for i, value in enumerate(values))
    used = " + ".join(f"value{i}" for i in range(len(values)))
    return body(f"pid = tl.program_id(0)\n{named}\ntl.store(X + {used}, 1)", parameters="X, n, m")


def test_equal_forms_are_equal_numbers() -> None:
    solver = Solver()

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
    @given(expressions, expressions, st.booleans())
    def check(one: str, other: str, related: bool) -> None:
        if related:
            # Two drawn apart are seldom equal; this is, and the form may or may not see it.
            other = f"(({one}) + ({other})) - ({other})"
        facts = kernel(one, other)
        if form(facts, "value0") == form(facts, "value1"):
            found = solver.refutation(meaning(one) == meaning(other))
            assert found is None, f"{one} is not {other} at {found}"

    check()
    solver.check()


def test_what_divides_divides() -> None:
    solver = Solver()

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
    @given(expressions, st.sampled_from([2, 3, 4, 8, 16]), st.booleans())
    def check(expression: str, divisor: int, multiplied: bool) -> None:
        if multiplied:
            expression = f"({expression}) * {divisor} + {2 * divisor}"
        facts = kernel(expression)
        proof = Divisibility(facts).proof(Polynomial.constant(divisor), form(facts, "value0"))
        if proof is not None:
            assert proof.is_arithmetic
            found = solver.refutation(meaning(expression) % divisor == 0)
            assert found is None, f"{divisor} does not divide {expression} at {found}"

    check()
    solver.check()


def test_nothing_is_below_its_bound() -> None:
    solver = Solver()

    @settings(max_examples=2 * EXAMPLES, deadline=None, derandomize=True)
    @given(expressions)
    def check(expression: str) -> None:
        facts = kernel(expression)
        least = Bounds(facts).lower_bound(form(facts, "value0"))
        if least is not None:
            sizes = [VARIABLES[name] >= 1 for name in least.sizes]
            found = solver.refutation(meaning(expression) >= least.number, *sizes)
            assert found is None, f"{expression} is below {least} at {found}"

    check()
    solver.check()
