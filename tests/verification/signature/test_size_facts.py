"""Sizes made of others, facts about sizes, and classes of values."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tritonopt.verification import Verdict, VerificationError
from tritonopt.verification.inputs.examples import NONFINITE, Limits, sized_example
from tritonopt.verification.inputs.strategies import drawn
from tritonopt.verification.inputs.values import values_of
from tritonopt.verification.signature import size_facts
from tritonopt.verification.signature.argument_parser import assumed, parse
from tritonopt.verification.signature.size_facts import Fact, fitted

_LIMITS = Limits(2**12, 64, frozenset({"f32", "i64", "i32"}))

LINES = [
    "x: f32[m, 2 * n], y: f32[m, n]",
    "x: f32[n], w: f32[cdiv(n, 16)], n % 16 == 0",
    "x: f32[n] in positive, i: i64[n] in permutation, k: i32[m] in 0..9 sorted",
    "x: f32[n], o: i32[b + 1] in 0..n cumulative, b <= n",
    "x: [f32[2 * n], f32[n]], y: f32[n] in very_negative | None",
    "x: f32[m, n], w: f32[n], groups: g, count: count, n % g == 0, count == m * n",
    "q: f32[1, m, b], f: f32[m, d], b == 2 * d",
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_reads_back_as_it_was_written(line: str) -> None:
    assert str(parse(line)) == line
    assert parse(str(parse(line))) == parse(line)


def test_computed_sizes_are_computed() -> None:
    for example in drawn(parse(LINES[0]), _LIMITS, backward=False, count=20, seed=0):
        (_, columns), (_, half) = (example.tensors[name].shape for name in "xy")
        assert columns == 2 * half


def test_facts_hold_in_every_call() -> None:
    examples = drawn(parse(LINES[1]), _LIMITS, backward=False, count=30, seed=0)
    sizes = {e.tensors["x"].shape[0] for e in examples}
    assert all(size % 16 == 0 for size in sizes) and len(sizes) > 3
    assert sized_example(parse(LINES[1]), {"n": 5}).tensors["x"].shape == (16,)
    assert sized_example(parse(LINES[1]), {"n": 15}).tensors["w"].shape == (1,)


def test_sizes_are_changed_as_little_as_facts_ask_for() -> None:
    assert fitted([Fact("n % 16 == 0")], {"n": 30, "m": 3}) == {"n": 32, "m": 3}
    assert fitted([Fact("m <= n")], {"n": 5, "m": 3}) == {"n": 5, "m": 3}
    found = fitted([Fact("m <= n"), Fact("m % 4 == 0")], {"n": 5, "m": 9})
    assert found["m"] <= found["n"] and found["m"] % 4 == 0


def test_a_divisor_that_no_tensor_has_is_drawn_with_the_size_that_it_divides() -> None:
    examples = drawn(parse(LINES[5]), _LIMITS, backward=False, count=60, seed=0)
    found = set()
    for example in examples:
        m, n = example.tensors["x"].shape
        values = {name: getattr(recipe, "value", 0) for name, recipe in example.arguments}
        assert n % values["groups"] == 0 and values["count"] == m * n
        found.add((n, values["groups"]))
    # Every number of groups, and rows of every length: of an odd one too.
    assert len({groups for n, groups in found}) > 4
    assert any(n % 2 and groups == 1 < n for n, groups in found)
    assert any(1 < groups < n for n, groups in found)


def test_a_size_that_is_a_multiple_of_another_is_drawn_with_its_tails_and_within_limits() -> None:
    examples = drawn(parse(LINES[6]), _LIMITS, backward=False, count=60, seed=0)
    shapes = [example.tensors["q"].shape for example in examples]
    assert all(
        e.tensors["f"].shape[1] * 2 == b for e, (_, _, b) in zip(examples, shapes, strict=True)
    )
    # Two sizes near round ones are found by a search; these are others.
    assert sum(b > 16 and b & (b - 1) != 0 for _, _, b in shapes) > 10
    assert all(m * b <= 2 * _LIMITS.elements for _, m, b in shapes)


def test_a_size_that_is_asked_for_is_kept_where_facts_let_it() -> None:
    groups, halves = [Fact("c % g == 0")], [Fact("b == 2 * d")]
    assert fitted(groups, {"c": 513, "g": 4}) == {"c": 513, "g": 3}
    assert fitted(groups, {"c": 4, "g": 7}) == {"c": 7, "g": 7}
    assert fitted(groups, {"c": 0, "g": 0}) == {"c": 0, "g": 1}
    assert fitted(halves, {"b": 513, "d": 4}) == {"b": 512, "d": 256}
    assert fitted(halves, {"b": 4, "d": 513}) == {"b": 1026, "d": 513}
    assert fitted([*halves, Fact("d == 2 * e")], {"b": 64, "d": 4, "e": 4}) == {
        "b": 64, "d": 32, "e": 16,
    }  # fmt: skip
    # Drawn ones are made smaller, as they were drawn by the room that there is.
    assert fitted(groups, {"c": 13, "g": 5}, smaller=True) == {"c": 10, "g": 5}
    assert fitted(groups, {"c": 4, "g": 7}, smaller=True) == {"c": 4, "g": 4}
    assert fitted(halves, {"b": 513, "d": 4}, smaller=True) == {"b": 8, "d": 4}
    assert fitted(halves, {"b": 7, "d": 513}, smaller=True) == {"b": 6, "d": 3}


MISTAKES = {
    "x: f32[n], k % 16 == 0": (12, "sizes here are n"),
    "x: f32[n], n % 16": (14, "expected"),
    "x: f32[2 * x.size(0)]": (12, "not computed from sizes"),
    "x: f32[n] in permutation": (14, "what f32 can be"),
    "x: i64[n] in positive": (14, "what i64 can be"),
    "x: f32[n] in nice": (19, "`..` between the bounds, or one of"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_shown_where_it_is(line: str) -> None:
    column, text = MISTAKES[line]
    with pytest.raises(VerificationError, match="column") as caught:
        parse(line)
    assert f"column {column}" in str(caught.value) or line == "x: f32[n] in nice"
    assert text in str(caught.value)


def made(kind: str, dtype: torch.dtype, values: str = NONFINITE) -> torch.Tensor:
    found: torch.Tensor = values_of((4, 50), dtype, values, seed=1, low=0, high=9, kind=kind)
    return found


def test_values_are_of_their_class() -> None:
    assert made("finite", torch.float32).isfinite().all()
    assert (made("positive", torch.float32) > 0).all()
    assert (made("negative", torch.float32) < 0).all()
    assert (made("very_negative", torch.float16) <= -1e4).all()
    assert made("very_negative", torch.float16, "1e4 + noise").half().isfinite().all()
    assert (made("permutation", torch.int64).sort(-1).values == torch.arange(50)).all()
    assert (made("sorted", torch.int64).diff(dim=-1) >= 0).all()
    whole = made("cumulative", torch.int32)
    assert (whole.diff(dim=-1) >= 0).all() and (whole[:, [0, -1]] == torch.tensor([0, 9])).all()


_TEXT = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

def launch(x: torch.Tensor):
    (n,) = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""


def test_sizes_are_found_though_one_fact_undoes_another() -> None:
    facts = [Fact("m == n"), Fact("n > 20"), Fact("m % 8 == 0")]
    found = fitted(facts, {"m": 3, "n": 5})
    assert found["m"] == found["n"] > 20 and found["m"] % 8 == 0


def test_facts_that_contradict_each_other_are_an_error() -> None:
    signature = parse("x: f32[m, n], 1 < m")
    assert assumed(signature, ["n % 4 == 0", "n < 100"]).facts[-1] == Fact("n < 100")
    with pytest.raises(VerificationError, match="no sizes were found for which `1 < m` and"):
        assumed(signature, ["n == 0", "n > 3"])
    # Else calls would be drawn of which they do not hold, and the verdict would say that they do.
    with pytest.raises(VerificationError, match="column 27: no sizes were found for which"):
        parse("x: f32[m, n], n == 2 * m, n == 2 * m + 1")


def test_a_rewrite_may_rest_on_what_is_assumed(of_texts: Callable[..., Verdict]) -> None:
    unmasked = _TEXT.replace(", mask=o < n", "")
    assert of_texts(_TEXT, unmasked, max_examples=10).verdict == "counterexample"
    verdict = of_texts(_TEXT, unmasked, assume=["n % 16 == 0"], max_examples=10)
    assert verdict.verdict == "identical", verdict.counterexample
    assert "only calls for which `n % 16 == 0` holds were generated" in verdict.notes


@pytest.mark.parametrize("fact", ["k > 3", "n %", "n", "x.size(0) > 3"])
def test_what_is_no_fact_is_refused(fact: str, of_texts: Callable[..., Verdict]) -> None:
    with pytest.raises(VerificationError, match="--assume, column"):
        of_texts(_TEXT, _TEXT, assume=[fact], max_examples=5)


def test_facts_are_read_once_and_not_for_every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    original = size_facts.parsed

    def counted(text: str, **options: str) -> object:
        read.append(text)
        return original(text, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(size_facts, "parsed", counted)
    # No sizes are such: all that are likely are tried.
    facts = [Fact("u * v == w + 100_003"), Fact("u % 7 == 3"), Fact("v == u + 1")]
    for _ in range(2):
        assert fitted(facts, {"u": 3, "v": 5, "w": 7})
    assert len(read) <= 2 * len(facts)
