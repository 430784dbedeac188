"""Every case file of every pass: what is said of it, what becomes of it, and whether that is right.

A case is a whole kernel file in a folder named after the pass. Comment lines
before its docstring say what is expected:

    # expect: missed different-mask     left alone, with this reason (without: it is rewritten)
    # expect: analysis hint-can-be-false    left alone, with a note of this reason
    # expect: unchanged                 left alone, for whatever reason
    # expect: silent                    left alone, and nothing is said
    # options: formula=moments          options of the pass
    # with: licm                        another pass that runs too (without: none but the folder's)
    # assume: N % BLOCK == 0            a fact given with --assume; may stand several times
    # safety: assumption                what is allowed beside rounding and contract
    # verify: no, WHY                   not run (without: original and rewritten are compared)
    # verify: always                    compared by `make test` too, as one of its kind
    # verify: counterexample, WHY       there is an example on which they differ, as documented
    # verify: only on a GPU, WHY        run where TRITONOPT_BACKEND=cuda
    # verify: only interpreted, WHY     not run there
    # algebra: no, WHY                  what rounds is not known to be the same algebra

What a case becomes stands beside it in `<case>.expected.py`. To write those files anew,
set TRITONOPT_UPDATE_CASES=1, and read the difference before committing it.

To compare takes seconds, so `make test` does it for some of each pass, which together have every
kind of rewrite that the pass makes (see `kinds`); `make test-all` does it for all of them.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from tritonopt.rewriting.model import Remark, RemarkKind, Safety
from tritonopt.rewriting.pipeline import DEFAULT_SAFETY, RewriteResult, rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.rewriting.registry import select

HERE = Path(__file__).resolve().parent
UPDATE = os.environ.get("TRITONOPT_UPDATE_CASES") == "1"
BACKEND = os.environ.get("TRITONOPT_BACKEND", "interpreter")
EXAMPLES = 4
AT_MOST = 15
"""So many cases of a pass are verified by every run."""
DIRECTIVE = re.compile(r"# (expect|options|with|assume|safety|verify|algebra): (.*)")


@dataclass(frozen=True)
class Case:
    path: Path

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @cached_property
    def text(self) -> str:
        """With the line ends that the file has."""
        return self.path.read_bytes().decode()

    @cached_property
    def directives(self) -> list[tuple[str, str]]:
        found = []
        for line in self.text.splitlines():
            match = DIRECTIVE.fullmatch(line)
            if match is None:
                return found
            found.append((match[1], match[2].strip()))
        return found

    def values(self, key: str) -> list[str]:
        return [value for name, value in self.directives if name == key]

    @property
    def expect(self) -> str:
        return next(iter(self.values("expect")), "passed")

    @property
    def verify(self) -> str:
        return next(iter(self.values("verify")), "yes")

    @property
    def is_run(self) -> bool:
        """Whether original and rewritten are compared on this backend."""
        elsewhere = "only interpreted" if BACKEND == "cuda" else "only on a GPU"
        return not self.verify.startswith(("no", elsewhere))

    @property
    def rounds(self) -> bool:
        """Whether floats are computed in another way, and not only at another time."""
        return any(Safety.ROUNDING in remark.safety for remark in self.rewritten.remarks)

    @property
    def is_always_run(self) -> bool:
        """Whether they are in every run. A difference that is documented is a kind by itself."""
        return self.is_run and self.verify.startswith(("always", "counterexample"))

    @property
    def passes(self) -> list[Pass]:
        """In the order of the catalog. One that was a part of the folder's is not meant by it."""
        name, others = self.path.parent.name, self.values("with")
        options = ",".join(self.values("options"))
        spelled = sorted([f"{name}{{{options}}}" if options else name, *others])
        return [one for one in select(",".join(spelled)) if one.name in (name, *others)]

    @property
    def expected(self) -> Path:
        return self.path.with_suffix(".expected.py")

    @cached_property
    def became(self) -> str:
        """What it is expected to become."""
        return self.expected.read_bytes().decode()

    @cached_property
    def rewritten(self) -> RewriteResult:
        """What the passes make of it, which several tests look at."""
        return self.rewrite(self.text)

    def rewrite(self, text: str) -> RewriteResult:
        return rewrite_source(
            text,
            self.passes,
            path=self.path.name,
            safety=DEFAULT_SAFETY | {Safety(level) for level in self.values("safety")},
            assume=self.values("assume"),
        )


CASES = [
    Case(path) for path in sorted(HERE.glob("*/*.py")) if not path.name.endswith(".expected.py")
]


def cases(*expectations: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case.expect.split()[0] in expectations]
    return pytest.mark.parametrize("case", chosen, ids=[case.name for case in chosen])


@cases("passed")
def test_rewritten_as_expected(case: Case) -> None:
    result = case.rewritten
    assert result.changed, f"{case.path.name} was left alone:\n{said(result)}"
    assert {r.kind for r in result.remarks} == {RemarkKind.PASSED}, said(result)
    if UPDATE:
        case.expected.write_bytes(result.text.encode())
    assert case.expected.exists(), (
        f"{case.expected.name} is missing; write it with TRITONOPT_UPDATE_CASES=1 and read it:\n"
        + difference(case.text, result.text)
    )
    expected = case.expected.read_bytes().decode()
    assert result.text == expected, (
        f"{case.path.name} became something else than {case.expected.name} says:\n"
        + difference(expected, result.text)
    )


@cases("passed")
def test_twice_is_once(case: Case) -> None:
    # That it becomes this is another test's matter.
    once = case.became
    twice = case.rewrite(once).text
    assert twice == once, "a second run changed the text again:\n" + difference(once, twice)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case.is_always_run else pytest.mark.thorough, id=case.name)
        for case in CASES
        if case.expect == "passed"
    ],
)
def test_same_answer(case: Case, tmp_path: Path) -> None:
    if not case.is_run:
        pytest.skip(case.verify)
    # Imported here, because the other tests of this file need no torch.
    from tritonopt.verification import verify

    rewritten = tmp_path / case.path.name
    rewritten.write_bytes(case.became.encode())
    verdict = verify(case.path, rewritten, backend=BACKEND, max_examples=EXAMPLES)
    if case.verify.startswith("counterexample"):
        assert verdict.verdict == "counterexample", verdict
        return
    assert verdict.verdict in ("identical", "equivalent"), (
        f"{case.path.name}: {verdict.verdict}\n"
        f"{verdict.counterexample or verdict.reason}\n" + difference(case.text, case.became)
    )
    assert verdict.examples > EXAMPLES // 2, f"only {verdict.examples} examples counted"
    found = verdict.algebra
    if found is None or BACKEND == "cuda" or case.values("algebra"):
        return
    # Whole numbers have no algebra beside their own.
    assert found.is_same or not (case.rounds or found.is_different), found


def kinds(case: Case) -> set[str]:
    """What kinds of rewrite a case is: by its options, and by what had to hold for it, and how."""
    found = {f"options {spelled}" for spelled in case.values("options")}
    found |= {f"with {name}" for name in case.values("with")}
    found |= {"a fact of the user's" for _ in case.values("assume")}
    found |= {f"safety {level}" for level in case.values("safety")}
    for remark in case.rewritten.remarks:
        if remark.kind is RemarkKind.PASSED:
            found |= {remark.reason, *(f"{c.claim} {c.status.value}" for c in remark.conditions)}
    return found


@pytest.mark.parametrize(
    "name", sorted({case.path.parent.name for case in CASES if case.expect == "passed"})
)
def test_every_kind_of_rewrite_is_verified_in_every_run(name: str) -> None:
    of_pass = [case for case in CASES if case.path.parent.name == name and case.expect == "passed"]
    always = [case for case in of_pass if case.is_always_run]
    assert len(always) <= AT_MOST, "too many cases say `# verify: always`"
    missing = {kind: case for case in of_pass if case.is_run for kind in kinds(case)}
    for kind in {kind for case in always for kind in kinds(case)}:
        missing.pop(kind, None)
    assert not missing, "write `# verify: always` into one of each kind:\n" + "\n".join(
        f"{kind}: {case.path.name}" for kind, case in sorted(missing.items())
    )


@cases("missed")
def test_missed_with_its_reason(case: Case) -> None:
    result = case.rewritten
    assert result.text == case.text, f"{case.path.name} was rewritten:\n" + difference(
        case.text, result.text
    )
    reason = case.expect.removeprefix("missed").strip()
    assert not result.failed, said(result)
    assert {r.kind for r in result.remarks} == {RemarkKind.MISSED}, said(result)
    # A second sweep with several accumulators is several sites, one of which is the case's.
    assert reason in [r.reason for r in result.remarks], said(result)


@cases("analysis")
def test_noted_with_its_reason(case: Case) -> None:
    result = case.rewritten
    assert result.text == case.text, f"{case.path.name} was rewritten:\n" + difference(
        case.text, result.text
    )
    assert not result.failed, said(result)
    reason = case.expect.removeprefix("analysis").strip()
    notes = [r.reason for r in result.remarks if r.kind is RemarkKind.ANALYSIS]
    assert reason in notes, said(result)


@cases("unchanged")
def test_left_alone(case: Case) -> None:
    result = case.rewritten
    assert result.text == case.text, f"{case.path.name} was rewritten:\n" + difference(
        case.text, result.text
    )
    assert not result.failed, said(result)


@cases("silent")
def test_nothing_is_said(case: Case) -> None:
    result = case.rewritten
    assert result.text == case.text, f"{case.path.name} was rewritten:\n" + difference(
        case.text, result.text
    )
    assert not result.remarks, said(result)
    assert result.kernels


def test_every_expected_file_has_its_case() -> None:
    passed = {case.expected for case in CASES if case.expect == "passed"}
    orphans = [path.name for path in HERE.glob("*/*.expected.py") if path not in passed]
    assert not orphans


def test_every_expectation_can_be_read() -> None:
    wrong = [
        f"{case.path.name}: {case.expect}"
        for case in CASES
        if not re.fullmatch(
            r"passed|unchanged|silent|(missed|analysis) [a-z]+(-[a-z]+)*", case.expect
        )
    ]
    assert not wrong


def said(result: RewriteResult) -> str:
    """The remarks, for a failure message."""
    return "\n".join(one(remark) for remark in result.remarks) or "(no remark)"


def one(remark: Remark) -> str:
    lines = [
        f"{remark.kernel}:{remark.line}: {remark.kind.value} {remark.reason} {remark.message}",
    ]
    lines += [
        f"    {condition.claim}: {condition.status.value} {condition.detail}"
        for condition in remark.conditions
    ]
    return "\n".join([*lines, *([f"    {remark.failure}"] if remark.failure else [])])


def difference(old: str, new: str) -> str:
    return "".join(
        difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True))
    )
