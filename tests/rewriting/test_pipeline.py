"""The pipeline: what is applied, what is said, and what happens when a pass fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.toys import (
    AddToDouble,
    AssumingDoubleToAdd,
    Crash,
    DoubleToAdd,
    NoteDoublings,
    RoundingDoubleToAdd,
)
from tritonopt import facts, source
from tritonopt.facts import Polynomial
from tritonopt.rewriting import remarks
from tritonopt.rewriting.dry_run import dry_run
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import RemarkKind, Safety, Site, Status
from tritonopt.rewriting.pipeline import RewriteResult, rewrite_source
from tritonopt.source import SourceError

HEADER = "import triton\nimport triton.language as tl\n\n\n"


def kernel(name: str, *lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"@triton.jit\ndef {name}(X, N, BLOCK: tl.constexpr):\n{body}\n\n"


def file(*kernels: str) -> str:
    return HEADER + "".join(kernels).rstrip("\n") + "\n"


ONE = file(kernel("one", "x = tl.load(X)", "y = x * 2", "tl.store(X, y)"))


def places(result: RewriteResult) -> list[tuple[str, str, int, int]]:
    return [(r.kernel, r.kind.value, r.line, r.column) for r in result.remarks]


def test_an_applied_site_gives_one_passed_remark() -> None:
    result = rewrite_source(ONE, [DoubleToAdd()])
    assert result.text == ONE.replace("x * 2", "x + x")
    assert result.changed and not result.failed
    (remark,) = result.remarks
    assert (remark.kind, remark.kernel) == (RemarkKind.PASSED, "one")
    assert (remark.line, remark.column) == (8, 9)
    assert ONE.splitlines()[7][8:].startswith("x * 2")
    assert remark.conditions[0].status is Status.PROVED


def test_a_note_changes_nothing_and_needs_no_permission() -> None:
    text = file(kernel("one", "x = tl.load(X)", "y = x * 2", "z = tl.load(X) * 2"))
    result = rewrite_source(text, [NoteDoublings()], safety=())
    assert not result.changed
    assert [(r.kind, r.reason) for r in result.remarks] == [
        (RemarkKind.ANALYSIS, ""),
        (RemarkKind.ANALYSIS, "not-a-name"),
    ]


def test_twice_is_once() -> None:
    once = rewrite_source(ONE, [DoubleToAdd()]).text
    again = rewrite_source(once, [DoubleToAdd()])
    assert again.text == once and not again.changed and not again.remarks


def test_a_failed_condition_gives_a_missed_remark_with_its_reason() -> None:
    text = file(kernel("one", "y = (X + 1) * 2"))
    result = rewrite_source(text, [DoubleToAdd()])
    assert not result.changed
    (remark,) = result.remarks
    assert (remark.kind, remark.reason) == (RemarkKind.MISSED, "not-a-name")


def test_what_was_not_allowed_is_missed_for_its_safety() -> None:
    result = rewrite_source(ONE, [RoundingDoubleToAdd()], safety=())
    (remark,) = result.remarks
    assert (remark.kind, remark.reason) == (RemarkKind.MISSED, "safety")
    assert "rounding" in remark.message
    assert remark.safety == {Safety.ROUNDING}
    assert rewrite_source(ONE, [RoundingDoubleToAdd()]).changed
    assert rewrite_source(ONE, [RoundingDoubleToAdd()], safety=["rounding"]).changed


def test_giving_a_fact_is_the_permission_to_rest_on_it() -> None:
    (remark,) = rewrite_source(ONE, [AssumingDoubleToAdd()]).remarks
    assert (remark.kind, remark.reason) == (RemarkKind.MISSED, "safety")
    result = rewrite_source(ONE, [AssumingDoubleToAdd()], safety=(), assume=["N == 4"])
    assert result.changed
    assert result.facts_used == {"N == 4"}
    assert result.kernels == (frozenset({"X", "N", "BLOCK"}),)


def test_a_fact_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(facts.AssumptionError):
        rewrite_source(ONE, [DoubleToAdd()], assume=["N =="])


def test_every_site_of_every_kernel_is_done() -> None:
    text = file(
        kernel("one", "a = X * 2", "b = N * 2"),
        kernel("two", "pass"),
        kernel("three", "c = N * 2"),
    )
    result = rewrite_source(text, [DoubleToAdd()])
    assert "* 2" not in result.text
    assert [r.kernel for r in result.remarks] == ["one", "one", "three"]


def test_remarks_are_ordered_by_kernel_then_pass_and_point_into_the_given_text() -> None:
    @dataclass(frozen=True)
    class Lengthen(AddToDouble):
        """Puts lines in front of every `x - x`, so that everything moves."""

        name = "lengthen"

        def sites(self, facts: Any) -> Iterator[Site]:
            for node in ast.walk(facts.kernel.node):
                if isinstance(node, ast.Assign) and ast.unparse(node).endswith("x - x"):
                    changes = (
                        source.InsertBefore(node, "# one\n# two\nz = 0"),
                        source.ReplaceExpression(node.value, "z"),
                    )
                    yield Site(node, (), "lengthened", changes=changes)

    text = file(
        kernel("one", "x = X", "a = x - x", "b = x * 2", "c = (x + 1) * 2"),
        kernel("two", "x = X", "b = x * 2", "a = x - x"),
    )
    result = rewrite_source(text, [Lengthen(), DoubleToAdd()])
    assert result.text.count("z = 0") == 2
    said = [(r.kernel, r.pass_name, r.kind.value, r.line) for r in result.remarks]
    assert said == [
        ("one", "lengthen", "passed", 8),
        ("one", "double-to-add", "passed", 9),
        ("one", "double-to-add", "missed", 10),
        ("two", "lengthen", "passed", 17),
        ("two", "double-to-add", "passed", 16),
    ]


@pytest.mark.parametrize(
    ("place", "raised"),
    [
        ("sites", "ZeroDivisionError: one over nothing"),
        ("change", "EditConflict"),
        ("nothing", "RuntimeError: the edit changed nothing"),
        ("syntax", "EditConflict"),
    ],
)
def test_a_failure_leaves_its_kernel_and_does_the_others(place: Any, raised: str) -> None:
    first = kernel("first", "a = N * 2")
    bad = kernel("bad", "a = N * 2", "b = X * 2")
    last = kernel("last", "a = N * 2")
    result = rewrite_source(file(first, bad, last), [Crash(place=place)])
    assert result.failed
    assert result.text == file(first.replace("N * 2", "N + N"), bad, last.replace("N * 2", "N + N"))
    assert [(r.kernel, r.kind.value) for r in result.remarks] == [
        ("first", "passed"),
        ("bad", "missed"),
        ("last", "passed"),
    ]
    remark = result.remarks[1]
    assert remark.pass_name == "crash"
    assert remark.reason == "internal-error"
    assert raised in remark.failure
    assert remark.failure in remark.message
    assert "please report it to the maintainers of tests" in remark.message


def test_a_failure_undoes_what_was_done_to_that_kernel_before() -> None:
    @dataclass(frozen=True)
    class Late(Crash):
        """Fails once the kernel has been edited."""

        name = "late"

        def sites(self, facts: Any) -> Iterator[Site]:
            if "N + N" in ast.unparse(facts.kernel.node):
                raise ValueError("too late")
            return super().sites(facts)

    text = file(kernel("bad", "a = N * 2"), kernel("good", "a = X * 2"))
    result = rewrite_source(text, [DoubleToAdd(), Late()])
    assert result.text == text.replace("X * 2", "X + X")
    assert [(r.kernel, r.pass_name) for r in result.remarks] == [
        ("bad", "late"),
        ("good", "double-to-add"),
    ]


def test_facts_that_fail_are_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = facts.of

    def of(kernel: source.Kernel, *given: Any) -> Any:
        if kernel.name == "bad":
            raise KeyError("lost")
        return taken(kernel, *given)

    monkeypatch.setattr(facts, "of", of)
    text = file(kernel("bad", "a = N * 2"), kernel("good", "a = X * 2"))
    result = rewrite_source(text, [DoubleToAdd()])
    assert result.failed and result.text == text.replace("X * 2", "X + X")
    assert result.remarks[0].pass_name == "facts"
    assert "maintainers of tritonopt" in result.remarks[0].message


def test_passes_that_undo_each_other_are_a_defect_of_ours() -> None:
    text = file(kernel("one", "a = N * 2"), kernel("two", "b = (N - 1) * 2"))
    result = rewrite_source(text, [DoubleToAdd(), AddToDouble()])
    assert result.text == text
    assert result.failed
    failure, missed = result.remarks
    assert "no fixed point after 100 edits" in failure.failure
    assert failure.pass_name == "add-to-double, double-to-add"
    assert (missed.kernel, missed.reason) == ("two", "not-a-name")


def test_kernels_that_an_edit_creates_are_visited() -> None:
    text = file(kernel("one", "a = N * 2", "b = N * 3"), kernel("two", "a = N * 2"))
    passes = [Copying(), DoubleToAdd()]
    result = rewrite_source(text, passes, assume=["N == 4"])
    assert result.text.count("def one_copy") == 1 and result.text.count("N + N") == 3
    assert rewrite_source(result.text, passes).text == result.text
    created = [remark for remark in result.remarks if remark.kernel == "one_copy"]
    assert [(r.line, r.column, r.message) for r in created] == [
        (7, 9, "in one_copy, which is new: x * 2 is x + x")
    ]


def test_only_kernels_that_are_meant_have_created_ones() -> None:
    text = file(kernel("one", "a = N * 2"), kernel("two", "a = N * 2"))
    result = rewrite_source(text, [Copying(), DoubleToAdd()], only=Focus(frozenset({"one"})))
    assert result.text.count("N + N") == 2 and result.text.endswith("a = N * 2\n")


def test_kernels_without_end_are_a_defect_of_ours() -> None:
    text = file(kernel("one", "a = N * 2"), kernel("two", "a = N * 2"))
    result = rewrite_source(text, [Copying(endless=True)], only=Focus(frozenset({"one"})))
    assert result.failed and result.text == text
    assert "no fixed point after 100 edits" in result.remarks[0].failure


def test_a_failure_in_a_created_kernel_leaves_it_as_it_was_created() -> None:
    text = file(kernel("one", "a = N * 2"))
    result = rewrite_source(text, [Copying(name_of="bad"), DoubleToAdd(), Crash()])
    assert result.failed and "def bad" in result.text and "N + N" in result.text
    assert [r.kernel for r in result.remarks if r.failure] == ["bad"]


def test_an_edit_that_is_refused_is_missed_and_the_others_are_made() -> None:
    text = file(kernel("one", "a = N * 2", "b = X * 2"))

    def refused(new: str) -> str:
        return "no N" if "N + N" in new else ""

    result = rewrite_source(text, [Copying(), DoubleToAdd()], refused=refused)
    assert "def one_copy" in result.text and result.text.count("X + X") == 2
    missed = [(r.line, r.reason, r.message) for r in result.remarks if r.kernel == "one"][1:]
    assert (7, "left-alone", "no N; would have x * 2 is x + x") in missed


def test_kernels_of_one_name_are_kept_apart() -> None:
    bad = kernel("bad", "a = N * 2")
    text = file(bad, bad)
    result = rewrite_source(text, [Crash()])
    assert result.text == text
    assert [r.line for r in result.remarks] == [6, 11]


def test_facts_are_taken_once_a_kernel_and_round(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    of = facts.of

    def counted(kernel: source.Kernel, *given: Any) -> Any:
        taken.append(kernel.name)
        return of(kernel, *given)

    monkeypatch.setattr(facts, "of", counted)
    text = file(kernel("one", "pass"), kernel("two", "pass"))
    rewrite_source(text, [DoubleToAdd(), AddToDouble()])
    assert taken == ["one", "two"]


def test_a_text_without_kernels_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(source, "read", read)
    text = "def broken(:\n"
    assert rewrite_source(text, [DoubleToAdd()]) == RewriteResult(text, original=text)


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(SourceError, match=r"^k\.py:5:"):
        rewrite_source(HEADER + "@triton.jit(\n", [DoubleToAdd()], path="k.py")


def test_columns_are_characters() -> None:
    text = file(kernel("one", "é = N; y = é * 2"))
    (remark,) = rewrite_source(text, [DoubleToAdd()]).remarks
    assert remark.column == text.splitlines()[6].index("é * 2") + 1


def test_windows_line_ends_stay() -> None:
    text = ONE.replace("\n", "\r\n")
    assert rewrite_source(text, [DoubleToAdd()]).text == text.replace("x * 2", "x + x")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [ONE, ONE.replace("x * 2", "x + 2"), "x = 1\n", "", "import triton; triton.jit; é = 2\n"],
)
def test_a_byte_order_mark_stays(text: str, end: str) -> None:
    text = text.replace("\n", end)
    plain, marked = (rewrite_source(mark + text, [DoubleToAdd()]) for mark in ("", "\ufeff"))
    assert marked.text == "\ufeff" + plain.text and marked.original == "\ufeff" + text
    assert (marked.changed, marked.remarks) == (plain.changed, plain.remarks)
    assert rewrite_source(marked.text, [DoubleToAdd()]).text == marked.text


def test_a_byte_order_mark_is_no_column() -> None:
    with pytest.raises(SourceError) as plain:
        rewrite_source("import triton.jit (\n")
    with pytest.raises(SourceError) as marked:
        rewrite_source("\ufeffimport triton.jit (\n")
    assert str(marked.value) == str(plain.value)
    with pytest.raises(SourceError):  # Python takes one
        rewrite_source("\ufeff\ufeff" + ONE)


def test_a_byte_order_mark_in_files_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text("\ufeffTWO = 2\n", encoding="utf-8")
    text = f"from shapes import TWO\n{ONE}"
    (tmp_path / "kernels.py").write_text("\ufeff" + text, encoding="utf-8")
    program = source.Program([tmp_path / "shapes.py", tmp_path / "kernels.py"])
    path = str(tmp_path / "kernels.py")
    found = rewrite_source("\ufeff" + text, [DoubleToAdd()], path=path, program=program)
    assert found.text == "\ufeff" + text.replace("x * 2", "x + x")


def test_an_unknown_safety_is_an_error() -> None:
    with pytest.raises(ValueError, match="speed"):
        rewrite_source(ONE, [DoubleToAdd()], safety=["speed"])


def test_the_public_face_is_the_same_function() -> None:
    import tritonopt

    assert tritonopt.rewrite_source is rewrite_source
    assert "rewrite_source" in dir(tritonopt)
    with pytest.raises(AttributeError, match="no attribute 'optimise'"):
        _ = tritonopt.optimise


@dataclass(frozen=True)
class Copying(AddToDouble):
    """Puts a copy beside `one`; without end, also beside the copies."""

    name = "copying"
    endless: bool = False
    name_of: str = "one_copy"

    def sites(self, facts: Any) -> Iterator[Site]:
        kernel = facts.kernel
        names = [other.name for other in kernel.module.kernels]
        new = kernel.name + "_copy" if self.endless else self.name_of
        if new not in names and (kernel.name == "one" or self.endless):
            text = kernel.module.text_of(kernel.node).replace(kernel.name, new, 1)
            code = f"@triton.jit\n{text}\n"
            changes = (source.InsertAfter(kernel.node, code),)
            yield Site(kernel.node, (), "a copy", changes=changes)


@dataclass(frozen=True)
class Lengthening(AddToDouble):
    """Puts two lines in front of every `x - x`."""

    name = "lengthening"

    def sites(self, facts: Any) -> Iterator[Site]:
        for node in ast.walk(facts.kernel.node):
            if isinstance(node, ast.Assign) and ast.unparse(node).endswith("x - x"):
                changes = (
                    source.InsertBefore(node, "# one\nz = 0"),
                    source.ReplaceExpression(node.value, "z"),
                )
                yield Site(node, (), f"line {node.lineno} is longer now", changes=changes)


@dataclass(frozen=True)
class Telling(DoubleToAdd):
    """Names lines in its words, as passes do."""

    name = "telling"

    def sites(self, facts: Any) -> Iterator[Site]:
        for site in super().sites(facts):
            first = getattr(site.anchor, "lineno", 0)
            told = f"lines {first - 1} and {first}, or line {first}"
            (condition,) = site.conditions
            conditions = (replace(condition, detail=f"the load in line {first}"),)
            yield replace(site, message=told, conditions=conditions)


def test_words_name_lines_of_the_text_as_given() -> None:
    first = kernel("first", "x = X", "a = x - x", "b = x * 2", "c = (x + 1) * 2")
    text = file(first, first.replace("first", "second"))
    result = rewrite_source(text, [Lengthening(), Telling()])
    assert result.text.count("z = 0") == 2
    said = [(r.line, r.message, [c.detail for c in r.conditions]) for r in result.remarks]
    assert said == [
        (8, "line 8 is longer now", []),
        (9, "lines 8 and 9, or line 9", ["the load in line 9"]),
        (10, "lines 9 and 10, or line 10", ["the load in line 10"]),
        (16, "line 16 is longer now", []),
        (17, "lines 16 and 17, or line 17", ["the load in line 17"]),
        (18, "lines 17 and 18, or line 18", ["the load in line 18"]),
    ]


def test_what_only_looks_sees_the_text_as_given() -> None:
    text = file(kernel("one", "a = X * 2", "b = N * 2"))
    result = rewrite_source(text, [DoubleToAdd(), NoteDoublings()])
    assert "* 2" not in result.text
    assert [(r.pass_name, r.kind.value, r.line) for r in result.remarks] == [
        ("double-to-add", "passed", 7),
        ("double-to-add", "passed", 8),
        ("note-doublings", "analysis", 7),
        ("note-doublings", "analysis", 8),
    ]


def test_a_mistake_that_a_rewrite_would_bring_is_none_of_the_file() -> None:
    text = file(kernel("one", "a = X + X"))
    result = rewrite_source(text, [AddToDouble(), NoteDoublings()])
    assert "X * 2" in result.text
    assert [r.pass_name for r in result.remarks] == ["add-to-double"]


def test_each_kernel_is_read_once_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    from tritonopt.source.editing import edits

    counts = {"kernels": 0, "facts": 0}
    read, of = edits.read, facts.of

    def counted_read(*given: Any) -> Any:
        found = read(*given)
        counts["kernels"] += len(found.kernels)
        return found

    def counted_facts(*given: Any) -> Any:
        counts["facts"] += 1
        return of(*given)

    monkeypatch.setattr(edits, "read", counted_read)
    monkeypatch.setattr(facts, "of", counted_facts)
    kernels = [kernel(f"k{i}", "a = X * 2", "b = N * 2") for i in range(30)]
    result = rewrite_source(file(*kernels), [DoubleToAdd()])
    assert "* 2" not in result.text and len(result.remarks) == 60
    assert counts == {"kernels": 60, "facts": 90}


def test_a_failure_in_an_untouched_kernel_does_not_begin_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[str] = []
    of = facts.of

    def counted(kernel: source.Kernel, *given: Any) -> Any:
        taken.append(kernel.name)
        return of(kernel, *given)

    monkeypatch.setattr(facts, "of", counted)
    bad = [kernel(f"bad{i}", "a = X * 2") for i in range(9)]
    rewrite_source(file(*bad, kernel("good", "a = X * 2")), [Crash()])
    assert taken == [*(f"bad{i}" for i in range(9)), "good", "good"]


def test_a_kernel_waits_for_a_helper_that_changes() -> None:
    """A helper's edit is made before what calls it is looked at, as if one came after the other."""
    helper = "@triton.jit\ndef helper(x):\n    return x * 2\n\n\n"
    text = file(helper, kernel("one", "a = helper(X) * 2", "b = N * 2"))

    @dataclass(frozen=True)
    class AfterHelper(DoubleToAdd):
        """Remembers what the helper was when the caller was edited."""

        name = "after-helper"

        def sites(self, facts: Any) -> Iterator[Site]:
            for site in super().sites(facts):
                yield replace(site, message=facts.kernel.module.text.splitlines()[6].strip())

    result = rewrite_source(text, [AfterHelper()])
    said = [r.message for r in result.remarks if r.kernel == "one" and r.kind.value == "passed"]
    assert said == ["return x + x"]


def test_a_kernel_that_is_too_much_for_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound by work counted: the pass says so, and the others and the other kernels are done."""

    @dataclass(frozen=True)
    class Endless(NoteDoublings):
        """Never comes to an end with kernels whose names begin with `large`."""

        name = "endless"

        def sites(self, facts: Any) -> Iterator[Site]:
            yield from super().sites(facts)
            while facts.kernel.name.startswith("large"):
                Polynomial.constant(1)

    monkeypatch.setattr(remarks, "FORMS_PER_LOOK", 1000)
    text = file(kernel("large", "a = X * 2"), kernel("small", "a = X * 2"))
    result = rewrite_source(text, [Endless(), DoubleToAdd()])
    assert "* 2" not in result.text and not result.failed
    said = [(r.kernel, r.pass_name, r.kind.value, r.reason) for r in result.remarks]
    assert said == [
        ("large", "endless", "missed", "gave-up"),
        ("large", "endless", "analysis", ""),
        ("large", "double-to-add", "passed", ""),
        ("small", "endless", "analysis", ""),
        ("small", "double-to-add", "passed", ""),
    ]
    message = "gave up on large: it takes more than 1,000 forms of its indices"
    assert (result.remarks[0].line, result.remarks[0].message) == (6, message)
    found = dry_run(source.read(text), [Endless(), DoubleToAdd()], frozenset())
    assert [remark.message for remark in found.given_up] == [message]
    assert [(f.chosen.name, f.remark.kernel) for f in found.found] == [
        ("double-to-add", "large"),
        ("endless", "small"),
        ("double-to-add", "small"),
    ]


def test_only_what_is_meant_changes() -> None:
    text = file(kernel("one", "a = X * 2", "b = N * 2"), kernel("two", "a = X * 2", "b = N * 2"))
    for only, lines in (
        (Focus(kernels=frozenset({"two"})), [13, 14]),
        (Focus(lines=frozenset({8})), [8]),
        (Focus(frozenset({"one"}), frozenset({13})), [7, 8, 13]),
        (Focus(), []),
    ):
        result = rewrite_source(text, [DoubleToAdd()], only=only)
        assert [remark.line for remark in result.remarks] == lines
        changed = zip(text.splitlines(), result.text.splitlines(), strict=True)
        assert [n for n, (old, new) in enumerate(changed, 1) if old != new] == lines


def test_what_may_have_another_text_is_left_alone_and_said_so() -> None:
    hidden = kernel("two", "x = tl.load(X)", "tl.store(X, x * 2)").replace(
        "def two", "@rewritten  # by elsewhere\ndef two"
    )
    text = file(ONE.removeprefix(HEADER), "\n\n", hidden)
    result = rewrite_source(text, [DoubleToAdd()])
    assert result.text == text.replace("y = x * 2", "y = x + x")
    passed, missed = result.remarks
    assert passed.kind is RemarkKind.PASSED
    assert (missed.kind, missed.kernel, missed.reason) == (
        RemarkKind.MISSED,
        "two",
        "unknown-decorator",
    )
    assert text.splitlines()[missed.line - 1][missed.column - 1 :].startswith("rewritten")
    assert "@rewritten is below @triton.jit" in missed.message
    assert not rewrite_source(text, [DoubleToAdd()], only=Focus(frozenset({"one"}))).remarks[1:]


IGNORING = """\
import torch
import triton
import triton.language as tl


@triton.jit
def loss(X, Y, N, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row == ignored:
        tl.store(Y + row, 0.0)
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def losses(x, ignored):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    loss[(m,)](x, y, n, ignored, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_no_reason_is_a_line_that_a_pass_wrote_where_the_given_text_has_one() -> None:
    """The loop of grid-stride reads the number of programs, which row-batch declines; it declined
    the kernel as it was given too, and that is the reason that a reader can see."""
    alone = rewrite_source(IGNORING, "row-batch").remarks
    both = rewrite_source(IGNORING, "grid-stride,row-batch")
    assert both.changed
    assert [r for r in both.remarks if r.pass_name == "row-batch"] == list(alone)
    assert [remark.reason for remark in alone] == ["rows-differ"]


BRANCHING = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, W, B, Y, n, negate, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(n):
        w = tl.load(W + cols)
        x = tl.load(X + row * BLOCK + cols)
        if negate:
            x = -x
        tl.store(Y + row * BLOCK + cols, x * w)


def run(x, w, b, negate):
    y = torch.empty_like(x)
    scale[(1,)](x, w, b, y, 3, negate, BLOCK=16)
    return y
"""
AT_LOAD, AT_BRANCH = "        w = tl.load", "        if negate:"


def passed(text: str, passes: str) -> list[str]:
    remarks = rewrite_source(text, passes).remarks
    return sorted({r.pass_name for r in remarks if r.kind is RemarkKind.PASSED})


def test_a_named_pass_runs_alone() -> None:
    assert passed(BRANCHING, "licm") == ["licm"]
    assert rewrite_source(BRANCHING, "licm").text.count("for row in") == 1
    assert passed(BRANCHING, "licm,loop-unswitch") == ["licm", "loop-unswitch"]


def test_a_load_under_a_branch_that_another_pass_moves() -> None:
    def reasons(condition: str) -> list[str]:
        text = BRANCHING.replace("x = -x", "x += tl.load(B + cols)")
        text = text.replace("if negate", f"if {condition}")
        return [r.message for r in rewrite_source(text, "licm").remarks if r.reason]

    assert ["`loop-unswitch`, if also named" in text for text in reasons("negate")] == [True]
    for condition in ("negate > row", "B"):
        assert ["loop-unswitch" in text for text in reasons(condition)] == [False]
    text = BRANCHING.replace("x = -x", "x += tl.load(B + cols)")
    assert not [r for r in rewrite_source(text, "licm,loop-unswitch").remarks if r.reason]


@pytest.mark.parametrize(
    ("place", "name", "left"),
    [
        (AT_LOAD, "licm", ["loop-unswitch"]),
        (AT_BRANCH, "loop-unswitch", ["licm"]),
        (AT_LOAD, "loop-unswitch", ["ignore", "licm", "loop-unswitch"]),
        (AT_BRANCH, "licm", ["ignore", "licm", "loop-unswitch"]),
    ],
)
def test_a_suppression_silences_the_pass_that_it_names(
    place: str, name: str, left: list[str]
) -> None:
    assert place in BRANCHING
    text = BRANCHING.replace(place, f"        # tritonopt: ignore[{name}]\n{place}")
    remarks = rewrite_source(text, "licm,loop-unswitch").remarks
    assert sorted({remark.pass_name for remark in remarks}) == left
    told = [remark.reason for remark in remarks if remark.pass_name == "ignore"]
    assert told == ["suppresses-nothing"] * left.count("ignore")


def test_a_suppression_may_be_meant_for_a_pass_that_did_not_run() -> None:
    text = BRANCHING.replace(AT_LOAD, f"        # tritonopt: ignore[loop-unswitch]\n{AT_LOAD}")
    assert [remark.pass_name for remark in rewrite_source(text, "licm").remarks] == ["licm"]
