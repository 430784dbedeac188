"""Every case of every pass: what is said of it, what becomes of it, and whether that is right.

`cases.py` says what a case is, and how the expected differences are written anew. To verify one
takes seconds, so `make test` does it where no record has the very texts; `make test-all` does it
for all of them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.layers import EVERYTHING, everything
from tests.passes.cases import (
    CASES,
    HERE,
    RECORDS,
    RIGHT,
    Case,
    cases_of,
    difference,
    said,
    verdict_of,
    verified,
)
from tests.passes.cases import rewritten as rewritten_cases
from tritonopt.rewriting.model import RemarkKind


def cases(*expectations: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case.expect in expectations]
    return pytest.mark.parametrize("case", chosen, ids=[case.name for case in chosen])


@cases("rewritten")
def test_rewritten_as_expected(case: Case) -> None:
    result = case.rewritten
    assert result.changed, f"{case.name} was left alone:\n{said(result)}"
    assert {r.kind for r in result.remarks} == {RemarkKind.PASSED}, said(result)
    assert case.difference == case.expected, (
        f"{case.name} became something else than {case.suite.stem}.diff says; if it is meant, run\n"
        f"python -m tests.passes.cases {case.pass_name}\n{case.difference}"
    )


@cases("rewritten")
def test_twice_is_once(case: Case) -> None:
    once = case.rewritten.text
    twice = case.rewrite(once).text
    assert twice == once, "a second run changed the text again:\n" + difference(once, twice)


def is_verified_now(case: Case, *records: Path) -> bool:
    """Whether this run does it: all, or what no record has."""
    return everything() or not any(case.texts in verified(one) for one in records)


@cases("rewritten")
def test_same_answer(case: Case, tmp_path: Path) -> None:
    if not case.is_run:
        pytest.skip(case.verify)
    if not is_verified_now(case, *RECORDS):
        return
    verdict, _, reason = verdict_of(case, tmp_path)
    assert verdict in RIGHT, f"{case.name}: {verdict}\n{reason}\n{case.difference}"


def test_what_a_record_does_not_have_is_verified_in_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = next(c for c in rewritten_cases("licm") if c.is_run)

    def record(name: str, verdict: str, *of: Case) -> Path:
        rows = [{"case": c.name, "texts": c.texts, "verdict": verdict} for c in of]
        (tmp_path / name).write_text(json.dumps({"cases": rows}))
        return tmp_path / name

    monkeypatch.delenv(EVERYTHING, raising=False)
    right = record("right", "equivalent", one)
    assert not is_verified_now(one, right)
    assert is_verified_now(replace(one, text=one.text + "\n# changed\n"), right)
    assert is_verified_now(one, record("wrong", "unsupported", one))
    assert is_verified_now(one, record("empty", "equivalent"))
    assert not is_verified_now(one, record("empty", "equivalent"), right)
    monkeypatch.setenv(EVERYTHING, "1")
    assert is_verified_now(one, right)


@cases("not applied", "finding", "unchanged", "silent")
def test_left_alone_as_expected(case: Case) -> None:
    result = case.rewritten
    changed = difference(case.text, result.text)
    assert not changed, f"{case.name} was rewritten:\n{changed}"
    assert not result.failed, said(result)
    if case.expect == "silent":
        assert not result.remarks, said(result)
        assert result.kernels
    if case.expect == "not applied":
        assert {r.kind for r in result.remarks} == {RemarkKind.MISSED}, said(result)
    if case.reason:
        kind = RemarkKind.ANALYSIS if case.expect == "finding" else RemarkKind.MISSED
        # A second sweep with several accumulators is several sites, one of which is the case's.
        assert case.reason in [r.reason for r in result.remarks if r.kind is kind], said(result)


def test_every_expected_difference_has_its_case() -> None:
    recorded = {
        f"{path.parent.name}/{name}"
        for path in HERE.glob("*/*.diff")
        for name in re.findall(r"^--- (\w+)$", path.read_text(), re.MULTILINE)
    }
    assert recorded == {case.name for case in CASES if case.expect == "rewritten"}


def test_every_expectation_can_be_read() -> None:
    pattern = r"rewritten|unchanged|silent|(not applied|finding), [a-z]+(-[a-z]+)*"
    spelled = {case: ", ".join(filter(None, (case.expect, case.reason))) for case in CASES}
    wrong = [c.name for c, spelled_as in spelled.items() if not re.fullmatch(pattern, spelled_as)]
    assert not wrong


def test_what_is_shared_stands_in_several_cases() -> None:
    for suite in HERE.glob("*/*.py"):
        top, *cases = re.split("^# case:", suite.read_text(), flags=re.MULTILINE)
        for name in re.findall(r"^(?:def|class) (\w+)", top if cases else "", re.MULTILINE):
            assert sum(f"\n# shared: {name}\n" in one for one in cases) > 1, f"{suite}: {name}"


def test_no_two_cases_of_a_pass_have_one_name() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))


_SUITE = """import triton


# case: whole
# expect: silent
\"""A kernel.\"""


@triton.jit
def kernel(X):
    a = X
    b = X

    a = X


# case: other
# like: whole
# options: few
\"""The second line, and the last but one, are others.\"""
#     b = X
#-
#-    a = X
#+    a = 2
"""


def test_a_case_that_is_like_another_is_that_one_changed(tmp_path: Path) -> None:
    (tmp_path / "suite.py").write_text(_SUITE)
    whole, other = (case.text for case in cases_of(tmp_path / "suite.py"))
    top = '# options: few\n"""The second line, and the last but one, are others."""\n'
    assert other == top + whole.partition('"""\n')[2].replace("\n\n    a = X", "\n    a = 2")


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("#-    a = X", "#-    a = Y", "stands in the other case no more:\n    b = X\n\n    a = Y"),
        ("#-    a = X", "a = X", "changes cannot be read"),
        ("# like: whole", "# like: other", "is like other, which is no whole case"),
    ],
)
def test_a_change_that_does_not_fit_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "suite.py").write_text(_SUITE.replace(old, new))
    with pytest.raises(AssertionError, match=f"suite.py: other:? .*{re.escape(said)}"):
        list(cases_of(tmp_path / "suite.py"))
