"""Every case of every pass: what is said of it, what becomes of it, and whether that is right.

`cases.py` says what a case is, and how the expected differences are written anew. To verify one
takes seconds, so `make test` does it for some of each pass, which together have every kind of
rewrite that the pass makes (see `kinds`); `make test-all` does it for all of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.passes.cases import BACKEND, CASES, EXAMPLES, HERE, Case, difference, said
from tests.passes.cases import rewritten as rewritten_cases
from tritonopt.rewriting.model import RemarkKind

AT_MOST = 15
"""So many cases of a pass are verified by every run."""


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


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case.is_always_run else pytest.mark.thorough, id=case.name)
        for case in CASES
        if case.expect == "rewritten"
    ],
)
def test_same_answer(case: Case, tmp_path: Path) -> None:
    if not case.is_run:
        pytest.skip(case.verify)
    # Imported here, because the other tests of this file need no torch.
    from tritonopt.verification import verify

    before, after = case.written(tmp_path)
    verdict = verify(before, after, backend=BACKEND, max_examples=EXAMPLES)
    if case.verify.startswith("counterexample"):
        assert verdict.verdict == "counterexample", verdict
        return
    assert verdict.verdict in ("identical", "equivalent"), (
        f"{case.name}: {verdict.verdict}\n"
        f"{verdict.counterexample or verdict.reason}\n" + case.difference
    )
    assert verdict.examples > EXAMPLES // 2, f"only {verdict.examples} examples counted"
    found = verdict.algebra
    if found is None or BACKEND == "cuda" or case.values("algebra"):
        return
    # Whole numbers have no algebra beside their own.
    assert found.is_same or not (case.rounds or found.is_different), found


def kinds(case: Case) -> set[str]:
    """What kinds of rewrite a case is: by its options, and by what had to hold for it, and how."""
    given = re.split(r",(?=\w+=)", ",".join(case.values("options")))
    # Numbers are alike: which ones are chosen is said by the texts that are expected.
    found = {f"option {re.sub(r'[0-9]+', 'N', one)}" for one in given if one}
    found |= {f"with {name}" for name in case.values("with")}
    found |= {"a fact of the user's" for _ in case.values("assume")}
    found |= {f"safety {level}" for level in case.values("safety")}
    for remark in case.rewritten.remarks:
        if remark.kind is RemarkKind.PASSED:
            found |= {remark.reason, *(f"{c.claim} {c.status.value}" for c in remark.conditions)}
    return found


@pytest.mark.parametrize(
    "name", sorted({case.pass_name for case in CASES if case.expect == "rewritten"})
)
def test_every_kind_of_rewrite_is_verified_in_every_run(name: str) -> None:
    of_pass = rewritten_cases(name)
    always = [case for case in of_pass if case.is_always_run]
    assert len(always) <= AT_MOST, "too many cases say `# verify: always`"
    missing = {kind: case for case in of_pass if case.is_run for kind in kinds(case)}
    for kind in {kind for case in always for kind in kinds(case)}:
        missing.pop(kind, None)
    assert not missing, "write `# verify: always` into one of each kind:\n" + "\n".join(
        f"{kind}: {case.name}" for kind, case in sorted(missing.items())
    )


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
