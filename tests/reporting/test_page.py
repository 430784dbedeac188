"""The page of `--report`: what stands on it, that it is whole, that nothing breaks out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.reporting.test_timing_table import GAIN, LOSS
from tritonopt.measurement.results import Comparison, Compiled, Machine, Ratio, Row
from tritonopt.measurement.tuned import (
    ORIGINAL,
    TUNED,
    Answer,
    Applied,
    Evidence,
    Fate,
    Tried,
    TunedRow,
)
from tritonopt.reporting.findings import (
    FileFindings,
    PairFinding,
    Replacement,
    Suggestion,
    Summary,
)
from tritonopt.reporting.page import rendering
from tritonopt.reporting.page.compiled_kernels import table_of_verdict
from tritonopt.reporting.page.findings_page import rewrite_page, suggest_page
from tritonopt.reporting.page.heat_map import heat_maps
from tritonopt.reporting.page.places import meaning_of
from tritonopt.reporting.page.rendering import MOST_BYTES, rendered
from tritonopt.reporting.page.side_by_side import diff_of
from tritonopt.reporting.page.timed_calls import saved_text
from tritonopt.reporting.page.timing_page import timing_page
from tritonopt.reporting.page.tuning_page import tuning_page
from tritonopt.reporting.page.verdict_page import pairs_page, verdict_page
from tritonopt.reporting.text import Style
from tritonopt.reporting.timing_table import call_labels
from tritonopt.reporting.tuning_table import tuning_lines
from tritonopt.rewriting.model import Condition, Remark, RemarkKind, Status
from tritonopt.verification.process import compiled_programs as code
from tritonopt.verification.process.compiled_programs import Program
from tritonopt.verification.verdict import Algebra, Verdict

FACTS = {"Command": "tritonopt suggest x.py"}
EVIL = "</script><script>alert(1)</script>{{ 7 * 191 }}{% raw %}<img src=x onerror=alert(1)>\"'&"
CODE = f'x = 1\ny = """{EVIL}\n{EVIL}"""\nz = x + y  # {EVIL}\n'
_VOID = {"meta", "br", "wbr", "col", "rect"}


class Page(HTMLParser):
    """A page as a browser would read it; what is not closed in its place raises."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name != "style"
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "action", "data", "srcset", "poster"):
                self.targets.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.said.append(data)

    @property
    def text(self) -> str:
        return "".join(self.said)


def read(text: str) -> Page:
    """A page that can be shown: whole, closed, small, and asking for nothing from elsewhere."""
    assert len(text.encode()) <= MOST_BYTES
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids)
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)
    assert "script" not in page.tags and "img" not in page.tags and "link" not in page.tags
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert "url(" not in style and "@import" not in style
    assert "default-src 'none'" in text
    return page


def remark(line: int, kind: RemarkKind = RemarkKind.PASSED, **more: object) -> Remark:
    claim = Condition("same-range", Status.PROVED, f"because {EVIL}")
    failed = Condition("same-elements", Status.UNKNOWN, "not seen")
    conditions = (claim, failed) if kind is RemarkKind.MISSED else (claim,)
    given: dict[str, object] = {"message": f"merge {EVIL}", "conditions": conditions, **more}
    return Remark("fuse-stats", kind, "kernel", line, 1, **given)  # type: ignore[arg-type]


def suggested(*found: Suggestion, path: str = f"a{EVIL}.py", **more: object) -> FileFindings:
    return FileFindings(path, 1, before=CODE, suggestions=found, **more)  # type: ignore[arg-type]


def summary_of(*files: FileFindings) -> Summary:
    summary = Summary()
    for file in files:
        summary.add(file)
    return summary


def test_a_suggestion_is_shown_and_everything_in_it_is_text() -> None:
    fix = (Replacement(4, 5, "z = x - y\n"),)
    file = suggested(
        Suggestion(remark(4), f"why {EVIL}", f"0.90x to 1.50x {EVIL}", f"do {EVIL}", fix),
        left_alone=(remark(2, RemarkKind.MISSED, reason="same-elements"),),
        errors=(f"failed {EVIL}",),
        notes=(f"note {EVIL}",),
    )
    page = read(rendered(suggest_page([file], summary_of(file), {"Command": EVIL})))
    for said in ("merge ", "why ", "0.90x to 1.50x ", "do ", "because ", "failed ", "note "):
        assert f"{said}{EVIL}" in page.text
    assert "1337" not in page.text
    assert "Nothing was timed in this run" in page.text
    assert "1 condition: 1 proved" in page.text
    assert "unknown" in page.text and "1 other conditions hold" in page.text
    assert "z = x - y" in page.text


def test_a_long_path_is_broken_between_its_parts() -> None:
    for path, shown in (("a/b_c.py", "a/b_c.py"), (f"{'x' * 40}/b.py", f"{'x' * 40}/<wbr>b.py")):
        file = suggested(Suggestion(remark(1)), path=path)
        page = rendered(suggest_page([file], summary_of(file), FACTS))
        assert f">{shown}:1</a>" in page


def test_mistakes_come_first_then_what_is_worth_most() -> None:
    best = Suggestion(remark(1, message="best"), worth="1.10x to 9.00x on one H200")
    good = Suggestion(remark(2, message="good"), worth="1.05x on one H200")
    wrong = Suggestion(remark(3, RemarkKind.ANALYSIS, message="wrong"))
    files = [
        suggested(good, path="good.py"),
        suggested(wrong, path="w.py"),
        suggested(best, path="b.py"),
    ]
    text = read(rendered(suggest_page(files, summary_of(*files), FACTS))).text
    assert text.index("wrong") < text.index("best") < text.index("good")


def test_a_rewrite_has_its_diff_its_evidence_and_the_command() -> None:
    verdict = Verdict(
        "equivalent",
        "interpreter: x86_64, triton 3.7",
        34,
        worst_error=1e-7,
        oracle_error=2e-7,
        compared=9,
        algebra=Algebra("same", 3, 1e-24),
    )
    file = FileFindings(
        "a.py",
        1,
        changed=True,
        remarks=(remark(1), remark(2, RemarkKind.MISSED, reason="same-elements")),
        before="a\nb\n",
        after="a\nc\n",
        verified="verified: ...",
        verdict=verdict,
    )
    contents = rewrite_page([file], summary_of(file), FACTS, apply="do it", verifies=True)
    text = read(rendered(contents)).text
    assert "do it" in text and "1 line removed, 1 added" in text
    assert "Triton's interpreter, on the processor and not on a GPU (x86_64, triton 3.7)" in text
    assert "34 inputs, 9 elements compared" in text and "at most 1e-24" in text
    assert "same algebra, same numbers: 34 inputs" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("identical", "yes, every bit"),
        ("equivalent", "yes, up to rounding"),
        ("counterexample", "Not the same function"),
        ("unsupported", "Inconclusive"),
    ],
)
def test_a_verdict_is_said_in_words(name: str, said: str, tmp_path: Path) -> None:
    for file, text in (("a.py", CODE), ("b.py", CODE.replace("x + y", "x - y"))):
        (tmp_path / file).write_text(text)
    counterexample = f"on {EVIL}" if name == "counterexample" else None
    verdict = Verdict(name, "cuda: H200", 5, counterexample=counterexample, reason="of this")
    found = PairFinding("b.py", str(tmp_path / "a.py"), str(tmp_path / "b.py"), verdict)
    text = read(rendered(verdict_page(found, FACTS))).text
    assert said in text and "On a GPU: H200" in text and "x - y" in text
    assert (f"on {EVIL}" in text) == (counterexample is not None)
    assert said in read(rendered(pairs_page([found], 2, FACTS))).text


def test_of_machine_code_what_differs_is_shown_by_its_signature() -> None:
    def program(signature: str, digest: str, registers: int) -> Program:
        return Program("k", signature, "sm_90", digest, statistics={"registers": registers})

    same = code.Comparison(program("X: *f16", "a", 9), program("X: *f16", "a", 9))
    other = code.Comparison(program("X: *f32", "b", 9), program("X: *f32", "c", 8))
    (table,) = table_of_verdict((same, other))
    assert [row[:3] for row in table.rows] == [("k(X: *f32), sm_90", "differs", "9 → 8")]
    assert table_of_verdict((same,)) == ()


def test_what_could_not_be_done_is_told_at_the_top() -> None:
    files = [FileFindings(f"{n}.py", 1, before="a", after="a", refused=("no",) * n) for n in (0, 1)]
    for file, told in zip(files, (False, True), strict=True):
        page = rewrite_page([file], summary_of(file), FACTS, apply="do it", verifies=True)
        assert (
            "In 1 file an error occurred; the file's entry has the message." in page.lead
        ) is told


def test_counterexamples_come_first_and_a_file_that_is_gone_is_said() -> None:
    verdicts = {"y.py": "identical", "u.py": "unsupported", "n.py": "counterexample"}
    pairs = [PairFinding(p, p, p, Verdict(v, "cuda", 1)) for p, v in verdicts.items()]
    text = read(rendered(pairs_page(pairs, 0, FACTS))).text
    assert text.index("n.py") < text.index("u.py") < text.index("y.py")
    assert "no diff: " in text


# Times


def compared(*rows: Row) -> Comparison:
    return Comparison(("before", "after"), ("a.py", "b.py"), rows)


def test_losses_come_first_and_all_numbers_are_text() -> None:
    page = read(rendered(timing_page(compared(GAIN, LOSS), FACTS)))
    assert page.text.index("m=8, n=32") < page.text.index("m=8, n=16")
    for said in ("2.000x", "1.980 to 2.020", "20.00 µs", "10.00 µs", "90%", "0.50x", "-20.00 ms"):
        assert said in page.text
    assert page.tags.count("svg") == 2


def test_what_failed_and_what_was_not_timed_is_said() -> None:
    failed = Row("scale", "x f32[1]", {"n": 1}, failures={"after": f"out of memory {EVIL}"})
    text = read(rendered(timing_page(compared(failed), FACTS))).text
    assert f"after: out of memory {EVIL}" in text
    assert "only compiled" in text


def test_a_heat_map_has_two_sizes_and_keeps_types_apart() -> None:
    rows = [
        Row("f", f"x {t}[{m}, {n}]", {"m": m, "n": n}, ratio=Ratio(v, v, v, 9))
        for t, v in (("f16", 2.0), ("f32", 0.5))
        for m in (1, 2)
        for n in (8, 16, 32)
    ]
    first, second = heat_maps(rows)
    assert (first.caption, first.losses) == ("x f32", 6)
    assert (second.caption, second.losses) == ("x f16", 0)
    assert (first.down, first.right, first.columns) == ("m", "n", ("8", "16", "32"))
    assert [side for side, _ in first.rows] == ["1", "2"]
    assert {cell.shade for _, cells in first.rows for cell in cells if cell} == {"l3"}
    assert heat_maps(rows[:1]) == ()


def test_calls_of_other_shapes_are_named_by_their_shapes() -> None:
    shapes: list[tuple[str, dict[str, int]]] = [
        ("x f16[64, 64]", {"n": 64}),
        ("x f16[64, 512, 512]", {"n": 64, "m": 512}),
    ]
    times = GAIN.times
    rows = [Row("f", label, sizes, times, ratio=Ratio(2, 2, 2, 9)) for label, sizes in shapes]
    (found,) = heat_maps(rows)
    assert (found.down, found.right) == ("shape", "")
    assert [side for side, _ in found.rows] == ["[64, 64]", "[64, 512, 512]"]
    assert call_labels(rows) == [label for label, _ in shapes]
    # Where sizes alone name the calls, the first one tells what they are sizes of.
    assert "The first call is x f16[64, 64]" in rendered(timing_page(compared(rows[0]), FACTS))


def test_one_size_makes_a_column_and_calls_alike_a_second_map() -> None:
    rows = [Row("f", "x", {"n": n}, ratio=Ratio(1, 0.9, 1.1, 9)) for n in (1, 2, 1)]
    first, second = heat_maps(rows)
    assert (first.down, first.right) == ("n", "")
    assert [len(each.rows) for each in (first, second)] == [2, 1]


def test_a_tuning_says_what_was_accepted_and_what_was_not() -> None:
    times = {ORIGINAL: GAIN.times["before"], TUNED: GAIN.times["after"]}
    fresh = Row(GAIN.launcher, GAIN.label, GAIN.sizes, times, GAIN.ratio)
    rows = (TunedRow(GAIN.label, GAIN.sizes, fresh, uses_new=True),)
    applied = Applied(
        "fuse-stats", "passed", "k", 3, "merged", (("same-range", "proved", "it is"),)
    )
    left = Applied("licm", "missed", "k", 9, "kept", (("same-elements", "refuted", "not so"),))
    proof = Evidence("equivalent", "cuda: H200", 100, algebra="same")
    tried = (
        Tried("fuse-stats", "b\n", Fate.ACCEPTED, evidence=proof, remarks=(applied, left)),
        Tried("licm", "c\n", Fate.REFUSED, f"differs {EVIL}"),
    )
    answers = [
        Answer("broken.py", "broken", "x", "x", failure=f"could not {EVIL}"),
        Answer("same.py", "same", "x", "x", tried=tried[1:]),
        Answer("a.py", "scale", "a\n", "b\n", "fuse-stats", "n >= 8", rows, tried, proof),
    ]
    text = read(rendered(tuning_page(answers, FACTS, apply="tritonopt tune a.py --write"))).text
    assert text.index("a.py: scale") < text.index("same.py: same")
    for said in (
        "new code where n >= 8",
        "100 inputs",
        "tritonopt tune a.py --write",
        f"differs {EVIL}",
        f"could not {EVIL}",
        "not verified",
        "same-elements",
        "2.000x",
    ):
        assert said in text


def test_of_two_backends_both_are_told() -> None:
    backend = "cuda: NVIDIA H200, triton 3.6.0; interpreter: x86_64, triton 3.6.0"
    proof = Evidence("equivalent", backend, 125)
    answer = Answer("a.py", "scale", "a\n", "b\n", "licm", evidence=proof)
    text = read(rendered(tuning_page([answer], FACTS, apply=""))).text
    assert "equivalent on 125 inputs (cuda and interpreter)" in text
    assert "On a GPU: NVIDIA H200, triton 3.6.0; and in Triton's interpreter, on the proc" in text
    assert "not on a GPU" not in text


def test_a_tuning_without_a_gpu_claims_no_times() -> None:
    def code(version: str, registers: int) -> tuple[Compiled, ...]:
        return (Compiled(version, "k", "sm_90", {"registers": registers}, digest=version),)

    first = TunedRow("x f16[8]", {"n": 8}, original=Row("f", "x f16[8]", compiled=code("", 30)))
    tried = (
        Tried("licm", "b", Fate.DROPPED, compiled=code("licm", 40)),
        Tried("rows", "c", Fate.WAITING),
    )
    page = tuning_page([Answer("f.py", "f", "a", "a", rows=(first,), tried=tried)], FACTS, apply="")
    text = read(rendered(page)).text
    for wrong in ("faster on this GPU", "others were faster", "stays unchanged", "Time saved"):
        assert wrong not in text
    assert "Nothing was timed" in text and "1 of 2 variants looked at" in text
    (table,) = page.subjects[0].compiled
    assert [row[1:3] for row in table.rows] == [("original", "30"), ("licm", "40")]


def test_of_a_place_left_alone_the_reason_is_told_and_not_what_would_have_to_hold() -> None:
    condition = ("rows-can-be-lifted", "refuted", "")
    left = Applied("row-batch", "missed", "k", 9, "kept", (condition,), "already-done")
    tried = (Tried("row-batch", "b", Fate.REFUSED, "differs", remarks=(left,)),)
    (group,) = tuning_page([Answer("f.py", "f", "a", "a", tried=tried)], FACTS, apply="").groups
    assert group.means == "The kernel already has the form that the pass produces."
    assert group.advice
    assert meaning_of("same-elements")[0].startswith("This was not proved: ")


def test_a_path_is_shown_as_a_person_types_it_and_calls_by_the_same_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    times = {ORIGINAL: GAIN.times["before"], TUNED: GAIN.times["after"]}
    fresh = Row(GAIN.launcher, GAIN.label, {"n": 8}, times, GAIN.ratio)
    rows = (TunedRow(GAIN.label, {"n": 8}, fresh, uses_new=True),)
    machine = Machine("GPU", "2", "3", "13", "1")
    answer = Answer(str(tmp_path / "a" / "f.py"), "f", "a", "b", rows=rows, machine=machine)
    page = tuning_page([answer], FACTS, apply="")
    assert page.subjects[0].name == "a/f.py: f"
    assert page.subjects[0].tables[0].rows[0][0] == "n=8"
    assert str(tmp_path) not in read(rendered(page)).text
    assert "a/f.py: f: stays unchanged" in [*tuning_lines([answer], Style(color=False))]


def test_nothing_has_no_sign_and_code_in_a_note_is_code() -> None:
    assert [saved_text(v) for v in (-0.001, 0.0, -0.2)] == ["0.00 µs", "0.00 µs", "-0.20 µs"]
    found = PairFinding(
        "a.py", "a.py", "b.py", Verdict("equivalent", "cuda", 9, notes=("`x` = 1",))
    )
    assert "<li><code>x</code> = 1</li>" in rendered(verdict_page(found, FACTS))


# The diff


def plain(lines: Iterator[str]) -> list[str]:
    texts = (re.sub(r"<[^>]*>", "", line) for line in lines)
    signs = {"&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&"}
    found = []
    for text in texts:
        for sign, character in signs.items():
            text = text.replace(sign, character)
        found.append(text)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nc\nd\n"),
        ("".join(f"x = {i}\n" for i in range(90)), "".join(f"x = {i % 89}\n" for i in range(91))),
        (CODE, CODE.replace("z = x", "zz = x")),
        ("x = '''\nnever ends\n", "x = '''\nnever  ends\n\ty\n"),
        ("", "x = 1\n"),
        ("a\x0cb\n", "a\x0cc\n"),
        ("if x:\n  y\n z\n", "if x:\n  y\n  z\n"),
    ],
)
def test_no_line_is_lost_in_a_diff(old: str, new: str) -> None:
    found = diff_of(old, new)
    assert found is not None
    lines = [line for stretch in found.stretches for line in stretch.lines]
    assert plain(line.old for line in lines if line.before) == old.split("\n")[:-1]
    assert plain(line.new for line in lines if line.after) == new.split("\n")[:-1]
    assert [line.before for line in lines if line.before] == list(range(1, old.count("\n") + 1))
    for stretch in found.stretches:
        assert not stretch.is_same or all(line.kind == "same" for line in stretch.lines)


def test_lines_far_from_a_change_are_folded_and_words_that_differ_are_marked() -> None:
    old = "".join(f"line_{i} = {i}\n" for i in range(30))
    found = diff_of(old, old.replace("line_9 = 9\n", "line_9 = 10\n"))
    assert found is not None and (found.removed, found.added) == (1, 1)
    assert [(s.is_same, len(s.lines)) for s in found.stretches] == [
        (True, 6),
        (False, 7),
        (True, 17),
    ]
    (changed,) = (line for s in found.stretches for line in s.lines if line.kind == "changed")
    assert changed.new.endswith('<b><i class="n">10</i></b>')


def test_ends_of_lines_that_differ_are_seen_and_long_lines_cut() -> None:
    found = diff_of("a\r\nb\n", "a\nb\n")
    assert found is not None
    assert found.stretches[0].lines[0].old.striptags() == "a\\r\\n"
    assert diff_of("a", "a") is None
    found = diff_of("", "x" * 10_000)
    assert found is not None and len(found.stretches[0].lines[0].new) < 600


# Sizes


def test_three_thousand_places_are_below_2_mb_and_what_is_left_out_is_said() -> None:
    fix = (Replacement(4, 5, "z = x - y\n"),)
    files = [
        suggested(
            *(
                Suggestion(remark(line), worth=f"1.{line % 90 + 10}x", apply="do", fix=fix)
                for line in range(1, 31)
            ),
            path=f"{'folder/' * 12}module_{at}.py",
            left_alone=tuple(
                remark(line, RemarkKind.MISSED, reason="same-elements") for line in range(30)
            ),
            errors=(f"module_{at}: {EVIL * 90}",),
        )
        for at in range(100)
    ]
    page = read(rendered(suggest_page(files, summary_of(*files), FACTS)))
    assert "Not all of it is here" in page.text
    assert "lines of the lists" in page.text and "places in full" in page.text
    assert "1.40x" in page.text  # the largest
    assert len(page.text) > 300_000


def test_a_page_that_is_still_too_large_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "MOST_BYTES", 160_000)
    fix = (Replacement(1, 2, "z = x - y\n" * 90),)
    file = suggested(*(Suggestion(remark(line), fix=fix) for line in range(90)))
    text = rendered(suggest_page([file], summary_of(file), FACTS))
    assert len(text.encode()) <= 160_000
    assert "Not all of it is here" in Page(text).text


def test_an_empty_page_says_so() -> None:
    assert "nothing to show" in read(rendered(suggest_page([], Summary(), FACTS))).text


# Colors


def luminance(color: str) -> float:
    digits = color.lstrip("#")
    digits = "".join(d * 2 for d in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_on_what_is_behind_it(theme: str) -> None:
    style = (Path(rendering.__file__).parent / "templates" / "page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", blocks[theme == "dark"]))
    shades = ["old", "new", "old-word", "new-word", "g1", "g2", "g3", "l1", "l2", "l3", "z"]
    pairs = [("text", behind) for behind in ("back", "soft", *shades)]
    pairs += [(word, "back") for word in ("dim", "link", "yes", "no", "open")]
    pairs += [("dim", "soft"), ("link", "soft"), ("no", "z"), ("open", "soft")]
    syntax = ("keyword", "string", "number", "comment")
    pairs += [(word, behind) for word in syntax for behind in ("back", "old", "new")]
    weak = []
    for front, behind in pairs:
        high, low = sorted((luminance(colors[front]), luminance(colors[behind])), reverse=True)
        if (high + 0.05) / (low + 0.05) < 4.5:
            weak.append(f"{front} on {behind}: {(high + 0.05) / (low + 0.05):.2f}")
    assert not weak
