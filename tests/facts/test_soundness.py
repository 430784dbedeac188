"""Whatever a kernel does, its forms say what it does: random kernels, run and compared."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.facts.evaluation import Evaluation, NotShown, Point
from tests.facts.execution import Execution, Num, Undefined, num
from tests.facts.programs import kernels
from tests.facts.support import facts_of
from tests.layers import number
from tritonopt.facts import Atom, KernelFacts
from tritonopt.facts.algebra.atoms import Call, Converted, Loaded, Math, Opaque, Reduced, Undef
from tritonopt.facts.describe import render

SMALL = st.integers(-6, 9)


def run(facts: KernelFacts, arguments: Mapping[str, Num], program: int) -> Execution:
    def identity(statement: ast.stmt) -> int | None:
        loop = facts.loop_of(statement)
        return None if loop is None else loop.identity

    execution = Execution(facts.kernel, arguments, program, identity)
    execution.run()
    return execution


def check(facts: KernelFacts, execution: Execution, arguments: Mapping[str, Num]) -> int:
    """Compares every value with its form; the number of lanes that could be compared."""
    parameters = {name: Fraction(given.one) for name, given in arguments.items()}
    evaluation = Evaluation(parameters, execution.program, execution.programs)
    loads = {id(e.node): e for e in facts.effects if e.kind.value == "load" and not e.inlined}

    def teach(atom: Atom, point: Point, value: Fraction, node: ast.expr) -> None:
        try:
            agreed = evaluation.teach(atom, point, value)
        except (NotShown, Undefined):
            return
        assert agreed, f"{ast.unparse(node)} in line {node.lineno} is not always {atom}"

    for node, trips, seen in execution.log:
        if node not in facts.values or seen.kind == "none":
            continue
        value = facts.values[node]
        if value.rank is not None:
            assert value.rank == seen.lanes.ndim, f"rank of {ast.unparse(node)}"
        form = facts.forms.of(value)
        sole = form.sole_atom
        for index in np.ndindex(seen.lanes.shape):
            point = Point(trips, index)
            if sole is not None:
                if isinstance(sole, (Opaque, Loaded, Call, Undef, Math, Converted, Reduced)):
                    teach(sole, point, seen.lanes[index], node)
            elif id(node) in loads:
                try:
                    mask = loads[id(node)].mask
                    assert mask is not None
                    on = evaluation.form(facts.forms.condition(mask), point)
                except (NotShown, Undefined):
                    continue
                wanted = Loaded if on else Undef
                for atom in form.atoms:
                    if isinstance(atom, wanted) and len(form.atoms) < 4:
                        own = [m for m in form.terms if any(a == atom for a, _ in m)]
                        if (
                            on
                            and len([a for a in form.atoms if isinstance(a, Loaded)]) == 1
                            and own
                        ):
                            teach(atom, point, seen.lanes[index], node)
                        if not on:
                            teach(atom, point, seen.lanes[index], node)
    compared = 0
    for node, trips, seen in execution.log:
        if node not in facts.values or seen.kind == "none":
            continue
        form = facts.forms.of(facts.values[node])
        for index in np.ndindex(seen.lanes.shape):
            try:
                claimed = evaluation.form(form, Point(trips, index))
            except (NotShown, Undefined):
                continue
            compared += 1
            assert claimed == seen.lanes[index], (
                f"{ast.unparse(node)} in line {node.lineno}, lane {index}, iteration {trips}: "
                f"is {seen.lanes[index]}, but {form.readable} is {claimed}"
            )
    return compared


def check_bases(facts: KernelFacts, execution: Execution) -> None:
    """Every address is in the buffer of one of the parameters that the facts name."""
    effects = {id(e.node): e for e in facts.effects if e.pointer is not None and not e.inlined}
    for node, address in execution.accesses:
        bases = facts.bases(effects[id(node)])
        near = {name for name, start in BUFFERS.items() if abs(address - start) < APART}
        if bases is not None and near:
            assert near & bases, f"line {node.lineno}: {near}, but only {bases} are known"


BUFFERS = {"X": 10**30, "Y": 10**31}
APART = 10**29


def arguments(
    n: int, m: int, s: int, f: Fraction, block: int, alias: bool, constant: int = 3
) -> dict[str, Num]:
    return {
        "X": num(BUFFERS["X"], "int"),
        "Y": num(BUFFERS["X"] if alias else BUFFERS["Y"], "int"),
        "n": num(n, "int"),
        "m": num(m, "int"),
        "s": num(s, "int"),
        "f": num(f, "float"),  # type: ignore[arg-type]
        "B": num(block, "int", static=True),
        "C": num(constant, "int", static=True),
    }


@settings(
    max_examples=number(150, 300),
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
    ],
)
@given(
    text=kernels(),
    n=SMALL,
    m=SMALL,
    s=SMALL,
    f=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(-3, 2), Fraction(5)]),
    block=st.sampled_from([2, 4]),
    program=st.integers(0, 3),
    alias=st.booleans(),
)
def test_forms_are_worth_what_the_kernel_computes(
    text: str, n: int, m: int, s: int, f: Fraction, block: int, program: int, alias: bool
) -> None:
    facts = facts_of(text, "kernel")
    given_arguments = arguments(n, m, s, f, block, alias)
    try:
        execution = run(facts, given_arguments, program)
    except Undefined:
        assume(False)
    compared = check(facts, execution, given_arguments)
    if not alias:
        check_bases(facts, execution)
    event(f"compared {min(compared // 100, 5)}00 or more lanes")
    render(facts)
