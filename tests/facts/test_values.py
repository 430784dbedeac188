"""Values: one object for one meaning, with shape and type where they are certain."""

from __future__ import annotations

import math

import pytest

from tests.facts.support import body, expression, value
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import number_of
from tritonopt.facts.values import ValueTable, broadcast_shapes


@pytest.fixture
def table() -> ValueTable:
    return ValueTable()


def test_equal_nodes_are_one_object(table: ValueTable) -> None:
    n, m = table.make(Op.PARAM, (), "n"), table.make(Op.PARAM, (), "m")
    assert table.make(Op.ADD, (n, m)) is table.make(Op.ADD, (m, n)), "addition commutes"
    assert table.make(Op.SUB, (n, m)) is not table.make(Op.SUB, (m, n))
    assert table.make(Op.MUL, (n, m)) is not table.make(Op.ADD, (n, m))


def test_constants_of_different_kinds_differ(table: ValueTable) -> None:
    constants = [1, 1.0, True, "1", None, 0.0, -0.0, 0]
    assert len({table.constant(c).serial for c in constants}) == len(constants)
    assert table.constant(1) is table.constant(1)


def test_opaque_values_are_equal_to_nothing(table: ValueTable) -> None:
    assert table.opaque("why") is not table.opaque("why")


def test_two_loads_are_two_values() -> None:
    facts = body("a = tl.load(X)\nb = tl.load(X)\nc = a")
    assert value(facts, "a") is not value(facts, "b")
    assert value(facts, "a") is value(facts, "c")


def test_shapes_align_at_the_last_axis(table: ValueTable) -> None:
    one, rows, cols = (
        table.constant(1),
        table.make(Op.PARAM, (), "R"),
        table.make(Op.PARAM, (), "C"),
    )
    assert broadcast_shapes([(rows, one), (one, cols)]) == (rows, cols)
    assert broadcast_shapes([(cols,), (rows, cols)]) == (rows, cols)
    assert broadcast_shapes([(), (rows,)]) == (rows,)
    assert broadcast_shapes([(rows,), (cols,)]) is None
    assert broadcast_shapes([(rows,), None]) is None
    assert broadcast_shapes([]) == ()


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("tl.arange(0, B)", 1),
        ("tl.arange(0, B)[:, None]", 2),
        ("tl.arange(0, B)[None]", 2),
        ("tl.arange(0, B)[None, :, None]", 3),
        ("tl.arange(0, B)[..., None]", 2),
        ("tl.expand_dims(tl.arange(0, B), 1)", 2),
        ("tl.arange(0, B)[:, None] + tl.arange(0, B)[None, :]", 2),
        ("tl.zeros([B, 4], tl.float32)", 2),
        ("tl.zeros((B,), tl.float32)", 1),
        ("tl.full([B], 0.0, tl.float32)", 1),
        ("tl.broadcast_to(N, (B, B))", 2),
        ("tl.sum(tl.zeros([B, 4], tl.float32), axis=1)", 1),
        ("tl.sum(tl.zeros([B, 4], tl.float32), 1, keep_dims=True)", 2),
        ("tl.zeros([B, 4], tl.float32).sum(0)", 1),
        ("tl.sum(tl.zeros([B, 4], tl.float32))", 0),
        ("tl.max(tl.zeros([B, 4], tl.float32), axis=-1)", 1),
        ("tl.load(X + tl.arange(0, B))", 1),
        ("tl.load(X, mask=tl.arange(0, B) < N)", 1),
        ("tl.program_id(0)", 0),
        ("tl.reshape(tl.arange(0, B), (2, B))", 2),
        ("tl.arange(0, B).reshape(B, 1, 1)", 3),
        ("tl.trans(tl.zeros([B, 4], tl.float32))", 2),
        ("tl.zeros([B, 4], tl.float32).T", 2),
        ("tl.dot(tl.zeros([B, 16], tl.float32), tl.zeros([16, B], tl.float32))", 2),
        ("tl.cumsum(tl.zeros([B, 4], tl.float32), 0)", 2),
        ("tl.rand(N, tl.arange(0, B))", 1),
        ("tl.split(tl.zeros([B, 2], tl.float32))[0]", None),
        ("tl.inline_asm_elementwise('not.b32 $0, $1;', '', [X + 0], tl.int32, True, 1)", 0),
        ("tl.permute(tl.zeros([B, 4], tl.float32), (1, 0))", 2),
        ("tl.flip(tl.arange(0, B))", 1),
        ("tl.associative_scan(tl.arange(0, B), 0, combine)", 1),
        ("tl.rand(N, N)", 0),
        ("tl.expand_dims(tl.load(SHAPE), 0)", 1),
        ("tl.argmax(tl.zeros([B, 4], tl.float32), 0)", 1),
        ("tl.reduce(tl.zeros([B, 4], tl.float32), None, combine)", 0),
        ("tl.cast(tl.arange(0, B), tl.float16, 'rtz')", 1),
        ("tl.reshape(tl.arange(0, B), 2, B)", 2),
        # Not known, and so not claimed:
        ("tl.make_block_ptr()", None),
        ("tl.permute(tl.zeros([B, 4], tl.float32), 0, 0)", None),
        ("tl.permute(tl.zeros([B, 4, 2], tl.float32))", None),
        ("tl.split(tl.zeros([B, 2], tl.float32))", None),
        ("tl.associative_scan((tl.arange(0, B), tl.arange(0, B)), 0, combine)", None),
        ("tl.dot(tl.arange(0, B), tl.arange(0, B))", None),
        ("tl.rand(N)", None),
        ("tl.expand_dims(tl.arange(0, B), AXIS)", None),
        ("tl.expand_dims(tl.arange(0, B), 5)", None),
        ("tl.sum(tl.zeros([B, 4], tl.float32), axis=3)", None),
        ("tl.sum(tl.zeros([B, 4], tl.float32), 0, keep_dims=AXIS)", None),
        ("tl.sum(axis=0)", None),
        ("tl.argmax(tl.zeros([B, 4], tl.float32))", None),
        ("tl.argmax(tl.zeros([B, 4], tl.float32), 0, tie_break_left=False)", None),
        ("tl.max(tl.zeros([B, 4], tl.float32), 0, return_indices=True)", None),
        ("tl.reduce(tl.zeros([B, 4], tl.float32), 7, combine)", None),
        ("tl.reduce(tl.zeros([B, 4], tl.float32), 0, combine, keep_dims=True)", None),
        ("tl.reduce(tl.zeros([B, 4], tl.float32), AXIS, combine)", None),
        ("tl.cast(tl.arange(0, B))", None),
        ("tl.rand4x(N, tl.arange(0, B))[0]", None),
        ("tl.reshape(tl.arange(0, B), SHAPE)", None),
        ("tl.zeros(SHAPE, tl.float32)", None),
        ("tl.trans(tl.zeros([B, 4], tl.float32), AXIS, 0)", None),
        ("tl.ravel(tl.zeros([B, 4], tl.float32))", None),
        ("tl.load(SHAPE)[:, None]", None),
        ("tl.sum(tl.zeros([B, 4], tl.float32), axis=AXIS)", None),
        ("tl.reduce(tl.zeros([B, 4], tl.float32), 0, combine)", 1),
    ],
)
def test_ranks(text: str, rank: int | None) -> None:
    facts = body(f"a = {text}", "X, N, B: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr")
    assert value(facts, "a").rank == rank


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("tl.arange(0, B)", "int32"),
        ("tl.program_id(0)", "int32"),
        ("tl.zeros([B], dtype=tl.float32)", "fp32"),
        ("tl.zeros([B], tl.bfloat16)", "bf16"),
        ("tl.arange(0, B) * 2", "int32"),
        ("tl.arange(0, B) / 2", "fp32"),
        ("tl.arange(0, B) < N", "bool"),
        ("tl.load(X).to(tl.float16)", "fp16"),
        ("tl.load(X).to(tl.float16) * 2.0", "fp16"),
        ("tl.load(X).to(tl.float16) + tl.load(X).to(tl.float32)", "fp32"),
        ("tl.cast(N, tl.int64)", "int64"),
        ("tl.zeros([B], dtype=tl.float32).to(tl.zeros([B], dtype=tl.float16).dtype)", "fp16"),
        ("tl.sum(tl.arange(0, B) < N, axis=0)", "int32"),
        # Not certain, and so not claimed:
        ("tl.load(X)", None),
        ("tl.load(X) + 1.0", None),
        ("tl.load(X).to(tl.float16) + tl.load(X).to(tl.bfloat16)", None),
        ("tl.cast(N, tl.int64) + tl.program_id(0)", None),
        ("tl.load(X).to(X.dtype.element_ty)", None),
    ],
)
def test_dtypes(text: str, dtype: str | None) -> None:
    facts = body(f"a = {text}", "X, N, B: tl.constexpr")
    assert value(facts, "a").dtype == dtype


def test_new_axes_go_down_to_the_leaves() -> None:
    facts = body(
        """
        cols = tl.arange(0, B)
        a = (cols * 2 + N)[:, None]
        b = cols[:, None] * 2 + N
        """
    )
    assert value(facts, "a") is value(facts, "b")


def test_fills_of_unknown_type_are_told_apart() -> None:
    facts = body(
        "a = tl.full([B], 0.5, X.dtype.element_ty)\nb = tl.full([B], 0.5, Y.dtype.element_ty)"
    )
    assert value(facts, "a") is not value(facts, "b")


def test_walk_sees_each_value_once() -> None:
    facts = body("a = N + M\nb = a * a + a")
    values = list(value(facts, "b").walk())
    assert len(values) == len(set(values))
    assert value(facts, "a") in values


def test_the_value_of_an_expression_inside() -> None:
    facts = body("a = tl.load(X + N * stride)")
    assert expression(facts, "N * stride").op is Op.MUL


def test_deep_sharing_is_walked_in_no_time() -> None:
    facts = body("a = N\n" + "a = a * a + a\n" * 80)
    assert facts.forms.of(value(facts, "a")) is not None


def test_long_chains_do_not_end_in_recursion() -> None:
    facts = body("a = N\n" + "a = a + M\n" * 2000)
    assert facts.forms.of(value(facts, "a")).readable == "2000*M + N"


def test_masks_that_share_masks_are_seen_in_no_time() -> None:
    facts = body(
        "m = tl.arange(0, B) < N\n"
        + "m = (m & (N > M)) | (m & (M > 3))\n" * 60
        + "a = tl.load(X, m)"
    )
    assert facts.forms.condition(value(facts, "m")) is not None


def test_axes_are_inserted_into_long_chains_and_into_shared_ones() -> None:
    chain = body("a = tl.arange(0, B)\n" + "a = a + N\n" * 900 + "b = a[:, None]")
    assert value(chain, "b").rank == 2
    assert chain.forms.of(value(chain, "b")).readable == "900*N + arange(0, B)[:, None]"
    shared = body("a = tl.arange(0, B)\n" + "a = a * a + a\n" * 60 + "b = a[:, None]")
    assert value(shared, "b").rank == 2


def test_a_type_that_is_called_is_pure() -> None:
    """Like a cast, of which nothing is known but what it is made from."""
    facts = body("a = tl.float32(0.0)\nb = tl.float32(0.0)\nc = tl.float16(0.0)")
    assert not facts.effects
    assert value(facts, "a") is value(facts, "b") is not value(facts, "c")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.0", 1.0),
        ("-1.0", -1.0),
        ("tl.full([B], -float('inf'), tl.float32)", -math.inf),
        ("tl.zeros([B], tl.float32) - 1", -1.0),
        ("-(tl.zeros([B], tl.float32) + 2)", -2.0),
        ("tl.zeros([B], tl.float32) + N", None),
        ("True", None),
        ("'a'", None),
        ("N", None),
        ("-N", None),
    ],
)
def test_the_number_in_all_lanes(text: str, number: float | None) -> None:
    assert number_of(value(body(f"a = {text}"), "a")) == number
