"""Helper jit functions of the same file are interpreted where they are called."""

from __future__ import annotations

import pytest

from tests.facts.support import body, expression, facts_of, form, kinds, value
from tritonopt.facts.operations import Op

SUM = """
@triton.jit
def plus(x, y=2, *, z: tl.constexpr = 3):
    return x + y * z
"""


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("plus(N)", "N + 6"),
        ("plus(N, M)", "3*M + N"),
        ("plus(N, y=M)", "3*M + N"),
        ("plus(x=N, z=M)", "2*M + N"),
        ("plus(plus(N))", "N + 12"),
        ("plus(y=N, x=M, z=1)", "M + N"),
    ],
)
def test_arguments(call: str, shown: str) -> None:
    facts = body(f"a = {call}", before=SUM)
    assert form(facts, "a").readable == shown
    assert kinds(facts) == []


def test_a_default_does_not_see_the_parameters() -> None:
    before = "N = 7\n\n@triton.jit\ndef h(N, k=N):\n    return k\n"
    assert form(body("a = h(M)", before=before), "a").readable == "7"


def test_helpers_in_helpers() -> None:
    before = SUM + "\n@triton.jit\ndef outer(x):\n    y = plus(x)\n    return y * x\n"
    assert form(body("a = outer(N)", before=before), "a").readable == "N**2 + 6*N"


def test_names_of_a_helper_are_its_own() -> None:
    before = "@triton.jit\ndef h(x):\n    a = x + 1\n    return a\n"
    facts = body("a = M\nb = h(N)\nc = a", before=before)
    assert form(facts, "c").readable == "M"


def test_tuples_come_back_as_tuples() -> None:
    before = "@triton.jit\ndef both(x, y):\n    return x + y, x - y\n"
    facts = body("a, b = both(N, M)\nc = a + b", before=before)
    assert form(facts, "c").readable == "2*N"


def test_nothing_comes_back_from_a_helper_without_return() -> None:
    facts = body("a = h(X)", before="@triton.jit\ndef h(X):\n    tl.store(X, 0)\n")
    assert value(facts, "a").is_none
    assert kinds(facts) == ["store"]


@pytest.mark.parametrize(
    ("inside", "same"),
    [
        ("if x > 0:\n        return x\n    return -x", "tl.where(N > 0, N, -N)"),
        ("if x > 0:\n        return x\n    else:\n        return -x", "tl.where(N > 0, N, -N)"),
        ("if x > 0:\n        x += 1\n    else:\n        return 5\n    return x", "b"),
        (
            "if x > 0:\n        if x > 4:\n            return 4\n    elif x == 0:\n"
            "        return 1\n    return x",
            "tl.where(N > 0, tl.where(N > 4, 4, N), tl.where(N == 0, 1, N))",
        ),
    ],
)
def test_several_returns_are_a_choice(inside: str, same: str) -> None:
    after = "b = tl.where(N > 0, N + 1, 5)\nc = " + same
    facts = body(f"a = h(N)\n{after}", before=f"@triton.jit\ndef h(x):\n    {inside}\n")
    assert form(facts, "a") == form(facts, "c")


def test_tuples_are_chosen_part_by_part() -> None:
    before = "@triton.jit\ndef h(x):\n    if x > 0:\n        return x, 1\n    return 0, x\n"
    facts = body("a, b = h(N)\nc = tl.where(N > 0, 1, N)", before=before)
    assert form(facts, "b") == form(facts, "c")


def test_a_return_from_a_loop_is_opaque() -> None:
    inside = "for i in range(x):\n        return i"
    facts = body("a = h(N)\nb = h(N)", before=f"@triton.jit\ndef h(x):\n    {inside}\n")
    assert value(facts, "a").op is Op.OPAQUE
    assert form(facts, "a") != form(facts, "b")


def test_what_follows_a_return_under_a_condition_is_guarded() -> None:
    before = """
    @triton.jit
    def h(X, n):
        if n == 0:
            return
        tl.store(X, 0)
    """
    facts = body("h(X, N)\ntl.store(Y, 0)", before=before)
    inner, outer = facts.effects
    assert [g.holds for g in inner.guards] == [False]
    assert outer.guards == ()
    assert not facts.loops


def test_what_follows_a_hidden_return_is_guarded_by_something() -> None:
    before = """
    @triton.jit
    def h(X, n):
        if n > 0:
            if n < 5:
                return
        tl.store(X, 0)
    """
    (store,) = body("h(X, N)", before=before).effects
    assert [g.condition.op for g in store.guards] == [Op.OPAQUE]


def test_recursion_is_a_call_with_unknown_effects() -> None:
    before = "@triton.jit\ndef h(x):\n    return h(x)\n"
    facts = body("a = h(N)", before=before)
    assert "call" in kinds(facts)


def test_mutual_recursion_ends() -> None:
    before = """
    @triton.jit
    def f(x):
        return g(x)

    @triton.jit
    def g(x):
        return f(x)
    """
    assert "call" in kinds(body("a = f(N)", before=before))


@pytest.mark.parametrize(
    "before",
    [
        "def h(x):\n    return x\n",  # not a jit function: nobody knows what it becomes
        "from m import h\n",
        "@triton.jit\ndef h(x):\n    return x\n\nh = other(h)\n",
        "h = None\n",
    ],
)
def test_what_is_no_helper_of_this_file(before: str) -> None:
    facts = body("a = h(N)", before=before)
    assert kinds(facts) == ["call"]


@pytest.mark.parametrize("call", ["plus(N, M, M, M)", "plus(*N)", "plus(N, **M)"])
def test_calls_that_do_not_fit(call: str) -> None:
    assert kinds(body(f"a = {call}", before=SUM)) == ["call"]


def test_effects_and_loops_of_a_helper_stand_at_the_call() -> None:
    before = """
    @triton.jit
    def total(X, n, B: tl.constexpr):
        acc = tl.zeros([B], tl.float32)
        for i in range(0, n, B):
            acc += tl.load(X + i + tl.arange(0, B))
        return tl.sum(acc, axis=0)
    """
    facts = body("a = total(X, N, B)", before=before)
    (load,) = facts.effects
    assert load.inlined
    assert facts.loops[0].inlined
    assert load.loops == (facts.loops[0],)
    assert load.node is facts.kernel.node.body[0].value  # type: ignore[attr-defined]
    spelled = body(
        """
        acc = tl.zeros([B], tl.float32)
        for i in range(0, N, B):
            acc += tl.load(X + i + tl.arange(0, B))
        a = tl.sum(acc, axis=0)
        """
    )
    assert form(facts, "a") == form(spelled, "a")


def test_values_are_kept_for_the_kernels_own_text_only() -> None:
    facts = body("a = plus(N)", before=SUM)
    helper = facts.kernel.module.kernel("plus")
    assert helper is not None
    assert all(node.lineno > helper.node.end_lineno for node in facts.values)  # type: ignore[operator]
    assert expression(facts, "plus(N)") is value(facts, "a")


def test_a_helper_is_a_kernel_too() -> None:
    assert facts_of(SUM, "plus").kernel.name == "plus"
