"""What does not change in a loop, what moves above it, and whether the loop runs."""

from __future__ import annotations

import ast

import pytest

from tests.facts.support import body
from tritonopt.emit.loop_invariants import HoistedSlice, is_invariant, may_divide_by_zero
from tritonopt.emit.trip_guards import implies, runs_always, why_it_runs
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import KernelFacts
from tritonopt.facts.effects import EffectKind


def named(facts: KernelFacts, name: str) -> ast.stmt:
    """The last statement that binds a name."""
    return [
        s
        for s in ast.walk(facts.kernel.node)
        if isinstance(s, (ast.Assign, ast.AugAssign))
        if isinstance(t := s.targets[0] if isinstance(s, ast.Assign) else s.target, ast.Name)
        and t.id == name
    ][-1]


def lifted(statements: str, name: str) -> list[str]:
    """What moves above the first loop, so that the last statement which binds a name can."""
    facts = body(statements)
    loads = [e for e in facts.effects if e.kind is EffectKind.LOAD]
    hoisted = HoistedSlice(Writer(facts), facts.loops[0], loads, runs=True)
    hoisted.add(named(facts, name))
    return [ast.unparse(s) for s in hoisted.statements]


def test_what_varies() -> None:
    facts = body(
        """
        for i in range(N):
            a = M + 1
            b = i
            for j in range(M):
                c = i + 1
                d = tl.load(X)
        """
    )
    outer, inner = facts.loops
    expected = {"a": (True, True), "b": (False, True), "c": (False, True), "d": (False, False)}
    for name, invariant in expected.items():
        statement = named(facts, name)
        assert isinstance(statement, ast.Assign)
        value = facts.values[statement.value]
        assert (is_invariant(facts, value, outer), is_invariant(facts, value, inner)) == invariant
    loads = frozenset(e.order for e in facts.effects if e.kind is EffectKind.LOAD)
    load = named(facts, "d")
    assert isinstance(load, ast.Assign)
    assert is_invariant(facts, facts.values[load.value], outer, loads)


def test_a_statement_moves_with_what_it_reads() -> None:
    loop = "for i in range(N):\n    a = M + 1\n    z = i\n    b = a * 2\n    c = b + a\n"
    assert lifted(loop, "c") == ["a = M + 1", "b = a * 2", "c = b + a"]
    assert lifted(loop, "b") == ["a = M + 1", "b = a * 2"]


def test_a_name_moves_with_all_its_bindings() -> None:
    assert lifted("for i in range(N):\n    a = M + 1\n    a += 2\n    tl.store(X + i, a)", "a") == [
        "a = M + 1",
        "a += 2",
    ]


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ("for i in range(N):\n    a = i + 1\n", "varies"),
        ("a = 1\nfor i in range(N):\n    a = M + 1\n", "is bound in line"),
        ("for i in range(N):\n    a = M + 1\nfor i in range(N):\n    a = 2\n", "is bound in line"),
        ("for i in range(N):\n    if i:\n        a = M + 1\n", "not a plain assignment"),
        ("for i in range(N):\n    a = M\n    tl.store(X, a)\n    a = M + 1\n", "reads another a"),
        ("for i in range(N):\n    M = M + 1\n    a = M\n", "varies"),
        ("for i in range(N):\n    M = N\n    a = M\n", "binds M again"),
        ("for i in range(N):\n    a = tl.atomic_add(X, 1)\n", "more than compute"),
    ],
)
def test_what_does_not_move(statements: str, why: str) -> None:
    facts = body(statements)
    inside = ast.walk(facts.loops[0].node)
    first = next(s for s in inside if isinstance(s, ast.Assign) and ast.unparse(s)[0] == "a")
    with pytest.raises(NotExpressible, match=why):
        HoistedSlice(Writer(facts), facts.loops[0], runs=True).add(first)


def test_a_failure_moves_nothing() -> None:
    facts = body("for i in range(N):\n    a = M + 1\n    b = a + i\n")
    hoisted = HoistedSlice(Writer(facts), facts.loops[0], runs=True)
    with pytest.raises(NotExpressible):
        hoisted.add(named(facts, "b"))
    assert hoisted.statements == []


def test_divisions() -> None:
    facts = body("a = N // 2\nb = N // M\nc = N % B\nd = tl.arange(0, B)\ne = tl.cdiv(N, M)")
    found = {
        name: may_divide_by_zero(facts, facts.interpretation.after[name], facts.kernel.node.body[0])
        for name in ("a", "b", "c", "e")
    }
    assert found == {"a": False, "b": True, "c": False, "e": True}


@pytest.mark.parametrize(
    ("loop", "shown"),
    [
        ("for i in range(4): pass", True),
        ("for i in range(N): pass", False),
        ("for i in range(4, 4): pass", False),
        ("l = tl.arange(0, B)\nfor i in range(0, B): pass", True),
        ("for i in range(tl.num_programs(0)): pass", True),
        ("for i in range(N, 0, -1): pass", False),
        ("for i in range(N, 0, -B): pass", False),
        ("for i in range(4, 0, -2): pass", True),
        ("for i in range(0, N, M): pass", False),
        ("while N > 0: pass", False),
    ],
)
def test_whether_a_loop_runs(loop: str, shown: bool) -> None:
    facts = body(loop)
    assert (why_it_runs(facts, facts.loops[0], []) is not None) is shown


@pytest.mark.parametrize(
    ("loop", "condition", "shown"),
    [
        ("for i in range(0, N, B): pass", "cols < N", True),
        ("for i in range(0, tl.cdiv(N, B)): pass", "(cols < N) & (cols > M)", True),
        ("for i in range(0, N, B): pass", "cols < M", False),
        ("for i in range(0, N, B): pass", "cols <= N", False),
        ("for i in range(M, N, B): pass", "cols < N", False),
        ("for i in range(M, N, B): pass", "M < N", True),
        ("for i in range(N): pass", "N > 0", True),
        ("for i in range(N): pass", "N >= 0", False),
        ("for i in range(N): pass", "(cols < N) | (cols < M)", False),
    ],
)
def test_a_condition_that_holds_only_where_a_loop_runs(
    loop: str, condition: str, shown: bool
) -> None:
    facts = body(f"cols = tl.arange(0, B)\nc = {condition}\n{loop}")
    known = [facts.forms.condition(facts.interpretation.after["c"])]
    assert (why_it_runs(facts, facts.loops[0], known) is not None) is shown


def test_a_given_fact() -> None:
    facts = body("for i in range(N): pass", assume=["N >= 1"])
    shown = why_it_runs(facts, facts.loops[0], [])
    assert shown is not None and shown[1] is not None and shown[1].text == "N >= 1"


@pytest.mark.parametrize(
    ("condition", "other", "shown"),
    [
        ("cols < N", "cols < N", True),
        ("(cols < N) & (cols < M)", "cols < N", True),
        ("cols < N", "cols < N + 1", True),
        ("cols < N", "cols < M", False),
        ("cols < N", "(cols < M) & (cols < N)", False),
    ],
)
def test_one_condition_implies_another(condition: str, other: str, shown: bool) -> None:
    facts = body(f"cols = tl.arange(0, B)\nc = {condition}\no = {other}")
    one, another = (facts.forms.condition(facts.interpretation.after[name]) for name in "co")
    assert implies(facts.forms, one, another) is shown


@pytest.mark.parametrize(
    ("loop", "always"),
    [
        ("for i in range(3): pass", True),
        ("for i in range(0): pass", False),
        ("for i in range(N): pass", False),
        ("for i in range(0, N, B): pass", False),
        ("for i in range(N, 0, -B): pass", False),
        ("while N > 0: pass", False),
    ],
)
def test_whether_a_loop_runs_whatever_is_passed(loop: str, always: bool) -> None:
    facts = body(loop)
    assert runs_always(facts, facts.loops[0]) is always


@pytest.mark.parametrize(
    ("before", "may"),
    [
        ("", True),
        ("x = M // N", False),
        ("if N:\n    x = M // N", True),
        ("for j in range(M // N):\n    pass", False),
        ("while M:\n    x = M // N", True),
        ("x = M // N if M else 0", True),
        ("x = M // N if M % N else 0", False),
        ("x = (M // N) and M", False),
        ("x = M and (M // N)", True),
        ("if M % N:\n    x = 1", False),
    ],
)
def test_what_was_divided_by_before_is_not_zero(before: str, may: bool) -> None:
    facts = body(f"{before}\nfor i in range(M):\n    a = M // N")
    statement = named(facts, "a")
    assert isinstance(statement, ast.Assign)
    loop = facts.loops[-1].node
    assert may_divide_by_zero(facts, facts.values[statement.value], loop) is may


def test_a_division_by_zero_itself_divides_by_it() -> None:
    facts = body("x = M // 0\nfor i in range(M):\n    a = M // 0")
    statement = named(facts, "a")
    assert isinstance(statement, ast.Assign)
    assert may_divide_by_zero(facts, facts.values[statement.value], facts.loops[0].node)
