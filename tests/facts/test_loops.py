"""Loops: what they carry, how often they run, and what is left when they do not run at all."""

from __future__ import annotations

import pytest

from tests.facts.support import body, form, kinds, loads, same, value
from tritonopt.checks.condition import Declined
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.interpretation import is_made
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value


def trips(facts: KernelFacts, number: int = 0) -> str | None:
    count = facts.forms.trip_count(facts.loops[number])
    return None if count is None else count.readable


def test_a_carried_name() -> None:
    facts = body("a = M\nfor i in range(N):\n    a = a + stride\n    tl.store(X, a)")
    (loop,) = facts.loops
    assert facts.forms.of(loop.initial["a"]).readable == "M"
    assert facts.forms.recurrence_step(loop, "a") == facts.forms.of(value(facts, "stride"))
    (store,) = facts.effects
    assert store.loops == (loop,)
    assert store.stored is not None
    assert facts.forms.of(store.stored).readable == "iteration0*stride + M + stride"


@pytest.mark.parametrize(
    "update",
    [
        "a += stride",
        "a = stride + a",
        "a -= -stride",
        "b = a\n    c = b + stride\n    a = c",
        "a = a + 2 * stride - stride",
        "if B > 4:\n        a += stride\n    else:\n        a = a + stride",
    ],
)
def test_one_step_in_every_spelling(update: str) -> None:
    facts = body(f"a = M\nfor i in range(N):\n    {update}")
    step = facts.forms.recurrence_step(facts.loops[0], "a")
    assert step is not None
    assert step.readable == "stride"


@pytest.mark.parametrize("update", ["a = a * 2", "a = stride", "a, b = b, a", "a = tl.exp(a)"])
def test_what_is_not_an_addition_has_no_step(update: str) -> None:
    facts = body(f"a = M\nb = N\nfor i in range(N):\n    {update}")
    assert facts.forms.recurrence_step(facts.loops[0], "a") is None


def test_names_that_feed_each_other() -> None:
    facts = body("a = M\nb = N\nfor i in range(N):\n    a += b\n    b += a")
    # What is added is not the same in each iteration, so nothing is known of the sum.
    carried = facts.loops[0].carried
    assert facts.forms.recurrence_step(facts.loops[0], "a") == facts.forms.of(carried["b"])
    assert facts.forms.recurrence_step(facts.loops[0], "b") is None
    assert form(facts, "b").readable == "b?"


def test_a_name_that_stays_what_it_was() -> None:
    facts = body("a = M\nfor i in range(N):\n    b = a\n    a = b")
    assert form(facts, "a").readable == "M"


def test_a_name_first_bound_in_a_loop_is_gone_after_it() -> None:
    facts = body("for i in range(N):\n    a = i\nb = a")
    assert value(facts, "b").op is Op.OPAQUE
    assert "a" not in facts.loops[0].carried


def test_the_induction_variable_after_its_loop_is_opaque() -> None:
    assert value(body("i = 3\nfor i in range(N):\n    pass\nb = i"), "b").op is Op.OPAQUE


# How often


@pytest.mark.parametrize(
    ("iterable", "count"),
    [
        ("range(N)", "N"),
        ("range(0, N)", "N"),
        ("range(0, N, 1)", "N"),
        ("range(M, N)", "N - M"),
        ("range(0, N, B)", "cdiv(N, B)"),
        ("range(0, tl.cdiv(N, B))", "cdiv(N, B)"),
        ("range(tl.cdiv(N, B))", "cdiv(N, B)"),
        ("range((N + B - 1) // B)", "cdiv(N, B)"),
        ("range(triton.cdiv(N, B))", "cdiv(N, B)"),
        ("tl.range(0, N, B, num_stages=3)", "cdiv(N, B)"),
        ("tl.range(0, N, step=B)", "cdiv(N, B)"),
        ("tl.range(N, step=B)", "cdiv(N, B)"),
        ("tl.static_range(0, N, B)", "cdiv(N, B)"),
        ("range(0, N * B, B)", "N"),
        ("range(0, 10, 3)", "4"),
        ("range(10, 0, -3)", "4"),
        ("range(0, -5)", "-5"),
        ("range(M * B, N, B)", "cdiv(N, B) - M"),
        # Divisors that may be negative are another matter.
        ("range(tl.cdiv(N, M))", "(M + N - 1)//M"),
        ("range(tl.cdiv(N, -4))", "(N - 5)//(-4)"),
    ],
)
def test_trip_counts(iterable: str, count: str) -> None:
    facts = body(f"cols = tl.arange(0, B)\nfor i in {iterable}:\n    pass")
    assert trips(facts) == count


def test_the_ceiling_of_triton_is_no_ceiling_below_zero() -> None:
    # tl.cdiv(-B, B) is -1 // B, which is 0 at run time; range(0, -B, B) counts -1.
    assert not same("cols = tl.arange(0, B)\na = tl.cdiv(N - 2 * B, B)\nb = tl.cdiv(N, B) - 2")
    assert same("a = tl.cdiv(N, B)\nb = (N + B - 1) // B")


@pytest.mark.parametrize("iterable", ["things", "range(*N)", "range(**N)", "zip(N, M)", "range()"])
def test_other_iterables_run_who_knows_how_often(iterable: str) -> None:
    facts = body(f"for i in {iterable}:\n    tl.store(X, 0)")
    assert trips(facts) is None
    assert facts.loops[0].kind == "other"


def test_a_while_loop() -> None:
    facts = body("i = 0\nwhile i < N:\n    i += 1\n    tl.store(X + i, 0)")
    (loop,) = facts.loops
    assert (loop.kind, trips(facts)) == ("while", None)
    assert facts.effects[0].loops == (loop,)
    assert form(facts, "i").readable == "i?"


def test_the_condition_of_a_while_is_evaluated_in_it() -> None:
    facts = body("while tl.atomic_cas(X, 0, 1) == 1:\n    a = tl.load(Y)")
    (loop,) = facts.loops
    assert all(effect.loops == (loop,) for effect in facts.effects)
    # What is loaded differs from iteration to iteration: a write happens in each.
    assert any(isinstance(leaf, Iteration) for leaf in facts.forms.of(loaded(facts)).leaves())


def loaded(facts: KernelFacts) -> Value:
    (load,) = loads(facts)
    assert load.loaded is not None
    return load.loaded


def test_bounds_are_those_before_the_loop() -> None:
    facts = body("n = N\nfor i in range(n):\n    n = 0")
    assert trips(facts) == "N"


# No iteration at all


def test_an_empty_loop_adds_nothing() -> None:
    assert not same("a = 0\nfor i in range(N):\n    a += 1\nb = N")
    facts = body("a = M\nfor i in range(N):\n    a += stride")
    assert form(facts, "a").readable == "maximum(0, N, )*stride + M"
    assert form(body("a = M\nfor i in range(-3):\n    a += stride"), "a").readable == "M"
    assert form(body("a = M\nfor i in range(3):\n    a += stride"), "a").readable == "3*stride + M"


def test_the_same_count_by_maximum() -> None:
    assert same("a = 0\nfor i in range(N):\n    a += 1\nb = tl.maximum(N, 0)")


# Leaving early


@pytest.mark.parametrize(
    "inner",
    [
        "if i == M:\n        a = 5\n        break",
        "if i == M:\n        a += 5\n        continue",
        "if i == M:\n        a += 5\n        return",
        "a += 1\n    if i == M:\n        continue\n    a += 1",
        "a += 1\n    if i == M:\n        break",
    ],
)
def test_what_a_loop_that_is_left_early_carries_is_unknown(inner: str) -> None:
    facts = body(f"a = stride\nfor i in range(N):\n    {inner}")
    (loop,) = facts.loops
    assert loop.left_early
    assert trips(facts) is None
    assert facts.forms.recurrence_step(loop, "a") is None
    assert form(facts, "a").readable == "a?"


def test_an_inner_loop_that_is_left_early_does_not_taint_the_outer_step() -> None:
    facts = body(
        """
        a = 0
        for i in range(N):
            for j in range(M):
                if j > i:
                    break
            a += 1
        """
    )
    step = facts.forms.recurrence_step(facts.loops[0], "a")
    assert step == Polynomial.constant(1)


def test_the_else_of_a_loop() -> None:
    run = body("a = M\nfor i in range(N):\n    pass\nelse:\n    a = 1")
    assert form(run, "a").readable == "1"
    skipped = body("a = M\nfor i in range(N):\n    if i > M:\n        break\nelse:\n    a = 1")
    assert form(skipped, "a").readable not in ("M", "1")


# Nests


def test_nested_loops() -> None:
    facts = body(
        """
        a = 0
        for i in range(N):
            for j in range(M):
                a += stride
        """
    )
    outer, inner = facts.loops
    assert inner.nest == (outer, inner)
    assert form(facts, "a").readable == "maximum(0, M, )*maximum(0, N, )*stride"


def test_an_inner_loop_over_a_growing_range() -> None:
    facts = body("a = 0\nfor i in range(N):\n    for j in range(i):\n        a += 1")
    assert form(facts, "a").readable == "sum(iteration0)"


def test_pointers_bumped_in_a_loop_are_where_the_index_says() -> None:
    facts = body(
        """
        ptrs = X + tl.arange(0, B)
        for k in range(0, N, B):
            a = tl.load(ptrs)
            b = tl.load(X + k + tl.arange(0, B))
            tl.store(Y, a)
            ptrs += B
        """
    )
    first, second = (facts.forms.address(e.pointer) for e in loads(facts) if e.pointer)
    assert first == second
    assert first[0] == "X"
    assert first[1].readable == "iteration0*B + arange(0, B)"


def test_bumping_twice_in_one_iteration() -> None:
    facts = body(
        """
        for k in range(N):
            a = tl.load(X)
            X += stride
            b = tl.load(X)
            X += stride
        """
    )
    offsets = [facts.forms.address(e.pointer)[1].readable for e in loads(facts) if e.pointer]
    assert offsets == ["2*iteration0*stride", "2*iteration0*stride + stride"]


def test_bumping_in_an_inner_loop_goes_on_in_the_outer() -> None:
    facts = body(
        """
        for i in range(N):
            for j in range(4):
                a = tl.load(X)
                X += 1
            X += stride
        """
    )
    (load,) = loads(facts)
    assert load.pointer is not None
    assert (
        facts.forms.address(load.pointer)[1].readable
        == "iteration0*stride + 4*iteration0 + iteration1"
    )


# Unrolled loops may change anything


def test_a_name_may_change_its_shape_in_an_unrolled_loop() -> None:
    facts = body(
        """
        a = 0.0
        for i in tl.static_range(4):
            a += tl.load(X + i * B + tl.arange(0, B))
        b = tl.sum(a)
        """
    )
    assert value(facts, "a").rank is None
    assert form(facts, "b") != form(facts, "a")
    assert kinds(facts) == ["load"], "interpreted twice, recorded once"


def test_a_name_keeps_its_shape_in_an_unrolled_loop() -> None:
    facts = body(
        """
        a = tl.zeros([B], tl.float32)
        for i in tl.static_range(4):
            a += tl.load(X + i * B + tl.arange(0, B)).to(tl.float32)
        """
    )
    assert value(facts, "a").rank == 1
    assert value(facts, "a").dtype == "fp32"


def test_numbers_are_tensors_once_a_loop_carries_them() -> None:
    facts = body("a = 0.0\nn = 0\nfor i in range(N):\n    a += 1.0\n    n += 1")
    assert (value(facts, "a").dtype, value(facts, "n").dtype) == ("fp32", "int32")


def test_many_names_that_are_computed_from_one_another() -> None:
    # Sixteen of them, as where the rows and columns of a 4 x 4 matrix are scaled in turns: to try
    # every set of them would take hours.
    names = [f"a{number}" for number in range(16)]
    starts = "".join(f"{name} = tl.load(X + {at})\n" for at, name in enumerate(names))
    total = " + ".join(names)
    updates = "".join(f"    {name} = {name} / ({total})\n" for name in names)
    facts = body(f"{starts}i = M\nfor _ in range(N):\n{updates}    i += stride")
    assert form(facts, "a0") != form(facts, "a1")
    step = facts.forms.recurrence_step(facts.loops[0], "i")
    assert step is not None and step.readable == "stride"


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ("p = {X}\nfor i in range(N):\n    p = tl.advance(p, (B,))", "X"),
        ("p = {X}\nfor i in range(N):\n    if i > M:\n        break\n    p = p.advance((B,))", "X"),
        ("p = {X}\nfor i in range(N):\n    for j in range(M):\n        p = p.advance((B,))", "X"),
        ("p = {X}\nfor i in range(N):\n    p = {Y}", "XY"),
        ("p = {X}\nfor i in range(N):\n    if i > M:\n        break\n    p = {Y}", "XY"),
        ("if N:\n    p = {X}\nelse:\n    p = {Y}", "XY"),
        ("p = {X}\nif N:\n    p = tl.advance(p, (B,))", "X"),
        ("p = {X}\nq = p\np = {Y}", "Y"),
        ("p = None\nif N:\n    p = {X}", "X?"),
        ("p = {X}\nif N:\n    p = Y", "X?"),
        ("p = {X}\nfor i in range(N):\n    p = Y", "X?"),
        ("p = {X}\nfor i in range(N):\n    p += 1", "X?"),
        (
            "p = {X}\nfor i in range(N):\n    if i:\n        break\n    with q as p:\n        pass",
            "?",
        ),
        ("p = {X}\nwhile N > 0:\n    if N > M:\n        break\n    import p", "?"),
        ("p = Y", "?"),
    ],
)
def test_where_block_pointers_come_from(statements: str, found: str) -> None:
    made = "tl.make_block_ptr({0}, (N,), (1,), (0,), (B,), (0,))"
    text = statements.replace("{X}", made.format("X")).replace("{Y}", made.format("Y"))
    facts = body(text)
    origins = facts.interpretation.origins(value(facts, "p"))
    assert {o.operand.name if is_made(o) else "?" for o in origins} == set(found)


def test_each_block_pointer_is_another_one() -> None:
    made = "tl.make_block_ptr(X, (N,), (1,), (0,), block_shape=(B,), order=(0,))"
    facts = body(f"p = {made}\nq = {made}")
    p, q = value(facts, "p"), value(facts, "q")
    assert p is not q
    assert p.operands == q.operands
    assert len(p.operands) == 6


COUNTED = {
    "for i in range(N): tl.store(X + i, 0)": "",
    "for i in range(N, 0, -2): tl.store(X + i, 0)": "",
    "for i in tl.range(0, N, num_stages=3): tl.store(X + i, 0)": "",
    "for i in tl.range(N, flatten=False): tl.store(X + i, 0)": "",
    "for i in tl.range(N, flatten=None): tl.store(X + i, 0)": "",
    "for i in tl.range(N, flatten=True): tl.store(X + i, 0)": "loop-options",
    "for i in tl.range(N, flatten=B > 16): tl.store(X + i, 0)": "loop-options",
    "for i in tl.range(N, warp_specialize=True): tl.store(X + i, 0)": "",
    "for i in tl.static_range(4): tl.store(X + i, 0)": "loop-is-not-plain",
    "for i in (1, 2): tl.store(X + i, 0)": "loop-is-not-plain",
    "while M > N: M -= 1": "loop-is-not-plain",
    "for i in range(N):\n    tl.store(X + i, 0)\nelse:\n    tl.store(X, 1)": "loop-is-not-plain",
    "for i in range(N):\n    if i > M:\n        break": "early-exit",
    "for i in range(N):\n    if i > M:\n        continue\n    tl.store(X + i, 0)": "early-exit",
    "for i in range(N):\n    if i > M:\n        return\n    tl.store(X + i, 0)": "early-exit",
    "for i in range(N):\n for j in range(i):\n  if j > M:\n   break": "early-exit",
}


def why_not_counted(statements: str) -> str:
    """The reason for which the first loop is no plain counted one that may be flattened."""
    facts = body(statements)
    try:
        facts.check_counted(facts.loops[0], "flatten")
    except Declined as why:
        return why.condition.reason
    return ""


def test_counted_loops_run_to_their_end() -> None:
    assert {loop: why_not_counted(loop) for loop in COUNTED} == COUNTED
