"""Remarks point into the text that the user has."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonopt.rewriting.line_map import Copy, LineMap
from tritonopt.rewriting.model import Remark, RemarkKind
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


def told_after(old: str, new: str, message: str, line: int = 1, column: int = 1) -> Remark:
    line_map = LineMap(old)
    line_map.follow([Rewritten(0, len(old), new)])
    return line_map.told(Remark("some", RemarkKind.PASSED, "k", line, column, message))


def test_a_line_of_another_file_is_left_alone() -> None:
    said = "lines 2, 3 and line 3 of other.py, and line 3"
    told = told_after("a\nb\nc\n", "x\na\nb\nc\n", said).message
    assert told == "lines 1, 2 and line 3 of other.py, and line 2"


def test_a_line_that_resembles_none_is_said_to_be_rewritten() -> None:
    told = told_after("a = 1\nb = a\n", "a = 1\nnew(n)\nb = a\n", "line 2 asks, and line 3")
    assert told.message == "line 2 (as rewritten) asks, and line 2"


def test_a_changed_line_comes_from_the_one_with_most_words_in_common() -> None:
    old = "row = load(p)\ntotal += load(q + row)\nstore(q + row, total)\n"
    assert origins_of(old, "x = 1\nadd(q + row, total)\n") == [1, 3]


def test_of_equal_statements_the_one_that_went_has_no_place() -> None:
    old, new = "for a:\n  x\nfor a:\n  x\n  y\n", "for a:\n  x\n  y\n"
    line_map = LineMap(old)
    line_map.follow([Rewritten(0, len(old), new, frozenset({2, 3, 4}))])
    assert [line_map.original(line) for line in (1, 2, 3)] == [1, 2, 5]


def test_a_created_kernel_comes_from_the_one_that_was_edited() -> None:
    old = "def k(x):\n    y = x\ndef l(x):\n    y = x\n"
    new = f"{old}def k_rows(x, n):\n    z = n\n    y = x\n"
    line_map = LineMap(old)
    line_map.follow([Rewritten(0, len(old), new)], [Copy(range(1, 3), range(5, 8))])
    assert [line_map.original(line) for line in (5, 7)] == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "column", "expected"),
    [
        ("a\n  b = c\n", "a\nif n:\n    b = c\n", 9, 7),
        ("a\nb = c\n", "a\nif n:\n    b = d + c\n", 13, 5),
        ("a\nb = c\n", "a\nif n:\n    b = d + c + e\n", 17, 1),
    ],
)
def test_a_column_is_that_of_the_same_word(old: str, new: str, column: int, expected: int) -> None:
    remark = told_after(old, new, "", line=3, column=column)
    assert (remark.line, remark.column) == (2, expected)


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(st.lists(lines, min_size=1, max_size=4))
def test_every_line_has_an_origin_in_the_original(texts: list[str]) -> None:
    line_map = LineMap(texts[0])
    for old, text in pairwise(texts):
        line_map.follow([Rewritten(0, len(old), text)])
    count = texts[0].count("\n") + 1
    for line in range(1, texts[-1].count("\n") + 2):
        assert 1 <= line_map.original(line) <= count
