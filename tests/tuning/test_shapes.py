"""Sizes in `--args`, and the calls that are made of them."""

from __future__ import annotations

import pytest

from tritonopt.tuning.calls import Call
from tritonopt.tuning.shapes import (
    MOST_CALLS,
    calls_of,
    check_ranks,
    how_to,
    scaled_forms,
    with_numbers,
    without_sizes,
)
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_parser import parse


def calls(text: str, *, alternatives: bool = True) -> list[Call]:
    ranged = without_sizes(text)
    return calls_of(parse(ranged.text), ranged.sizes, alternatives=alternatives)


def test_ranges_lists_and_numbers_are_sizes() -> None:
    found = without_sizes("x: f16[m=1024..65536*4, n=1024|4096], w: f16[n], p: f32[k=3..13]")
    assert found.text == "x: f16[m, n], w: f16[n], p: f32[k]"
    assert found.sizes == {"m": (1024, 4096, 16384, 65536), "n": (1024, 4096), "k": (3, 6, 12)}


@pytest.mark.parametrize(
    "text", ["x: f32[m, n], y: =x", "x: f32[n], n % 16 == 0", "x: f32[n], n>=16", "x: f32[2 * n]"]
)
def test_what_is_no_size_stays(text: str) -> None:
    assert without_sizes(text).text == text
    assert not without_sizes(text).sizes


@pytest.mark.parametrize(
    "text, said",
    [
        ("x: f32[m=10..4]", "goes up"),
        ("x: f32[m=1..4*1]", "above 1"),
        ("x: f32[m=0..4]", "from 1"),
        ("x: f32[m=1..4..8]", "write 4096"),
        ("x: f32[m=4], y: f32[m=8]", "other numbers before"),
    ],
)
def test_a_mistake_is_pointed_at(text: str, said: str) -> None:
    with pytest.raises(VerificationError, match=said) as raised:
        without_sizes(text)
    message = str(raised.value).splitlines()
    assert message[1].strip() == text
    assert message[2].endswith("^")


def test_every_combination_is_a_call() -> None:
    found = calls("x: f32[m=2|4, n=8|16], w: f32[n]")
    assert [call.sizes for call in found] == [
        {"m": 2, "n": 8}, {"m": 2, "n": 16}, {"m": 4, "n": 8}, {"m": 4, "n": 16},
    ]  # fmt: skip
    assert found[1].label == "x f32[2, 16], w f32[16]"
    assert found[1].bytes == 4 * (2 * 16 + 16)


def test_types_and_values_that_were_written_are_calls_of_their_own() -> None:
    found = calls("x: f32|f16[n=8], y: f32|f16[n], mode: 'a'|'b'")
    assert [call.label for call in found] == [
        "x f32[8], y f32[8], mode='a'",
        "x f32[8], y f32[8], mode='b'",
        "x f16[8], y f16[8], mode='a'",
        "x f16[8], y f16[8], mode='b'",
    ]
    (one,) = calls("x: f32|f16[n=8], y: f32|f16[n], mode: 'a'|'b'", alternatives=False)
    assert one.label == "x f32[8], y f32[8], mode='a'"


def test_only_calls_of_which_the_facts_hold_are_made() -> None:
    found = calls("x: f32[m=2..8, n=2..8], m <= n")
    assert all(call.sizes["m"] <= call.sizes["n"] for call in found)
    assert len(found) == 6
    with pytest.raises(VerificationError, match="none of these sizes"):
        calls("x: f32[n=4], n > 4")


def test_a_size_without_a_number_is_asked_for() -> None:
    with pytest.raises(VerificationError, match=r"the sizes n have no numbers.*n=1024\.\.32768\*2"):
        calls("x: f32[m=2, n]")


def test_too_many_calls_are_refused() -> None:
    numbers = "|".join(map(str, range(1, 30)))
    with pytest.raises(VerificationError, match=f"more than {MOST_CALLS}"):
        calls(f"x: f32[m={numbers}, n={numbers}]")


def test_what_to_write_can_be_written() -> None:
    text = how_to(parse("x: f32[m, n], w: f32[n], offsets: i32[b + 1] in 0..n cumulative"))
    assert "x: f32[m=1024..65536*4, n=1024..32768*2], w: f32[n]" in text


def test_how_many_rows_there_are_has_to_be_said() -> None:
    with pytest.raises(VerificationError, match="the number of rows") as raised:
        check_ranks(parse("x: f32[..., n], y: f32[...], parts: [f32[n], ...]"))
    asked = "x: f32[m=1024..65536*4, n=1024..32768*2], y: f32[m], parts: [f32[n], ...]"
    assert asked in str(raised.value)
    check_ranks(parse("x: f32[m, n], parts: [f32[n], ...]"))


def test_a_smaller_call_tells_the_compiler_the_same() -> None:
    (call,) = calls("x: f32[m=65536, n=4096], y: f32[k=1000003, n]")
    small = call.smaller(2**26)
    assert small.bytes <= 2**26
    assert small.sizes["n"] == 4096
    assert small.sizes["m"] % 16 == 0 and small.sizes["k"] % 16 == 1000003 % 16
    (row,) = calls("x: f32[n=1073741824]")
    assert row.smaller(2**26) == row


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("x: f32[n, 8]", ["x: f32[n, 8]"]),
        # Rows may have to be whole tiles: of these any number; then rows as they were.
        (
            "x: f16[8192, 2048], w: f16[2048]",
            [
                "x: f16[b, a], w: f16[a], a % 128 == 0",
                "x: f16[b, 2048], w: f16[2048]",
            ],
        ),
        # Equal sizes stay equal, also as bounds and as plain values; no row is that long.
        (
            "x: f32[4096, 60, 100], i: i64[4096] in 0..4095, m: 4096",
            ["x: f32[b, 60, 100], i: i64[b] in 0..b, m: b"],
        ),
        ("x: f32[16777216]", ["x: f32[a], a % 128 == 0"]),
    ],
)
def test_calls_that_are_verified_are_no_larger_than_they_need_be(
    text: str, forms: list[str]
) -> None:
    assert scaled_forms(parse(text), {128, 7, 3}) == forms


def test_rows_of_one_length_keep_it_unless_something_else_is_told_by_them() -> None:
    ranged = without_sizes(
        "x: f32[m=8, n=4096], y: f32[m, k=64|128], z: f32[j=300], i: i32[8] in 0..j"
    )
    text = str(with_numbers(parse(ranged.text), ranged.sizes))
    assert text == "x: f32[m, 4096], y: f32[m, k], z: f32[j], i: i32[8] in 0..j"
