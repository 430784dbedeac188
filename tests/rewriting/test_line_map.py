"""Remarks point into the text that the user has."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tritonopt.rewriting.line_map import LineMap
from tritonopt.source import Rewritten


def origins_of(*texts: str) -> list[int]:
    line_map = LineMap(texts[0])
    for old, text in pairwise(texts):
        line_map.follow([Rewritten(0, len(old), text)])
    return [line_map.original(line) for line in range(1, texts[-1].count("\n") + 1)]


def test_lines_behind_an_insertion_keep_their_origin() -> None:
    assert origins_of("a\nb\nc\n", "a\nnew\nb\nc\n") == [1, 2, 2, 3]


def test_lines_behind_a_removal_keep_their_origin() -> None:
    assert origins_of("a\nb\nc\n", "a\nc\n") == [1, 3]


def test_a_changed_line_stays_where_it_was() -> None:
    assert origins_of("a\nb\nc\nd\n", "a\nB\nC\nC2\nd\n") == [1, 2, 3, 3, 4]


def test_a_line_that_goes_into_a_branch_stays_itself() -> None:
    text = "a\nfor x:\n    b\n    c\nd\n"
    moved = "a\nif y:\n    b\nelse:\n    for x:\n        b\n        c\nd\n"
    assert origins_of(text, moved)[4:] == [2, 3, 4, 5]


def test_two_edits_compose() -> None:
    assert origins_of("a\nb\nc\n", "x\na\nb\nc\n", "x\na\nc\n") == [1, 1, 3]


def test_an_addition_at_the_end_has_an_origin() -> None:
    assert origins_of("a", "a\nb\nc\n") == [1, 1, 1]


def test_only_the_line_ends_of_python_count() -> None:
    line_map = LineMap("a\x0cb\u2028c\r\nd\re\n")
    assert [line_map.original(line) for line in (1, 2, 3)] == [1, 2, 3]


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(st.lists(lines, min_size=1, max_size=4))
def test_every_line_has_an_origin_in_the_original(texts: list[str]) -> None:
    line_map = LineMap(texts[0])
    for old, text in pairwise(texts):
        line_map.follow([Rewritten(0, len(old), text)])
    count = texts[0].count("\n") + 1
    for line in range(1, texts[-1].count("\n") + 2):
        assert 1 <= line_map.original(line) <= count
