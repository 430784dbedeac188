"""Sums over lanes and iterations: one total for one sum, and never one for two."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tests.facts.evaluation import Evaluation, Point
from tests.facts.support import body, form, outer_loop, same, value
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Param, Total
from tritonopt.facts.reductions import accumulation, nodes_of, summed_tile

ROW = """
cols = tl.arange(0, B)
for start in range(0, N, B):
    x = tl.load(X + start + cols, mask=start + cols < N, other=0.0).to(tl.float32)
    {update}
{after}
"""

FOUR = {
    "vector": ("acc = tl.zeros([B], tl.float32)", "acc += x", "a = tl.sum(acc, axis=0)"),
    "scalar": ("acc = 0.0", "acc += tl.sum(x, axis=0)", "a = acc"),
    "where": (
        "acc = tl.zeros([B], tl.float32)",
        "acc = tl.where(start + cols < N, acc + x, acc)",
        "a = tl.sum(acc)",
    ),
    "kept": ("acc = tl.zeros([1], tl.float32)", "acc += tl.sum(x, 0, keep_dims=True)", "a = acc"),
    "square": (
        "acc = tl.zeros([1, B], tl.float32)",
        "acc += x[None, :]",
        "a = tl.sum(tl.sum(acc, axis=1), axis=0)",
    ),
    "single assignment": (
        "acc_0 = tl.zeros([B], tl.float32)\nacc = acc_0",
        "acc_1 = acc + x\n    acc = acc_1",
        "acc_2 = acc\na = acc_2.sum(0)",
    ),
}


def spelled(name: str) -> KernelFacts:
    before, update, after = FOUR[name]
    return body(before + ROW.format(update=update, after=after))


@pytest.mark.parametrize("name", list(FOUR))
def test_every_accumulation_has_one_total(name: str) -> None:
    total = form(spelled(name), "a")
    if name == "square":
        # One axis more, of one lane; the sum over it is no sum.
        assert total.readable == form(spelled("vector"), "a").readable
    assert total == form(spelled("vector"), "a")
    atom = total.sole_atom
    assert atom is not None
    assert isinstance(atom, Total)


@pytest.mark.parametrize("name", ["vector", "scalar", "where", "single assignment"])
def test_accumulations_are_described_alike(name: str) -> None:
    facts = spelled(name)
    found = accumulation(facts, facts.forms, outer_loop(facts), "acc")
    assert found is not None
    assert found.initial is outer_loop(facts).initial["acc"]
    assert facts.forms.of(found.initial).is_zero
    assert found.term.readable.startswith("X[iteration0*B + arange(0, B)]")
    assert found.axes == ((0,) if name == "scalar" else ())
    assert len(found.shape) == 1
    assert found.update is not None


def test_a_scaled_accumulation() -> None:
    facts = body("acc = 0.0\n" + ROW.format(update="acc += tl.sum(x, axis=0) / M", after="a = acc"))
    found = accumulation(facts, facts.forms, outer_loop(facts), "acc")
    assert found is not None
    assert found.scale == Polynomial.of(Param("M")).inverse()


def test_an_accumulation_over_a_nest() -> None:
    facts = body(
        """
        acc = 0.0
        for i in range(N):
            for j in range(M):
                acc += tl.load(X + i * stride + j)
        """
    )
    found = accumulation(facts, facts.forms, outer_loop(facts), "acc")
    assert found is not None
    assert found.loops == tuple(facts.loops)


@pytest.mark.parametrize(
    "update",
    ["acc = acc * 2.0 + x", "acc = x", "acc = tl.maximum(acc, x)", "acc += acc * x", "acc = acc"],
)
def test_other_updates_are_no_accumulation(update: str) -> None:
    facts = body("acc = tl.zeros([B], tl.float32)\n" + ROW.format(update=update, after=""))
    assert accumulation(facts, facts.forms, outer_loop(facts), "acc") is None


def test_an_accumulator_that_is_read_feeds_another() -> None:
    facts = body(
        "acc = 0.0\nother = 0.0\n" + ROW.format(update="acc += 1.0\n    other += acc", after="")
    )
    found = accumulation(facts, facts.forms, outer_loop(facts), "other")
    assert found is not None
    assert found.term.readable == "iteration0 + 1"


def test_what_does_not_vary_comes_out_of_a_sum() -> None:
    whole = "cols = tl.arange(0, B)\nx = tl.load(X + cols)\n"
    assert same(f"{whole}a = tl.sum(x * M, axis=0)\nb = M * tl.sum(x, axis=0)")
    assert same(f"{whole}a = tl.sum(x + M, axis=0)\nb = tl.sum(x, axis=0) + B * M")
    assert not same(f"{whole}a = tl.sum(x * cols, axis=0)\nb = tl.sum(x, 0) * tl.sum(cols, 0)")
    assert not same(f"{whole}a = tl.sum(x * x, axis=0)\nb = tl.sum(x, 0) * tl.sum(x, 0)")


def test_what_does_not_vary_comes_out_of_a_loop() -> None:
    head = "a = 0.0\nb = 0.0\nfor i in range(N):\n"
    assert same(f"{head}    a += tl.load(X + i) * M\n    b += tl.load(X + i)\nb = b * M")
    assert not same(f"{head}    a += tl.load(X + i) * i\n    b += tl.load(X + i)\nb = b * N")


SQUARE = """
i = tl.arange(0, B)[:, None]
j = tl.arange(0, B)[None, :]
a = {a}
b = {b}
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.sum(tl.sum(TILE, axis=1), axis=0)", "tl.sum(tl.sum(TILE, axis=0), axis=0)"),
        ("tl.sum(tl.sum(TILE, axis=1), axis=0)", "tl.sum(TILE)"),
        ("tl.sum(tl.sum(TILE, axis=-1, keep_dims=True))", "tl.sum(TILE)"),
        ("TILE.sum(1).sum(0)", "tl.sum(TILE)"),
    ],
)
@pytest.mark.parametrize("tile", ["i * j * j", "tl.load(X + i * stride + j)"])
def test_the_order_of_axes_does_not_matter(one: str, other: str, tile: str) -> None:
    tile = f"({tile})"
    assert same(SQUARE.format(a=one.replace("TILE", tile), b=other.replace("TILE", tile)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The lanes of two axes of one extent are not the same lanes.
        ("tl.load(X + i + j)", "tl.load(X + 2 * i + 0 * j)"),
        ("i * j", "i * i + 0 * j"),
        ("(i < N) & (j < N)", "(i < N) & (j < 2 * B)"),
        ("tl.load(X + i * M + j)", "tl.load(X + (M + 1) * i + 0 * j)"),
    ],
)
def test_two_axes_are_not_one(one: str, other: str) -> None:
    total = "tl.sum(tl.sum({}, axis=1), axis=0)"
    assert not same(SQUARE.format(a=total.format(one), b=total.format(other)))


def test_a_sum_inside_of_a_sum_keeps_its_own_lanes() -> None:
    facts = body(
        """
        i = tl.arange(0, B)[:, None]
        j = tl.arange(0, B)[None, :]
        inner = tl.sum(i * j + j, axis=1)
        a = tl.sum(inner * inner * tl.arange(0, B), axis=0)
        """
    )
    block = 4
    evaluation = Evaluation({"B": Fraction(block)}, 0, 1)
    expected = sum(i * sum(i * j + j for j in range(block)) ** 2 for i in range(block))
    assert evaluation.form(form(facts, "a"), Point({}, ())) == expected


@pytest.mark.parametrize("axes", [(0, 0), (1, 0)])
def test_totals_are_worth_their_sums(axes: tuple[int, int]) -> None:
    inner, outer = axes
    term = "(i * 7 + j) * (i < N) * (j < M) * i"
    whole = f"tl.sum(tl.sum({term}, axis={inner}), axis={outer})"
    facts = body(SQUARE.format(a=whole, b="0"))
    for n, m in product(range(5), range(5)):
        evaluation = Evaluation({"B": Fraction(4), "N": Fraction(n), "M": Fraction(m)}, 0, 1)
        expected = sum((i * 7 + j) * i for i in range(n) for j in range(m) if i < 4 and j < 4)
        assert evaluation.form(form(facts, "a"), Point({}, ())) == expected


def test_other_reductions() -> None:
    whole = "cols = tl.arange(0, B)\nx = tl.load(X + cols)\n"
    assert same(f"{whole}a = tl.max(x, axis=0)\nb = x.max(0)")
    assert not same(f"{whole}a = tl.max(x, axis=0)\nb = tl.sum(x, axis=0)")
    assert not same(f"{whole}a = tl.max(x, axis=0)\nb = tl.max(x + cols, axis=0)")
    assert not same(SQUARE.format(a="tl.max(i * 2 + j, axis=0)", b="tl.max(i * 2 + j, axis=1)"))
    # The place of the largest of all is not the place of the largest place.
    tile = "tl.load(X + i * stride + j)"
    assert not same(
        SQUARE.format(
            a=f"tl.argmax({tile}, axis=None)", b=f"tl.argmax(tl.argmax({tile}, axis=1), axis=0)"
        )
    )


def test_a_sum_of_conditions_counts() -> None:
    facts = body("cols = tl.arange(0, B)\na = tl.sum((cols < N).to(tl.int32), axis=0)")
    for n in (-3, 0, 2, 9):
        evaluation = Evaluation({"B": Fraction(4), "N": Fraction(n)}, 0, 1)
        assert evaluation.form(form(facts, "a"), Point({}, ())) == min(max(n, 0), 4)


def test_the_innermost_operand_of_a_sum() -> None:
    facts = body(
        SQUARE.format(a="tl.sum(tl.sum(i * j, axis=1), axis=0)", b="tl.sum(i * j, axis=0)")
    )
    tile, axes = summed_tile(value(facts, "a"))
    assert axes == (0, 1)
    assert tile.rank == 2
    assert summed_tile(value(facts, "b"))[1] == (0,)
    assert summed_tile(tile) == (tile, ())


def test_expressions_with_a_value() -> None:
    facts = body("a = N + M")
    found = nodes_of(facts, facts.kernel.node.body)
    assert [type(n).__name__ for n in found] == ["Name", "BinOp", "Name", "Name"]
