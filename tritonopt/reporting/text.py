"""Findings for a person at a terminal, one line each: `path:line:col: pass [safety]: message`."""

from __future__ import annotations

import math
import os
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, TextIO

from tritonopt.reporting.findings import EXACT, FileFindings, Span, Summary, safety_names
from tritonopt.reporting.reporter import Reporter, Run, VerdictReporter, say
from tritonopt.rewriting.model import Condition, Remark, RemarkKind, Status

if TYPE_CHECKING:
    from tritonopt.verification.process.compiled_programs import Comparison
    from tritonopt.verification.verdict import Algebra, Verdict

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"

_VERDICT_COLORS = {
    "identical": GREEN,
    "equivalent": GREEN,
    "verified": GREEN,
    "counterexample": RED,
}
_STATUS_COLORS = {Status.REFUTED: RED, Status.UNKNOWN: YELLOW, Status.ASSUMED: YELLOW}


_INDENT = 4
_NARROWEST = 40
"""A terminal of fewer columns folds lines by itself."""


class Style:
    """Color and folded lines where they are wanted, plain text elsewhere."""

    def __init__(self, color: bool, columns: int = 0) -> None:
        self._color = color
        self._columns = columns

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Color and lines that fit on a terminal. NO_COLOR and FORCE_COLOR decide on color first,
        in this order, as in Python's own tracebacks."""
        terminal = stream.isatty()
        color = not os.environ.get("NO_COLOR") and (
            bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")
        )
        return cls(color, _columns(stream) if terminal else 0)

    @property
    def color(self) -> bool:
        return self._color

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads it as it comes."""
        return self._columns > 0

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._color else text

    def folded(self, label: Sequence[tuple[str, str]], text: str, indent: int) -> Iterator[str]:
        """A label, in parts with their colors, and a text behind it.

        On a terminal it is folded at blanks; what does not fit stands below, indented.
        """
        painted = "".join(self.paint(part, code) if code else part for part, code in label)
        plain = "".join(part for part, _ in label)
        if self._columns < _NARROWEST:
            yield f"{painted}{text}"
            return
        if len(plain) + len(text.partition(" ")[0]) > self._columns:
            yield painted.rstrip()
            painted = plain = " " * indent
        first, *others = textwrap.wrap(
            text,
            self._columns,
            initial_indent=plain,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [plain]
        # Folded as plain text: an escape sequence has a length and no width.
        yield painted + first[len(plain) :]
        yield from others

    def indented(self, line: str) -> Iterator[str]:
        """A line with a margin, which what does not fit has as well."""
        text = line.lstrip()
        margin = len(line) - len(text)
        yield from self.folded([(" " * margin, "")], text, margin + _INDENT)


def _columns(stream: TextIO) -> int:
    """Of this terminal: of the standard streams, only one may be."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):  # a stream that says it is a terminal, and has no file
        return 80


class TextReporter(Reporter):
    """Results on stdout: the diff, the new text, suggestions. What is said of them, on stderr."""

    parts_suggestions: ClassVar[bool] = True
    """Whether blank lines part suggestions at a terminal."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._rewrites = self._mistakes = self._notes = self._fixable = self._by_command = 0
        self._doubtful: list[str] = []
        self._verified: list[FileFindings] = []

    def file(self, found: FileFindings) -> None:
        mistakes = sum(suggestion.is_mistake for suggestion in found.suggestions)
        self._mistakes += mistakes
        notes = sum(suggestion.is_note for suggestion in found.suggestions)
        self._notes += notes
        self._rewrites += len(found.suggestions) - mistakes - notes
        self._fixable += sum(suggestion.is_fixable for suggestion in found.suggestions)
        self._by_command += sum(bool(s.apply) and not s.is_fixable for s in found.suggestions)
        self._doubtful += found.doubtful
        style = Style.of(sys.stderr)
        if self._show_text(found) and style.is_terminal:
            say("")
        for line in self.suggestions(found, Style.of(sys.stdout)):
            print(line)
        sys.stdout.flush()
        if self.run.quiet:
            say(*found.errors, *found.refused)
            return
        say(*self.remarks(found, style))
        if found.verified:
            say(f"{found.path}: {found.verified}")
        if found.verified or found.refused or found.fixed:
            self._verified.append(found)
        if self.run.writes and found.changed and found.output is None:
            say(f"{found.path}: rewritten")
        # A remark tells of the error that it is about.
        for message in found.errors if not found.remarks else ():
            if message in found.defects:
                continue  # they come last
            parted = "\n" if self.run.suggests and style.is_terminal else ""
            say(parted + style.paint(message, RED))
        say(*found.refused)

    def finish(self, summary: Summary) -> None:
        sys.stdout.flush()
        if self.run.quiet:
            return
        if len(self._verified) > 1:
            say(*verified_lines(self._verified, Style.of(sys.stderr)))
        if not self.run.suggests:
            say_summary(summary, summary_line(summary, self.run.writes))
            return
        if self.parts_suggestions and Style.of(sys.stderr).is_terminal:
            say("")
        say_summary(summary, self._suggested(summary))

    def _suggested(self, summary: Summary) -> str:
        """One line for the end of a run."""
        doubtful, passes = len(self._doubtful), ",".join(sorted(set(self._doubtful)))
        named = f" ({doubtful} doubtful: see --passes {passes})" if doubtful else ""
        line = (
            f"{counted(summary.files, 'file')}, {counted(summary.kernels, 'kernel')}: "
            f"{counted(self._mistakes, 'mistake')}{named}, "
            f"{counted(self._notes, 'note') + ', ' if self._notes else ''}"
            f"{counted(self._rewrites, 'rewrite')} available"
        )
        fixed = "fixed" if summary.changed else "fixable with --fix"
        ways = {fixed: self._fixable, "fixable with the command shown": self._by_command}
        if said := ", ".join(f"{number} {how}" for how, number in ways.items() if number):
            line += f" ({said})"
        return _with_errors(line, summary)

    def remarks(self, found: FileFindings, style: Style) -> Iterator[str]:
        """The lines for the remarks on a file."""
        evidence = () if found.verdict is None else found.verdict.evidence
        for remark in found.remarks:
            yield from remark_lines(found.path, remark, style)
            said = ", ".join(evidence)
            if fixed := found.fixed.get(remark.pass_name):
                said = f"results differ, because the original is wrong: {fixed}"
            if said and remark.kind is RemarkKind.PASSED:
                yield from style.folded([("    ", ""), ("evidence: ", DIM)], said, _INDENT)

    def suggestions(self, found: FileFindings, style: Style) -> Iterator[str]:
        """The lines for the suggestions for a file."""
        return suggestion_lines(found, style)

    def _show_text(self, found: FileFindings) -> bool:
        """Print what becomes of a file; whether that was a diff."""
        if found.output is not None:
            if not self.run.checks:
                _print_bytes(found.output)
            return False
        if self.run.writes or not found.diff:
            return False
        _print_diff(found.diff, found.encoding)
        return True


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode("utf-8", errors="replace"))
    else:
        buffer.write(data)
    sys.stdout.flush()


def _print_diff(shown: str, encoding: str) -> None:
    """Print a diff in the bytes of its file, so that it can be applied."""
    from tritonopt.reporting import diff

    style = Style.of(sys.stdout)
    buffer = getattr(sys.stdout, "buffer", None)
    # One that goes to a file or another program is to be applied, whatever FORCE_COLOR says.
    colored = style.color and style.is_terminal
    if colored or buffer is None:
        sys.stdout.write(diff.colored(shown) if colored else shown)
    else:
        sys.stdout.flush()
        buffer.write(diff.encoded(shown, encoding))
    sys.stdout.flush()


def say_summary(summary: Summary, line: str) -> None:
    """The notes of a run, what failed in us, and the line that ends it."""
    style = Style.of(sys.stderr)
    defects = (style.paint(message, RED) for message in summary.defects)
    say(*(f"note: {note}" for note in summary.notes), *defects, line)


def _with_errors(line: str, summary: Summary) -> str:
    """The line that ends a run, with the number of errors."""
    failed = sum(map(len, summary.errors.values()))
    if not failed:
        return line
    ours = f", {len(summary.defects)} of them internal" if summary.defects else ""
    return f"{line}; {counted(failed, 'error')}{ours}"


class TextVerdict(VerdictReporter):
    """The verdict on stdout; what stood in its way is the command's to complain of."""

    def verdict(self, verdict: Verdict, script: str | None) -> None:
        for line in verdict_lines(verdict, Style.of(sys.stdout)):
            print(line)
        if script is not None:
            print(f"  written as a script: python {script}")

    def no_verdict(self, backend: str, reason: str) -> None:
        """A person reads the complaint."""


def remark_lines(path: str, remark: Remark, style: Style) -> Iterator[str]:
    """A remark, and below it the conditions that a reader needs.

    Of one that passed, or that lacks a permission, what is assumed; of another missed one, what
    does not hold and is not in the message. What was proved is for `tritonopt explain`.
    """
    yield from _head(path, remark, style)
    if remark.kind is RemarkKind.ANALYSIS:
        return
    for condition in remark.conditions:
        if remark.kind is RemarkKind.PASSED or remark.reason == "safety":
            is_shown = condition.status is Status.ASSUMED
        else:
            is_shown = not (condition.holds or condition.detail in remark.message)
        if is_shown:
            yield from _condition_lines(condition, remark, style)


def explained_lines(path: str, remark: Remark, style: Style) -> Iterator[str]:
    """A remark with all of its conditions, those that were proved as well."""
    yield from _head(path, remark, style)
    for condition in remark.conditions:
        yield from _condition_lines(condition, remark, style)


def _head(path: str, remark: Remark, style: Style) -> Iterator[str]:
    safety = ",".join(safety_names(remark.safety)) or EXACT
    label = _label(path, remark, CYAN, safety)
    text = remark.message
    if remark.kind is RemarkKind.MISSED:
        label.append(("not applied", RED if remark.failure else YELLOW))
        text = f", {remark.reason}: {text}"
    elif remark.kind is RemarkKind.ANALYSIS:
        text = f"note: {text}"
    yield from style.folded(label, text, _INDENT)


def _label(path: str, remark: Remark, color: str, bracket: str) -> list[tuple[str, str]]:
    """`path:line:column: pass [safety]: `, in parts with their colors."""
    place = (f"{path}:{remark.line}:{remark.column}:", BOLD)
    return [place, (" ", ""), (remark.pass_name, color), (f" [{bracket}]: ", "")]


def suggestion_lines(found: FileFindings, style: Style) -> Iterator[str]:
    """What to do, why, what it may be worth, and the command that does it.

    What is the same for several suggestions of a file is said below the first.
    """
    said: set[tuple[str, str]] = set()
    for suggestion in found.suggestions:
        remark = suggestion.remark
        if style.is_terminal:
            yield ""
        color = YELLOW if suggestion.is_finding else CYAN
        label = _label(found.path, remark, color, suggestion.label)
        yield from style.folded(label, remark.message, _INDENT)
        if suggestion.span is not None:
            yield from _source_lines(suggestion.span, style, color)
        below = {"why": suggestion.why, "worth": suggestion.worth}
        below |= {"do": suggestion.advice, "apply": suggestion.apply}
        for name, text in below.items():
            if not text or (name, text) in said:
                continue
            said.add((name, text))
            label = [(f"    {name + ':':6} ", DIM)]
            if name == "apply":
                # In one piece, so that it can be copied.
                yield f"{style.paint(*label[0])}{text}"
            else:
                yield from style.folded(label, text, len(label[0][0]))


def _source_lines(span: Span, style: Style, color: str) -> Iterator[str]:
    """The first line of the code, and carets under what of it is meant."""
    number, start = str(span.line), span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(span.text)
    # What stands before keeps its tabs, so that the carets stand where a terminal shows the code.
    before = "".join("\t" if sign == "\t" else " " * _width(sign) for sign in span.text[:start])
    carets = "^" * max(1, sum(map(_width, span.text[start:end])))
    margin = " " * _INDENT
    yield f"{margin}{style.paint(f'{number} |', DIM)} {span.text}"
    bar = style.paint(" " * len(number) + " |", DIM)
    yield f"{margin}{bar} {before}{style.paint(carets, color)}"


def _width(sign: str) -> int:
    """Columns of a terminal."""
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def summary_line(summary: Summary, wrote: bool) -> str:
    """One line for the end of a run."""
    verb = ("was" if summary.changed == 1 else "were") + " rewritten" if wrote else "would change"
    missed = summary.missed + summary.unlisted
    listed = " (--explain-missed lists them)" if summary.unlisted else ""
    line = (
        f"{counted(summary.files, 'file')}, {counted(summary.kernels, 'kernel')}: "
        f"{counted(summary.passed, 'rewrite')} applied, {missed} not applied{listed}; "
        f"{counted(summary.changed, 'file')} {verb}"
    )
    if left := len(summary.left_out):
        line += f"; {counted(left, 'file')} with changes dropped by --verify"
    return _with_errors(line, summary)


def _algebra(found: Algebra) -> str:
    if found.bound is not None:
        least = max(found.bound, sys.float_info.min)
        chance = f"1e{math.ceil(math.log10(least))}"
        return (
            f"{found.answer} ({counted(found.draws, 'draw')}, false with probability at "
            f"most {chance})"
        )
    return f"{found.answer}: {found.text.splitlines()[0]}"


def _parting(verdict: Verdict, style: Style) -> Iterator[str]:
    """Where two versions that agree in their numbers are not the same algebra."""
    found = verdict.algebra
    if found is not None and found.is_different and not verdict.counterexample:
        yield style.paint("  not the same algebra:", DIM)
        for line in found.text.rstrip("\n").splitlines():
            yield from style.indented(f"    {line}")


def verdict_lines(verdict: Verdict, style: Style) -> Iterator[str]:
    """The verdict first, then what it rests on."""
    color = _VERDICT_COLORS.get(verdict.verdict, YELLOW)
    name = style.paint(verdict.verdict, f"{BOLD};{color}")
    yield f"{name}: {counted(verdict.examples, 'example')}"
    said = [("backend", verdict.backend)]
    if verdict.discarded:
        said.append(
            ("discarded", f"{counted(verdict.discarded, 'example')} that the original cannot run")
        )
    if verdict.compared:
        numbers = f"{verdict.compared:,} elements, {verdict.written:,} writes by kernels"
        said.append(("compared", numbers))
    if verdict.reason:
        said.append(("reason", verdict.reason))
    if verdict.worst_error is not None:
        said.append(("largest error of the rewritten kernel", f"{verdict.worst_error:.3g}"))
    if verdict.oracle_error is not None:
        said.append(("largest error of the original", f"{verdict.oracle_error:.3g}"))
    if verdict.evidence:
        said.append(("evidence", ", ".join(verdict.evidence)))
    if verdict.algebra is not None:
        said.append(("algebra", _algebra(verdict.algebra)))
    said += [("speed", str(speed)) for speed in verdict.speeds]
    said += [("cheat", str(cheat)) for cheat in verdict.cheats]
    said += [("wrong for tensors that are not contiguous", text) for text in verdict.layouts]
    said += [("note", note) for note in verdict.notes]
    for what, text in said:
        yield from style.folded([("  ", ""), (f"{what}: ", DIM)], text, _INDENT)
    yield from _programs(verdict.compiled)
    yield from _parting(verdict, style)
    if verdict.counterexample:
        yield style.paint("  counterexample:", DIM)
        for line in verdict.counterexample.rstrip("\n").splitlines():
            yield from style.indented(f"    {line}")


def _programs(compared: Iterable[Comparison]) -> Iterator[str]:
    """For every signature whether the machine code is the same, and its numbers where not."""
    by_signature: dict[tuple[str, str], list[Comparison]] = {}
    for pair in compared:
        program = pair.original
        by_signature.setdefault((program.kernel, program.signature), []).append(pair)
    for (kernel, signature), pairs in by_signature.items():
        yield f"  {kernel}({signature})"
        same = [p.original.target for p in pairs if p.identical]
        if same:
            yield f"    identical for {', '.join(same)}"
        other = [p for p in pairs if not p.identical]
        for pair in other:
            theirs = "not launched" if pair.rewritten is None else pair.rewritten.failure
            for who, failure in (("original", pair.original.failure), ("rewritten", theirs)):
                if failure:
                    yield f"    {pair.original.target}, {who}: {failure}"
        yield from _table([p for p in other if p.original.statistics])


def _table(pairs: list[Comparison]) -> Iterator[str]:
    """A line for each number, a column for each target: `original -> rewritten`."""
    if not pairs:
        return
    names = dict.fromkeys(
        name
        for pair in pairs
        for program in (pair.original, pair.rewritten)
        if program is not None
        for name in program.statistics
    )
    width = max(map(len, names))
    yield f"    {'':{width}}" + "".join(f"  {p.original.target:>12}" for p in pairs)
    for name in names:
        cells = []
        for pair in pairs:
            ours = pair.original.statistics.get(name, 0)
            theirs = pair.rewritten.statistics.get(name, 0) if pair.rewritten else 0
            cells.append(str(ours) if ours == theirs else f"{ours} -> {theirs}")
        yield f"    {name:{width}}" + "".join(f"  {cell:>12}" for cell in cells)


def verified_lines(found: Sequence[FileFindings], style: Style) -> Iterator[str]:
    """A line for each file that `rewrite --verify` found something to rewrite in."""
    rows = []
    for one in found:
        kept = one.verified.removeprefix("verified: ")
        left_out = "changes were dropped, for the reasons above" if one.refused else ""
        fixed = f"{', '.join(one.fixed)} changed a wrong result" if one.fixed else ""
        done = kept or fixed
        name = "in part" if done and left_out else "verified" if kept else "fixed"
        name = name if done else "dropped"
        rows.append((name, one.path, "; ".join(filter(None, (kept, fixed, left_out)))))
    yield from table_lines(("verdict", "file", "evidence"), rows, style)


def table_lines(
    titles: Sequence[str], rows: Sequence[Sequence[str]], style: Style
) -> Iterator[str]:
    """Columns as wide as what stands in them; the first cell of a row is a verdict."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    numeric = [all(_is_number(row[at]) for row in rows) for at in range(len(titles))]

    def line(cells: Sequence[str]) -> list[str]:
        return [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]

    yield style.paint("  ".join(line(titles)).rstrip(), BOLD)
    for row in rows:
        first, *others = line(row)
        color = _VERDICT_COLORS.get(row[0], YELLOW)
        yield "  ".join([style.paint(first, color), *others]).rstrip()


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _condition_lines(condition: Condition, remark: Remark, style: Style) -> Iterator[str]:
    color = _STATUS_COLORS.get(condition.status, GREEN)
    status = f"{condition.status.value:8}"
    said = not condition.detail or condition.detail in remark.message
    detail = "" if said else f": {condition.detail}"
    label = [("    ", ""), (status, color), (" ", "")]
    yield from style.folded(label, f"{condition.claim}{detail}", 4 + len(status) + 1)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shown_path(path: str) -> str:
    """A path as a person would type it here: relative, if it is below the current directory."""
    return path.removeprefix(os.path.join(os.getcwd(), ""))
