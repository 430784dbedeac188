"""Forms that take more than the plainest call that works."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.settling.wider_forms import (
    deepened,
    each_once,
    numbered_once,
    told_apart,
    with_groups,
    with_longer,
    with_rows,
)
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.launcher_walk import Evidence


def _counting(rule: Callable[[dict[str, tuple[object, ...]]], bool]) -> Callable[[Signature], int]:
    def taken(signature: Signature) -> int:
        return 4 * rule({t.name: t.shape for t in signature.tensors})

    return taken


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("x: f32[b, m, b], t: i64[b, b] in 0..m", "x: f32[b, m, n], t: i64[b, n] in 0..m"),
        ("x: f32[b, m, b], t: i64[b, b] in 0..m, w: f32[m]",
         "x: f32[b, m, n], t: i64[b, n] in 0..m, w: f32[m]"),
    ],
)  # fmt: skip
def test_the_sides_of_a_square_are_told_apart(found: str, expected: str) -> None:
    taken = _counting(lambda of: of["t"] == (of["x"][0], of["x"][2]))
    assert str(told_apart(parse(found), taken, lambda _: True)) == expected


def test_a_square_that_has_to_be_one_stays() -> None:
    given = parse("x: f32[n, n], y: f32[n]")
    taken = _counting(lambda of: of["x"] == (of["y"][0], of["y"][0]))
    assert told_apart(given, taken, lambda _: True) == given
    assert told_apart(given, lambda _: 4, lambda _: False) == given


def test_a_vector_is_a_row_of_many() -> None:
    given = parse("x: f32[n], t: i64[1] in 0..1")
    taken = _counting(lambda of: of["t"] == ((1,) if len(of["x"]) == 1 else of["x"][:1]))
    assert str(with_rows(given, taken, lambda _: True)) == "x: f32[m, n], t: i64[m] in 0..n"
    alone = _counting(lambda of: len(of["x"]) == 1)
    assert with_rows(given, alone, lambda _: True) == given


def test_what_is_viewed_as_one_has_a_dimension_more() -> None:
    given = parse("x: f32[m, c], w: f32[c], groups: 2")
    evidence = {"x": Evidence(tensor=True, merged=True), "w": Evidence(tensor=True)}
    taken = _counting(lambda of: of["x"][:2] == ("m", "c"))
    deeper = "x: f32[m, c, n], w: f32[c], groups: 2"
    assert str(deepened(given, evidence, taken, lambda _: True)) == deeper
    assert deepened(given, evidence, taken, lambda _: False) == given
    flat = _counting(lambda of: len(of["x"]) == 2)
    assert deepened(given, evidence, flat, lambda _: True) == given
    assert deepened(given, {"x": Evidence(tensor=True)}, taken, lambda _: True) == given


def test_what_programs_store_by_holds_each_number_once() -> None:
    given = parse("x: f32[m, n], slots: i64[m, n] in 0..n, cache: f32[m, n]")

    def whole(signature: Signature) -> bool:
        slots = signature.tensor("slots")
        return slots.kind == "permutation" and slots.shape == ("m",)

    found = numbered_once(given, whole, lambda _, name: name == "slots")
    assert str(found.tensor("slots")) == "slots: i64[m] in permutation"
    assert numbered_once(given, whole, lambda *_: False) == given
    assert numbered_once(given, lambda _: False, lambda *_: True) == given
    assert not list(each_once(given.tensor("x")))


def test_what_was_found_to_be_1_is_longer_where_that_is_taken() -> None:
    given = parse("x: f32[k, 1, 1], y: f32[k, 1, 1], z: f32[1]")
    square = with_longer(given, lambda s: s.tensor("x").shape[1] == 1)
    assert str(square) == "x: f32[k, 1, n], y: f32[k, m, n], z: f32[1]"
    flat = with_longer(given, lambda s: s.tensor("x").shape[1] == s.tensor("y").shape[1] == 1)
    assert str(flat) == "x: f32[k, 1, m], y: f32[k, 1, m], z: f32[1]"
    assert with_longer(given, lambda _: False) == given


def test_what_one_size_divides_is_several_times_as_long() -> None:
    given = parse("q: f32[b, h, d], k: f32[b, h, d], v: f32[b, h, d], out: f32[b, h, d]")
    code = ast.parse("group = H // h_kv\nhalf = d // 2")

    def whole(signature: Signature) -> bool:
        heads = {t.name: t.shape[1] for t in signature.tensors}
        return heads["q"] == heads["out"] and heads["k"] == heads["v"] == "h"

    grouped = "q: f32[b, h * g, d], k: f32[b, h, d], v: f32[b, h, d], out: f32[b, h * g, d]"
    assert str(with_groups(given, code, whole, lambda _: True)) == grouped
    assert with_groups(given, code, whole, lambda _: False) == given
    assert with_groups(given, code, lambda _: False, lambda _: True) == given
    # Where nothing is divided by a size, all of them are one.
    assert with_groups(given, ast.parse("half = d // 2"), whole, lambda _: True) == given


GROUPS = """
import torch
import triton
import triton.language as tl

@triton.jit
def product_kernel(q_ptr, k_ptr, y_ptr, n_q, n_k, d, BLOCK: tl.constexpr):
    b, h = tl.program_id(0), tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + (b * n_q + h) * d + cols, mask=cols < d)
    k = tl.load(k_ptr + (b * n_k + h // (n_q // n_k)) * d + cols, mask=cols < d)
    tl.store(y_ptr + (b * n_q + h) * d + cols, q * k, mask=cols < d)

def product(q: torch.Tensor, k: torch.Tensor):
    b, n_q, d = q.shape
    n_k = k.shape[1]
    assert n_q % n_k == 0 and k.shape == (b, n_k, d)
    y = torch.empty_like(q)
    block = triton.next_power_of_2(d)
    product_kernel[(b, n_q)](q.contiguous(), k.contiguous(), y, n_q, n_k, d, BLOCK=block)
    return y
"""


def test_heads_that_share_one_are_told_from_those_that_take_turns(
    of_texts: Callable[..., Verdict],
) -> None:
    wrong = GROUPS.replace("h // (n_q // n_k)", "h % n_k")
    verdict = of_texts(GROUPS, wrong, backend="interpreter", max_examples=4)
    assert verdict.verdict == "counterexample", verdict.notes
