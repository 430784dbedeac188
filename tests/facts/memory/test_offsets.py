"""Offsets along lanes, tiles that stay below a length, and numbers for which a promise is false."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from tests.facts.support import body, facts_of, value
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, FloorDiv, Maximum, Minimum, Mod, Param
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.memory.offsets import (
    Kind,
    NotConsecutive,
    Offsets,
    evaluator,
    number_of,
    read_offsets,
    stays_below,
)
from tritonopt.passes.contiguity_hints.counterexamples import find_counterexample, promise_about


def kernel(expression: str, assume: Sequence[str] = ()) -> KernelFacts:
    return body(
        f"""
        pid = tl.program_id(0)
        lanes = tl.arange(0, B)
        offs = pid * B + lanes
        index = tl.load(Y + lanes)
        found = {expression}
        tl.store(X + found, lanes)
        """,
        assume=assume,
    )


def offsets(expression: str, assume: Sequence[str] = ()) -> Offsets:
    facts = kernel(expression, assume)
    return read_offsets(facts, value(facts, "found"))


@pytest.mark.parametrize(
    ("expression", "kind", "start", "limit"),
    [
        ("offs", Kind.PLAIN, "program_id(0)*B", None),
        ("lanes + 3", Kind.PLAIN, "3", None),
        ("offs % N", Kind.WRAPPED, "program_id(0)*B", "N"),
        ("(offs + M) % (N * 2)", Kind.WRAPPED, "program_id(0)*B + M", "2*N"),
        ("(offs % N).to(tl.int64)", Kind.WRAPPED, "program_id(0)*B", "N"),
        ("tl.where(offs < N, offs, 0)", Kind.SELECTED, "program_id(0)*B", "N"),
        ("tl.where(offs <= N - 1, offs, 0)", Kind.SELECTED, "program_id(0)*B", "N"),
        ("tl.where(N > offs, offs, 0)", Kind.SELECTED, "program_id(0)*B", "N"),
        ("tl.where(offs >= N, M, offs)", Kind.SELECTED, "program_id(0)*B", "N"),
        ("tl.where(N <= offs, 0, offs)", Kind.SELECTED, "program_id(0)*B", "N"),
        ("tl.where(lanes < N, offs, 0)", Kind.SELECTED, "program_id(0)*B", "program_id(0)*B + N"),
        ("(lanes[:, None] * N + lanes[None, :]) % M", Kind.WRAPPED, "arange(0, B)[:, None]*N", "M"),
        ("offs[:, None] % M", Kind.WRAPPED, "program_id(0)*B", "M"),
    ],
)
def test_read(expression: str, kind: Kind, start: str, limit: str | None) -> None:
    found = offsets(expression)
    assert found.kind is kind
    assert found.start.readable == start
    assert (found.limit.readable if found.limit else None) == limit


def test_the_axis_along_which_they_run() -> None:
    assert offsets("offs[:, None] % M").axis == 1
    assert offsets("(lanes[:, None] * N + lanes[None, :]) % M").axis == 0
    assert offsets("(lanes[:, None] + lanes[None, :] * N) % M").axis == 1


@pytest.mark.parametrize(
    "expression",
    [
        "index",
        "index % N",
        "(2 * lanes) % N",
        "(-lanes) % N",
        "(lanes * N) % M",
        "(lanes // 2) % N",
        "(lanes * lanes) % N",
        "(lanes + lanes // 4) % N",
        "(offs % N) % M",
        "offs % index",
        "offs % (N + lanes)",
        "tl.where(index < N, offs, 0)",
        "tl.where((offs < N) & (offs > 2), offs, 0)",
        "tl.where(offs > N, offs, 0)",
        "tl.where(offs < N, 0, offs)",
        "tl.where(offs < N, offs, lanes)",
        "tl.where(offs == N, offs, 0)",
        "pid % N",
    ],
)
def test_not_consecutive(expression: str) -> None:
    facts = kernel(expression)
    try:
        found = read_offsets(facts, value(facts, "found"))
    except NotConsecutive:
        return
    # What begins at the length instead of ending there never stays below it.
    assert found.kind is Kind.SELECTED
    assert stays_below(facts, Divisibility(facts), found) is None


@pytest.mark.parametrize(
    ("expression", "assume", "below"),
    [
        ("lanes % N", ["B <= N"], True),
        ("lanes % N", ["B < N"], True),
        ("lanes % N", ["B <= N + 1"], False),
        ("lanes % N", [], False),
        ("lanes % (B * 2 - B)", [], True),
        ("offs % N", ["N % B == 0"], False),
    ],
)
def test_stays_below(expression: str, assume: Sequence[str], below: bool) -> None:
    facts = kernel(expression, assume)
    found = read_offsets(facts, value(facts, "found"))
    assert (stays_below(facts, Divisibility(facts), found) is not None) == below


LAUNCHED = """
@triton.jit
def kernel(X, N, B: tl.constexpr):
    offs = tl.program_id({axis}) * B + tl.arange(0, B)
    found = tl.where(offs < N, offs, 0)
    tl.store(X + found, offs)


def run(x, n, m, b):
    {check}
    kernel[{grid}](x, n, B=b)
"""


@pytest.mark.parametrize(
    ("grid", "check", "axis", "below"),
    [
        ("(n // b,)", "pass", 0, True),
        ("(triton.cdiv(n, b),)", "assert n % b == 0", 0, True),
        ("(triton.cdiv(n, b),)", "pass", 0, False),
        ("(triton.cdiv(n, b) + 1,)", "assert n % b == 0", 0, False),
        ("(triton.cdiv(m, b),)", "assert n % b == 0", 0, False),
        ("(triton.cdiv(n, 2 * b),)", "assert n % b == 0", 0, False),
        ("(triton.cdiv(n, b), 1)", "assert n % b == 0", 1, False),
        ("(1, triton.cdiv(n, b))", "assert n % b == 0", 1, True),
        ("lambda meta: (triton.cdiv(n, meta['B']),)", "assert n % b == 0", 0, True),
        ("lambda meta: (triton.cdiv(meta['N'], meta['B']),)", "assert n % b == 0", 0, True),
        ("make(n)", "assert n % b == 0", 0, False),
        ("(4,)", "n, b = 256, 64", 0, True),
        ("(5,)", "n, b = 256, 64", 0, False),
    ],
)
def test_stays_below_by_the_grid(grid: str, check: str, axis: int, below: bool) -> None:
    facts = facts_of(LAUNCHED.format(grid=grid, check=check, axis=axis), "kernel")
    found = read_offsets(facts, value(facts, "found"))
    assert (stays_below(facts, Divisibility(facts), found) is not None) == below


@pytest.mark.parametrize(
    ("expression", "hint", "assume", "text"),
    [
        ("offs % N", "B", [], "N=100, B=64: lane 36 of program 1 wraps to element 0"),
        ("offs % N", "B", ["N % B == 0"], ""),
        ("offs % N", "B", ["N % 32 == 0"], "N=96, B=64: lane 32 of program 1 wraps to element 0"),
        ("lanes % N", "B", ["B <= N"], ""),
        ("tl.where(offs < N, offs, 0)", "B", [], "lane 36 of program 1 selects element 0"),
        ("(offs - 1) % N", "B", ["N % B == 0"], "lane 0 of program 0 is element -1"),
        ("lanes * 3", "B", [], "B=64: lane 1 is element 3, not 1"),
        ("lanes + 3", "B", [], "B=64: lane 0 is element 3, no multiple of 64"),
        ("offs", "B", [], ""),
    ],
)
def test_counterexamples(expression: str, hint: str, assume: Sequence[str], text: str) -> None:
    facts = kernel(expression, assume)
    extent = Polynomial.of(Param(hint))
    promise = promise_about(facts, value(facts, "found"), 0, extent, extent, extent)
    found = find_counterexample(facts, Divisibility(facts), promise)
    assert (text in found) if text else not found, found


def test_the_size_of_another_tile_is_that_of_a_tile() -> None:
    """Lanes are as many as a power of two, whatever else their number divides."""
    facts = body(
        """
        cols = tl.arange(0, C)
        offs = M // tl.cdiv(N, C) * B + tl.arange(0, B)
        found = tl.where(offs < N, offs, 0)
        tl.store(X + found[:, None] * N + cols[None, :], 0)
        """,
        "X, N, M, B: tl.constexpr, C: tl.constexpr",
    )
    extent = Polynomial.of(Param("B"))
    promise = promise_about(facts, value(facts, "found"), 0, extent, extent, extent)
    found = find_counterexample(facts, Divisibility(facts), promise)
    assert re.search(r"\bC=(8|16|32|64|128)\b", found), found


def test_a_form_that_is_made_ready_comes_to_the_same_number() -> None:
    draw = random.Random(5)
    known, moving = Param("n"), [Param("i"), Param("j")]

    def form(depth: int) -> Polynomial:
        if not depth:
            leaf = draw.choice([known, *moving, None])
            number = Polynomial.constant(draw.randrange(-3, 4))
            return number if leaf is None else Polynomial.of(leaf)
        one, other = form(depth - 1), form(depth - 1)
        made = [
            *(one + other, one * other),
            *(Polynomial.of(kind(one, other)) for kind in (CeilDiv, Minimum, Maximum)),
            *(Polynomial.of(kind(one, other, "static")) for kind in (FloorDiv, Mod)),
            Polynomial.of(FloorDiv(one, other, "trunc")),
        ]
        return draw.choice(made)

    for _ in range(500):
        made = form(draw.randrange(4))
        numbers = {known: draw.randrange(-2, 9)}
        evaluate = evaluator(made, numbers, {atom: i for i, atom in enumerate(moving)})
        for _ in range(4):
            place = [draw.randrange(-2, 9) for _ in moving]
            expected = number_of(made, {**numbers, **dict(zip(moving, place, strict=True))})
            assert evaluate(place) == expected
