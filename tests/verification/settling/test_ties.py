"""Ties that were guessed are undone where the original takes more, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tritonopt.verification.inputs.examples import (
    PATTERNS,
    Example,
    PlainValue,
    plain_example,
    sized_example,
)
from tritonopt.verification.settling.wider_forms import Ties
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.argument_parser import parse


def undone(text: str, takes: Callable[[Example], bool]) -> tuple[str, list[str]]:
    """The signature, and the other forms, after all ties were tried."""
    ties = Ties(
        lambda form: all(takes(plain_example(form, pattern)) for pattern in PATTERNS),
        lambda form: True,
        lambda form: True,
        lambda: False,
    )
    found = ties.undone(parse(text), set())
    return str(found), [str(form) for form in found.forms]


def test_a_table_is_as_long_as_its_number_says() -> None:
    def takes(example: Example) -> bool:
        number = dict(example.arguments)["count"]
        dy, ids = example.tensors["dy"], example.tensors["ids"]
        within = isinstance(number, PlainValue) and ids.high < int(str(number.value))
        return within and ids.shape == dy.shape[:1] and len(dy.shape) == 2

    found, _ = undone("dy: f32[t, d], ids: i64[t] in 0..d, count: d", takes)
    assert found == "dy: f32[t, d], ids: i64[t] in 0..m, count: m"


def test_groups_are_several() -> None:
    def takes(example: Example) -> bool:
        a, scales = (example.tensors[name].shape for name in ("a", "scales"))
        group = int(str(dict(example.arguments)["group"]))
        return len(a) == len(scales) == 2 and a[1] == group * scales[0]

    found, _ = undone("a: f32[m, k], scales: f32[1, k], group: k", takes)
    assert found == "a: f32[m, k * b], scales: f32[b, n], group: k"


def test_a_half_of_more_than_two() -> None:
    def takes(example: Example) -> bool:
        x, half = example.tensors["x"].shape, example.tensors["half"].shape
        even = len(x) == len(half) == 2 and x[1] == 2 * half[1] and not half[1] & (half[1] - 1)
        return even and x[0] == half[0]

    found, _ = undone("x: f32[m, 2], half: f32[m, 1]", takes)
    assert found == "x: f32[m, 16], half: f32[m, 8]"


def test_sizes_that_are_one_stay_so() -> None:
    def takes(example: Example) -> bool:
        x, w = example.tensors["x"].shape, example.tensors["w"].shape
        return len(x) == 2 and w == x[1:]

    found, forms = undone("x: f32[m, n], w: f32[n]", takes)
    assert found == "x: f32[m, n], w: f32[n]" and not forms


def test_one_row_for_all_is_a_form_of_its_own() -> None:
    def takes(example: Example) -> bool:
        x, mask = example.tensors["x"].shape, example.tensors["mask"].shape
        padded = (1,) * (2 - len(mask)) + mask
        return len(x) == 2 and all(b in (1, a) for a, b in zip(x, padded, strict=True))

    found, forms = undone("x: f32[m, n], mask: bool[m, n]", takes)
    assert found == "x: f32[m, n], mask: bool[m, n]"
    assert forms == [f"x: f32[m, n], mask: bool[{s}]" for s in ("1, n", "m, 1", "n")]


def test_flags_that_lead_somewhere_are_indices() -> None:
    def takes(example: Example) -> bool:
        p, ids = example.tensors["p"], example.tensors["ids"]
        inside = ids.dtype == "bool" or ids.high < p.shape[1]
        return len(p.shape) == 2 and ids.shape[:1] >= p.shape[:1] and inside

    found, _ = undone("p: f32[n, v], ids: bool[n]", takes)
    assert "ids: i64[" in found and "in 0..v" in found


def test_there_is_one_scale_for_each_32_elements() -> None:
    def at(form: Signature, sizes: Mapping[str, int]) -> bool:
        x, scales = (
            t.shape for t in sized_example(form, {"m": 3, "k": 5, **sizes}).tensors.values()
        )
        return scales == (x[0], -(-x[1] // 32))

    given = parse("x: f32[m, k], s: f32[m, 1]")
    takes = (lambda *_: True,) * 3
    found, *_ = Ties(*takes, lambda: False, at=at, divisors=(16, 32))._quotients(given)
    assert str(found) == "x: f32[m, k], s: f32[m, cdiv(k, 32)]"
    # Where one is taken for rows of any length, there is nothing to be found.
    assert not [*Ties(*takes, lambda: False, divisors=(16, 32))._quotients(given)]
