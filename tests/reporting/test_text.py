"""Remarks as a person reads them."""

from __future__ import annotations

from tritonopt.reporting import text
from tritonopt.reporting.findings import FileFindings, Suggestion, Summary
from tritonopt.rewriting.model import Condition, Remark, RemarkKind, Safety, Status

PLAIN, COLORED = text.Style(False), text.Style(True)

CONDITIONS = (
    Condition("same-range", Status.PROVED, "both are range(0, N, BLOCK)"),
    Condition("no-other-launches", Status.ASSUMED, "X and Y"),
    Condition("same-arguments", Status.REFUTED, "", "different-mask"),
    Condition("rounding-is-free", Status.UNKNOWN),
)


def remark(kind: RemarkKind, **more: object) -> Remark:
    safety = frozenset({Safety.ROUNDING, Safety.CONTRACT})
    made = Remark("fuse-stats", kind, "norm", 12, 5, "one sweep", safety, conditions=CONDITIONS)
    return Remark(**{**vars(made), **more})  # type: ignore[arg-type]


def lines(made: Remark, style: text.Style = PLAIN) -> list[str]:
    return list(text.remark_lines("a/k.py", made, style))


def test_a_passed_remark_tells_what_was_assumed() -> None:
    assert lines(remark(RemarkKind.PASSED)) == [
        "a/k.py:12:5: fuse-stats [contract,rounding]: one sweep",
        "    assumed  no-other-launches: X and Y",
    ]


def test_a_missed_remark_tells_its_reason_and_what_was_not_proved() -> None:
    assert lines(remark(RemarkKind.MISSED, reason="different-mask", safety=frozenset())) == [
        "a/k.py:12:5: fuse-stats [exact]: not applied, different-mask: one sweep",
    ]
    details = (
        Condition("same-range", Status.ASSUMED, "nothing was done under it"),
        Condition("same-mask", Status.REFUTED, "one sweep"),
        Condition("same-elements", Status.UNKNOWN, "the second index is not known"),
    )
    assert lines(remark(RemarkKind.MISSED, reason="different-mask", conditions=details))[1:] == [
        "    unknown  same-elements: the second index is not known"
    ]


def test_a_permission_that_is_missing_is_for_what_is_assumed() -> None:
    assert lines(remark(RemarkKind.MISSED, reason="safety"))[1:] == [
        "    assumed  no-other-launches: X and Y"
    ]


def test_an_analysis_remark_is_one_line() -> None:
    assert lines(remark(RemarkKind.ANALYSIS)) == [
        "a/k.py:12:5: fuse-stats [contract,rounding]: note: one sweep"
    ]


def test_color_changes_no_text() -> None:
    refuted = Condition("same-arguments", Status.REFUTED, "X is not Y")
    made = remark(RemarkKind.MISSED, reason="different-mask", conditions=(refuted,))
    painted = "\n".join(lines(made, COLORED))
    assert "\x1b[31mrefuted \x1b[0m same-arguments" in painted
    for code in ("0", "1", "31", "32", "33", "36"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted.split("\n") == lines(made)


def test_on_a_terminal_what_does_not_fit_stands_below_indented() -> None:
    terminal = text.Style(False, columns=72)
    made = remark(RemarkKind.MISSED, reason="different-mask", message="the loops read other tiles")
    assert lines(made, terminal)[:2] == [
        "a/k.py:12:5: fuse-stats [contract,rounding]: not applied,",
        "    different-mask: the loops read other tiles",
    ]
    detail = Condition("same-range", Status.ASSUMED, "X and Y are taken to be two buffers, or one")
    made = remark(RemarkKind.PASSED, message="x" * 40, conditions=(detail,))
    assert lines(made, terminal) == [
        "a/k.py:12:5: fuse-stats [contract,rounding]:",
        f"    {'x' * 40}",
        "    assumed  same-range: X and Y are taken to be two buffers, or one",
    ]
    assert lines(made, text.Style(False, columns=50))[-2:] == [
        "    assumed  same-range: X and Y are taken to be",
        "             two buffers, or one",
    ]


def test_a_command_is_not_folded_and_what_is_said_twice_is_said_once() -> None:
    command = "tritonopt rewrite a/k.py --passes fuse-stats --write"
    one = Suggestion(remark(RemarkKind.PASSED), why="one read less", apply=command)
    found = FileFindings("a/k.py", 1, suggestions=(one, one))
    assert list(text.suggestion_lines(found, PLAIN)) == [
        "a/k.py:12:5: fuse-stats [contract,rounding]: one sweep",
        "    why:   one read less",
        f"    apply: {command}",
        "a/k.py:12:5: fuse-stats [contract,rounding]: one sweep",
    ]
    assert f"    apply: {command}" in text.suggestion_lines(found, text.Style(False, columns=40))


def test_the_summary_counts() -> None:
    summary = Summary()
    summary.add(FileFindings("a.py", 1, True, "diff", (remark(RemarkKind.PASSED),)))
    assert text.summary_line(summary, wrote=False) == (
        "1 file, 1 kernel: 1 rewrite applied, 0 not applied; 1 file would change"
    )
    assert text.summary_line(summary, wrote=True).endswith("1 file was rewritten")
    missed = remark(RemarkKind.MISSED)
    summary.add(FileFindings("b.py", 3, True, "diff", (missed, missed), ("one", "two")))
    assert text.summary_line(summary, wrote=True) == (
        "2 files, 4 kernels: 1 rewrite applied, 2 not applied; 2 files were rewritten; 2 errors"
    )
    assert summary.errors == {"b.py": ["one", "two"]}


def test_the_summary_counts_what_is_not_listed() -> None:
    summary = Summary()
    summary.add(FileFindings("a.py", 1, remarks=(remark(RemarkKind.MISSED),), unlisted=9))
    assert text.summary_line(summary, wrote=False) == (
        "1 file, 1 kernel: 0 rewrites applied, 10 not applied (--explain-missed lists them); "
        "0 files would change"
    )
