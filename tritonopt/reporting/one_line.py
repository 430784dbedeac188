"""Findings as one line each: for an editor's list, and as annotations of GitHub Actions; and how
often each pass said what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tritonopt.reporting.findings import EXACT, FileFindings, Span, Summary, safety_names
from tritonopt.reporting.reporter import Reporter, say
from tritonopt.reporting.text import Style, TextReporter, say_summary, summary_line
from tritonopt.rewriting.model import Remark, RemarkKind

_LEVELS = {RemarkKind.ANALYSIS: "warning", RemarkKind.PASSED: "notice", RemarkKind.MISSED: "notice"}


class ConciseReporter(TextReporter):
    """As the longer form, without what stands below a remark or a suggestion there."""

    parts_suggestions = False

    def remarks(self, found: FileFindings, style: Style) -> Iterator[str]:
        return (concise_line(found.path, remark) for remark in found.remarks)

    def suggestions(self, found: FileFindings, style: Style) -> Iterator[str]:
        return (concise_line(found.path, s.remark, s.label) for s in found.suggestions)


class GithubReporter(Reporter):
    """Annotations on stdout, where GitHub reads them."""

    def file(self, found: FileFindings) -> None:
        for line in github(found):
            print(line)
        say(*found.refused)

    def finish(self, summary: Summary) -> None:
        if not self.run.suggests and not self.run.quiet:
            say_summary(summary, summary_line(summary, self.run.writes))


class StatisticsReporter(Reporter):
    """Counts, in place of what is counted."""

    def file(self, found: FileFindings) -> None:
        say(*found.errors, *found.refused)

    def finish(self, summary: Summary) -> None:
        for line in statistics(summary):
            print(line)


def concise_line(path: str, remark: Remark, label: str = "") -> str:
    """`path:line:column: pass [safety]: message`"""
    place = f"{path}:{remark.line}:{remark.column}"
    return f"{place}: {remark.pass_name} [{label or _safety(remark)}]: {_message(remark)}"


def github(found: FileFindings) -> Iterator[str]:
    """Workflow commands, which GitHub shows beside the lines of a pull request."""
    for remark in found.remarks:
        yield _annotation(found.path, remark, _safety(remark))
    for suggestion in found.suggestions:
        more = [suggestion.why, suggestion.worth, suggestion.apply]
        yield _annotation(
            found.path, suggestion.remark, suggestion.label, more, span=suggestion.span
        )
    for error in found.errors:
        yield _command("error", {"file": found.path}, error)


def statistics(summary: Summary) -> Iterator[str]:
    """How often each pass said what, the most frequent first."""
    rows = [
        (count, name, outcome)
        for name, counts in summary.statistics.items()
        for outcome, count in counts.items()
    ]
    rows.sort(key=lambda row: (-row[0], row[1:]))
    widths = [max((len(str(row[i])) for row in rows), default=0) for i in range(2)]
    for count, name, outcome in rows:
        yield f"{count:>{widths[0]}}  {name:{widths[1]}}  {outcome}"


def _annotation(
    path: str, remark: Remark, label: str, more: Iterable[str] = (), *, span: Span | None = None
) -> str:
    properties = {"file": path, "line": str(remark.line), "col": str(remark.column)}
    if span is not None:
        properties["endLine"] = str(span.end_line)
        if span.end_line == remark.line:  # GitHub shows columns of one line only
            properties["endColumn"] = str(span.end_column - 1)
    properties["title"] = f"{remark.pass_name} [{label}]"
    message = "\n".join(filter(None, [_message(remark), *more]))
    level = "notice" if label == "note" else _LEVELS[remark.kind]
    return _command(level, properties, message)


def _safety(remark: Remark) -> str:
    return ",".join(safety_names(remark.safety)) or EXACT


def _message(remark: Remark) -> str:
    if remark.kind is RemarkKind.MISSED:
        return f"not applied, {remark.reason}: {remark.message}"
    return remark.message


def _command(level: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{level} {listed}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    """As GitHub wants it: line ends and its own signs as `%0A` and the like."""
    for sign in ("%", "\r", "\n", *also):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
