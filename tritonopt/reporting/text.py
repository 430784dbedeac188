"""Findings for a person at a terminal, one line each: `path:line:col: pass [safety]: message`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from tritonopt.reporting.findings import FileFindings, Summary, safety_names
from tritonopt.rewriting.model import Condition, Remark, RemarkKind, Status

if TYPE_CHECKING:
    from tritonopt.verification.programs import Comparison
    from tritonopt.verification.verdict import Verdict

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"

_STATUS_COLOURS = {Status.REFUTED: RED, Status.UNKNOWN: YELLOW, Status.ASSUMED: YELLOW}


class Style:
    """Colour where it is wanted, plain text elsewhere."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Colour on a terminal only, and not where NO_COLOR is set."""
        dumb = os.environ.get("TERM") == "dumb"
        return cls(stream.isatty() and not dumb and not os.environ.get("NO_COLOR"))

    @property
    def colour(self) -> bool:
        return self._colour

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


def remark_lines(path: str, remark: Remark, style: Style) -> Iterator[str]:
    """A remark, and below it the conditions that a reader needs.

    All of them for a missed site; for one that passed, those that were assumed
    and not proved.
    """
    where = style.paint(f"{path}:{remark.line}:{remark.column}:", BOLD)
    safety = ",".join(safety_names(remark.safety)) or "exact"
    head = f"{where} {style.paint(remark.pass_name, CYAN)} [{safety}]:"
    if remark.kind is RemarkKind.MISSED:
        missed = style.paint("missed", RED if remark.failure else YELLOW)
        yield f"{head} {missed}, {remark.reason}: {remark.message}"
        shown = remark.conditions
    elif remark.kind is RemarkKind.PASSED:
        yield f"{head} {remark.message}"
        shown = tuple(c for c in remark.conditions if c.status is Status.ASSUMED)
    else:
        yield f"{head} note: {remark.message}"
        shown = ()
    for condition in shown:
        yield _condition_line(condition, style)


def explained_lines(path: str, remark: Remark, style: Style) -> Iterator[str]:
    """A remark with all of its conditions, those that were proved as well."""
    yield next(remark_lines(path, remark, style))
    for condition in remark.conditions:
        yield _condition_line(condition, style)


def suggestion_lines(found: FileFindings, style: Style) -> Iterator[str]:
    """What to do, why, what it may be worth, and the command that does it."""
    for suggestion in found.suggestions:
        remark = suggestion.remark
        where = style.paint(f"{found.path}:{remark.line}:{remark.column}:", BOLD)
        colour = YELLOW if suggestion.is_mistake else CYAN
        head = f"{where} {style.paint(remark.pass_name, colour)} [{suggestion.label}]:"
        yield f"{head} {remark.message}"
        below = {"why": suggestion.why, "worth": suggestion.worth, "apply": suggestion.apply}
        for name, text in below.items():
            if text:
                # Padded first: an escape sequence has a length and no width.
                yield f"    {style.paint(f'{name}:'.ljust(6), DIM)} {text}"


def suggest_summary_line(found: Iterable[FileFindings], summary: Summary) -> str:
    """One line for the end of a run."""
    every = [suggestion for findings in found for suggestion in findings.suggestions]
    mistakes = sum(suggestion.is_mistake for suggestion in every)
    line = (
        f"{_count(summary.files, 'file')}, {_count(summary.kernels, 'kernel')}: "
        f"{_count(len(every) - mistakes, 'rewrite')} to consider, {_count(mistakes, 'mistake')}"
    )
    failed = sum(map(len, summary.errors.values()))
    return f"{line}; {_count(failed, 'error')}" if failed else line


def summary_line(summary: Summary, wrote: bool) -> str:
    """One line for the end of a run."""
    verb = ("was" if summary.changed == 1 else "were") + " rewritten" if wrote else "would change"
    line = (
        f"{_count(summary.files, 'file')}, {_count(summary.kernels, 'kernel')}: "
        f"{_count(summary.passed, 'site')} passed, {summary.missed} missed; "
        f"{_count(summary.changed, 'file')} {verb}"
    )
    failed = sum(map(len, summary.errors.values()))
    return f"{line}; {_count(failed, 'error')}" if failed else line


def verdict_lines(verdict: Verdict, style: Style) -> Iterator[str]:
    """The verdict first, then what it rests on."""
    colours = {"identical": GREEN, "equivalent": GREEN, "counterexample": RED}
    name = style.paint(verdict.verdict, colours.get(verdict.verdict, YELLOW))
    yield f"{name}: {_count(verdict.examples, 'example')}"
    yield f"  backend: {verdict.backend}"
    if verdict.discarded:
        yield f"  discarded: {_count(verdict.discarded, 'example')} that the original cannot run"
    if verdict.reason:
        yield f"  reason: {verdict.reason}"
    if verdict.worst_error is not None:
        yield f"  largest error of the rewritten kernel: {verdict.worst_error:.3g}"
    if verdict.oracle_error is not None:
        yield f"  largest error of the original: {verdict.oracle_error:.3g}"
    for note in verdict.notes:
        yield f"  note: {note}"
    yield from _programs(verdict.compiled)
    if verdict.counterexample:
        yield "  counterexample:"
        yield verdict.counterexample.rstrip("\n")


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


def _condition_line(condition: Condition, style: Style) -> str:
    # Padded first: an escape sequence has a length and no width.
    status = f"{condition.status.value:8}"
    colour = _STATUS_COLOURS.get(condition.status, GREEN)
    detail = f": {condition.detail}" if condition.detail else ""
    return f"    {style.paint(status, colour)} {condition.claim}{detail}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
