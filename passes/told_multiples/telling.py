"""What must hold of sizes that a heuristic asks for, and how the compiler is told of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.emit.heuristic_functions import check_heuristic, heuristic
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import CeilDiv, FloorDiv, Param, PowerOfTwo, TensorSize
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.language import MATRIX, REDUCTIONS, SCANS
from tritonopt.facts.operations import Op
from tritonopt.source import Change, InsertBefore
from tritonopt.source.kernels import Parameter

_CLAIM = "type-stays"
_WHOLE = (CeilDiv, FloorDiv, PowerOfTwo, TensorSize)


def changes(facts: KernelFacts, asked: Sequence[Parameter], of: int) -> Iterator[Change]:
    """Raises NotExpressible."""
    writer = Writer(facts)
    name = writer.fresh(f"BY_{of}")
    yield from heuristic(writer, name, _question(asked, of))
    lines = [f"    {p.name} = {p.name} // {of} * {of}" for p in asked]
    comment = (
        f"    # Rows begin and end at multiples of {of}: elements are moved several at a time."
    )
    code = "\n".join([f"if {name}:", comment, *lines])
    yield InsertBefore(facts.kernel.statements[0], code)


def _question(asked: Sequence[Parameter], of: int) -> str:
    """The function that a heuristic is."""
    sizes = [_taken(p) for p in asked]
    if len(sizes) == 1:
        return f"lambda args: {sizes[0]} % {of} == 0"
    tests = f"size % {of} == 0 for size in ({', '.join(sizes)})"
    return f"lambda args: all(\n    {tests}\n)"


def is_reduced(value: Value) -> bool:
    """Whether elements of several threads are added up, or otherwise reduced."""
    name = value.attribute[0] if isinstance(value.attribute, tuple) else None
    gathers = value.op is Op.REDUCE or value.function in MATRIX
    return gathers or (value.op is Op.RESHAPED and name in REDUCTIONS | SCANS)


def check(facts: KernelFacts, asked: Sequence[Parameter], attempt: Attempt) -> None:
    """Raises Declined unless each is an integer in the whole kernel, as launches show."""
    check_heuristic(facts, asked)
    bound = names_bound(facts.kernel.node)
    for parameter in asked:
        name, default = parameter.name, parameter.default
        if name in bound or not (default is None or _is_number(default)):
            detail = f"{name} is not the launch's argument everywhere"
            raise unknown(_CLAIM, "name-is-bound-elsewhere", detail)
        form = Polynomial.of(Param(name))
        passed = [substitute(form, binding) for binding in facts.launches.bindings]
        if not passed or not all(map(_is_size, passed)):
            detail = f"{name} may be None or a float: no launch shows a size of a tensor"
            raise unknown(_CLAIM, "type-is-unknown", detail)
    names = ", ".join(p.name for p in asked)
    attempt.prove(_CLAIM, f"{names}: dividing and multiplying does not change multiples")
    detail = "files that were not given only launch it, and pass numbers"
    attempt.assume("launches-are-seen", detail)


def _is_size(passed: Polynomial) -> bool:
    """Whether what a launch passes is made of sizes of tensors, so a whole number."""
    whole = all(c.denominator == 1 for c in passed.terms.values())
    powers = [(a, power) for monomial in passed.terms for a, power in monomial]
    return whole and all(isinstance(a, _WHOLE) and power > 0 for a, power in powers)


def _is_number(default: ast.expr) -> bool:
    return isinstance(default, ast.Constant) and type(default.value) is int


def _taken(parameter: Parameter) -> str:
    """How a heuristic takes an argument, which it is not given where the launch leaves it out."""
    if parameter.default is None:
        return f'args["{parameter.name}"]'
    return f'args.get("{parameter.name}", {ast.unparse(parameter.default)})'
