"""Effects in order, which may access the same memory, and when a load reads."""

from __future__ import annotations

import pytest

from tests.facts.support import body, effects, facts_of, form, kinds, loads
from tritonopt.facts import EffectKind


def test_effects_stand_in_the_order_of_the_source() -> None:
    facts = body(
        """
        a = tl.load(X)
        tl.store(Y, a)
        for i in range(N):
            tl.atomic_add(X, a)
            tl.debug_barrier()
        foo(X)
        """
    )
    assert kinds(facts) == ["load", "store", "atomic", "barrier", "call"]
    orders = [e.order for e in facts.effects]
    assert orders == sorted(orders)
    (loop,) = facts.loops
    assert [e.order for e in facts.within(loop, loop)] == orders[2:4]
    assert [e.line for e in facts.effects] == sorted(e.line for e in facts.effects)


def test_what_an_effect_is_made_of() -> None:
    facts = body(
        """
        cols = tl.arange(0, B)
        a = tl.load(X + cols, mask=cols < N, other=1.0)
        tl.store(Y + cols, a, mask=cols < M)
        tl.atomic_add(X, 2.0, mask=N > 0)
        """
    )
    load, store, atomic = facts.effects
    assert load.loaded is not None and load.other is not None and load.mask is not None
    assert facts.forms.of(load.other).readable == "1"
    assert store.stored is load.loaded
    assert (load.writes, store.writes, atomic.writes) == (False, True, True)
    assert atomic.stored is not None
    assert facts.forms.of(atomic.stored).readable == "2"
    assert load.name == "load" and not load.volatile and not load.inlined


def test_arguments_by_name() -> None:
    facts = body("tl.store(value=1, pointer=X, mask=N > 0)\na = tl.load(mask=N > 0, pointer=X)")
    for effect in facts.effects:
        assert facts.bases(effect) == {"X"}
        assert effect.mask is not None and not effect.mask.is_none


@pytest.mark.parametrize(
    ("call", "volatile"),
    [
        ("tl.load(X, volatile=True)", True),
        ("tl.load(X, volatile=FLAG)", True),
        ("tl.load(X, volatile=False)", False),
        ("tl.load(X, None, None, (), '', '', '', True)", True),
        ("tl.load(X, cache_modifier='.cv')", True),
    ],
)
def test_volatile(call: str, volatile: bool) -> None:
    (load,) = loads(body(f"a = {call}", "X, FLAG: tl.constexpr"))
    assert load.volatile == volatile


def test_descriptors_and_block_pointers_are_not_followed() -> None:
    facts = body(
        """
        d = tl.make_tensor_descriptor(X, [N, M], [M, 1], [16, 16])
        a = d.load([0, 0])
        d.store([0, 16], a)
        b = d.load([0, 0])
        p = tl.make_block_ptr(Y, (N,), (1,), (0,), (16,), (0,))
        c = tl.load(p, boundary_check=(0,))
        e = tl.load(tl.advance(p, (16,)))
        """
    )
    assert kinds(facts) == ["load", "store", "load", "load", "load"]
    assert [facts.bases(e) for e in facts.effects] == [{"X"}] * 3 + [{"Y"}] * 2
    store = facts.effects[1]
    assert store.stored is facts.effects[0].loaded
    assert store.mask is None
    assert form(facts, "a") != form(facts, "b")
    assert form(facts, "c") != form(facts, "e")


def test_a_descriptor_that_is_passed_in() -> None:
    facts = body("a = D.load([0, 0])\nD.store([0, 0], a)\nD.atomic_add([0, 0], a)", "D")
    assert kinds(facts) == ["load", "store", "atomic"]
    assert all(facts.bases(effect) == {"D"} for effect in facts.effects)
    assert facts.effects[2].stored is facts.effects[0].loaded


def test_functions_that_take_a_descriptor() -> None:
    facts = body(
        """
        d = tl.make_tensor_descriptor(X, [N, M], [M, 1], [16, 16])
        a = tl.load_tensor_descriptor(d, [0, 0])
        tl.store_tensor_descriptor(d, [0, 16], a)
        """
    )
    assert kinds(facts) == ["load", "store"]
    assert all(facts.bases(effect) == {"X"} for effect in facts.effects)
    assert facts.effects[1].stored is facts.effects[0].loaded


@pytest.mark.parametrize("between", ["tl.extra.cuda.gdc_wait()", "gdc.gdc_launch_dependents()"])
def test_loads_before_and_after_a_wait_for_another_kernel_may_differ(between: str) -> None:
    """Nothing in this kernel writes: the one before it does."""
    facts = body(
        f"a = tl.load(X)\n{between}\nb = tl.load(X)\nc = tl.load(X)",
        before="import triton.language.extra.cuda.gdc as gdc\n",
    )
    assert kinds(facts) == ["load", "barrier", "load", "load"]
    assert form(facts, "a") != form(facts, "b")
    assert form(facts, "b") == form(facts, "c")


@pytest.mark.parametrize(
    "statement",
    [
        "p = X.to(tl.pointer_type(tl.float32))",
        "w = triton.next_power_of_2(B)",
        "w = math.ceil(B / 3) + math.log2(B) + math.sqrt(B)",
        "if X.dtype.element_ty.is_fp8():\n    w = 1\nelse:\n    w = 2",
        "if X.dtype.is_ptr():\n    w = X.type.element_ty\nelse:\n    w = tl.float32",
        "w = libdevice.rsqrt(tl.arange(0, B).to(tl.float32))",
        "w = tl.extra.libdevice.tanh(tl.arange(0, B).to(tl.float32))",
        "w = tl.cumsum(tl.arange(0, B), 0) + tl.cdiv(N, B)",
    ],
)
def test_calls_that_only_compute(statement: str) -> None:
    facts = body(
        f"{statement}\na = tl.load(Y + tl.arange(0, B))",
        before="import math\nfrom triton.language.extra import libdevice\n",
    )
    assert kinds(facts) == ["load"]
    assert facts.bases(facts.effects[0]) == {"Y"}


# Which buffer


@pytest.mark.parametrize(
    ("statements", "bases"),
    [
        ("a = tl.load(X)", {"X"}),
        ("a = tl.load(X + tl.arange(0, B))", {"X"}),
        ("a = tl.load(X + N * stride)", {"X"}),
        ("a = tl.load(N * stride + X - 1)", {"X"}),
        ("p = X if N > 0 else Y\na = tl.load(p + 1)", {"X", "Y"}),
        ("if N > 0:\n    X = Y\na = tl.load(X)", {"X", "Y"}),
        ("for i in range(4):\n    a = tl.load(X)\n    X += stride", {"X"}),
        ("for i in range(4):\n    X, Y = Y, X\na = tl.load(X)", {"X", "Y"}),
        ("p = X + tl.arange(0, B)[:, None]\na = tl.load(p)", {"X"}),
        ("a = tl.load(tl.where(N > 0, X, Y))", {"X", "Y"}),
        ("a = tl.load(X + tl.load(Y).to(tl.int64))", {"X"}),
        ("i = tl.where(stride > 0, stride, 0)\na = tl.load(X + i)", {"X"}),
        ("i = 0 if N > 0 else stride * 2\na = tl.load(X + i)", {"X"}),
        ("if N > 0:\n    i = N\nelse:\n    i = N - 1\na = tl.load(X + i)", {"X"}),
        ("a = tl.load(X + tl.minimum(M, N))", {"X"}),
        ("a = tl.load(X + min(M, N))", {"X"}),
        ("a = tl.load(X + tl.arange(0, B).reshape(B, 1))", {"X"}),
        ("a = tl.load(X + tl.cumsum(tl.load(Y + tl.arange(0, B)), 0))", {"X"}),
        ("a = tl.load((X + tl.arange(0, B)).reshape(B, 1))", {"X"}),
        ("a = tl.load(tl.where(N > 0, X, Y) + tl.where(N > 1, N, 0))", {"X", "Y"}),
        ("if N > 0:\n    p = X + N * 2\na = tl.load(p)", {"X"}),
        ("d = M // 2\ni = N % 2\nfor j in range(4):\n    i += 1\na = tl.load(X + i)", {"X"}),
        # Of two that may each be the pointer, nobody knows which one is.
        ("p = Y if N > 0 else 0\na = tl.load(X + p)", None),
        ("p = tl.where(N > 0, stride, 0)\na = tl.load(X + p)", None),
        ("p = None if N > 0 else stride\na = tl.load(X + p)", None),
        ("p = Y.reshape(1, 1)\na = tl.load(X + p)", None),
        ("a = tl.load(X + Y)", None),
        ("a = tl.load(X + stride)", None),
        ("b = tl.load(X)\na = tl.load(X + stride)", {"X"}),
        ("p = tl.load(X).to(tl.pointer_type(tl.float32))\na = tl.load(p)", None),
        ("a = tl.load(X.to(tl.pointer_type(tl.int8)))", None),
        ("a = tl.load(foo(X))", None),
        ("a = tl.load(GLOBAL + 1)", None),
    ],
)
def test_bases(statements: str, bases: set[str] | None) -> None:
    facts = body(statements)
    assert facts.bases(loads(facts)[-1]) == bases


def test_a_number_is_no_pointer() -> None:
    facts = body("for i in range(N):\n    a = tl.load(X + M + i)\nb = M * 2")
    assert facts.pointers == {"X"}
    assert "N" in facts.integers.parameters


def test_addresses_in_two_buffers_are_no_offset() -> None:
    facts = body("p = X if N > 0 else Y\na = tl.load(p + 1)\nb = tl.load(X)\nc = tl.load(Y)")
    (first, *_) = loads(facts)
    assert first.pointer is not None
    assert facts.forms.address(first.pointer)[0] is None


# When


def same_element(statements: str, assume: tuple[str, ...] = ()) -> bool:
    """Whether the first and the last load read the same element."""
    facts = body(statements, assume=assume)
    first, *_, last = loads(facts)
    assert first.loaded is not None and last.loaded is not None
    return facts.forms.of(first.loaded) == facts.forms.of(last.loaded)


A, Z = "a = tl.load(X)\n", "z = tl.load(X)\n"


def test_nothing_between() -> None:
    assert same_element(A + Z)
    assert same_element(A + "b = tl.load(Y)\ntl.device_print('a', b)\n" + Z)
    assert same_element(A + "tl.debug_barrier()\n" + Z), "nobody ever writes"


@pytest.mark.parametrize(
    "between",
    [
        "tl.store(X, 1)",
        "tl.store(X + 1, 1)",
        "tl.store(Y, 1)",  # may be the same buffer
        "tl.atomic_add(X, 1)",
        "tl.atomic_add(Y, 1)",
        "foo()",
        "if N > 0:\n    tl.store(X, 1)",
        "for i in range(N):\n    tl.store(X + i, 1)",
        "tl.inline_asm_elementwise('', '', [N], tl.int32, False, 1)",
    ],
)
def test_a_write_between(between: str) -> None:
    assert not same_element(A + between + "\n" + Z)


def test_buffers_that_are_disjoint() -> None:
    given = ("disjoint(X, Y)",)
    assert same_element(A + "tl.store(Y, 1)\n" + Z, given)
    assert same_element(A + "tl.atomic_add(Y, 1)\n" + Z, given)
    assert not same_element(A + "tl.store(Y + X, 1)\n" + Z, given)
    assert not same_element(A + "p = X if N > 0 else Y\ntl.store(p, 1)\n" + Z, given)


@pytest.mark.parametrize("sync", ["tl.atomic_cas(Y, 0, 1)", "tl.debug_barrier()"])
def test_a_lock_lets_other_programs_write(sync: str) -> None:
    # The buffer is written further down, by every program: after the lock, another's is read.
    assert not same_element(f"{A}{sync}\n{Z}tl.store(X, z + 1)", ("disjoint(X, Y)",))


def test_a_store_in_a_loop_is_seen_in_its_next_iteration() -> None:
    facts = body(
        """
        for i in range(N):
            a = tl.load(X)
            tl.store(X, a + 1)
            b = tl.load(X)
        c = tl.load(X)
        """
    )
    a, b, c = (facts.forms.of(e.loaded) for e in loads(facts) if e.loaded)
    assert len({a.key, b.key, c.key}) == 3
    (loop,) = facts.loops
    assert facts.memory_version(loads(facts)[0])[1] == (loop,)
    assert facts.memory_version(loads(facts)[2])[1] == ()


def test_a_store_in_an_outer_loop_leaves_the_inner_one_alone() -> None:
    facts = body(
        """
        for i in range(N):
            for j in range(M):
                a = tl.load(X)
                b = tl.load(X)
            tl.store(X, a)
        """
    )
    outer, _ = facts.loops
    first, second = loads(facts)
    assert facts.memory_version(first) == facts.memory_version(second)
    assert facts.memory_version(first)[1] == (outer,)


def test_a_loop_that_only_reads_reads_the_same_again() -> None:
    facts = body("for i in range(N):\n    a = tl.load(X)\nb = tl.load(X)")
    first, second = loads(facts)
    assert facts.memory_version(first) == facts.memory_version(second) == (0, ())


LAUNCHED = """
@triton.jit
def kernel(X, Y, N):
    a = tl.load(X)
    tl.store(Y, a)
    b = tl.load(X)


def run(x):
    y = {y}
    kernel[(1,)](x, y, 3)
    return y
"""


@pytest.mark.parametrize(("y", "apart"), [("torch.empty_like(x)", True), ("x.view(-1)", False)])
def test_launches_are_evidence(y: str, apart: bool) -> None:
    facts = facts_of(LAUNCHED.format(y=y), "kernel")
    first, second = loads(facts)
    (store,) = effects(facts, EffectKind.STORE)
    assert facts.may_alias(first, store) is not apart
    assert (facts.memory_version(first) == facts.memory_version(second)) is apart
    shown, why, assumption = facts.why_disjoint("X", "Y")
    assert shown is apart
    assert why
    assert assumption is None
