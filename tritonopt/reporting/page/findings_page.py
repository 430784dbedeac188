"""The page of `suggest` and of `rewrite`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tritonopt.reporting.page.contents import Contents, Entry, Evidence, Listing, Place, Subject
from tritonopt.reporting.page.evidence import NOT_RUN, evidence_of, in_short
from tritonopt.reporting.page.highlighting import lines_of
from tritonopt.reporting.page.places import groups_of, place_of, rank_of, suggested
from tritonopt.reporting.page.side_by_side import Diff, diff_of
from tritonopt.rewriting.model import RemarkKind

if TYPE_CHECKING:
    from tritonopt.reporting.findings import FileFindings, Replacement, Suggestion, Summary

_ORDER = (
    "Nothing was timed in this run. Rewrites are ordered by the speed-up measured elsewhere "
    "(time of the original / time of the rewritten kernel; the middle of the "
    "range). `tritonopt bench` and `tritonopt tune` measure on your GPU, with your shapes."
)
_GAIN = "Measured elsewhere"
_FINDINGS = ("mistake", "note")


def suggest_page(
    files: Sequence[FileFindings], summary: Summary, facts: Mapping[str, str]
) -> Contents:
    """What `suggest` found."""
    subjects = []
    for at, file in enumerate(files):
        subject = _suggested(file, f"f{at}")
        if subject.places or subject.problems:
            subjects.append(subject)
    subjects.sort(key=_best_first)
    mistakes = [p for s in subjects for p in s.places if p.label in _FINDINGS]
    rewrites = [p for s in subjects for p in s.places if p.label not in _FINDINGS]
    rewrites.sort(key=lambda place: -rank_of(place.worth))
    listings = []
    if mistakes:
        order = "Code that is wrong. A fix changes results: read it first."
        entries = tuple(_entry(place, "", "open") for place in mistakes)
        listings.append(Listing("Mistakes", order, "", False, entries))
    if rewrites:
        entries = tuple(_entry(p, "", "open") for p in rewrites)
        listings.append(Listing("Rewrites", _ORDER, _GAIN, False, entries))
    lead = (
        f"{_count(summary.files, 'file')} with {_count(summary.kernels, 'kernel')}: "
        f"{_count(len(mistakes), 'mistake')}, {_count(len(rewrites), 'rewrite')} available.",
        "Nothing was changed and nothing was run.",
    )
    return Contents(
        "Mistakes and profitable rewrites",
        lead,
        facts,
        tuple(listings),
        tuple(subjects),
        groups_of(files),
        _problems(summary, subjects),
        tuple(summary.notes),
    )


def rewrite_page(
    files: Sequence[FileFindings],
    summary: Summary,
    facts: Mapping[str, str],
    *,
    apply: str,
    verifies: bool,
) -> Contents:
    """What `rewrite` changed, or would change; `apply` is the command that writes it, "" where
    that was done."""
    subjects = []
    entries: list[tuple[float, Entry]] = []
    for at, file in enumerate(files):
        subject = _rewritten(file, f"f{at}", apply, verifies)
        if not (subject.places or subject.problems or file.changed):
            continue
        subjects.append(subject)
        said, grade = _short(file, verifies)
        entries += [(rank_of(p.worth), _entry(p, said, grade)) for p in subject.places]
    subjects.sort(key=_best_first)
    entries.sort(key=lambda pair: -pair[0])
    verb = "would change" if apply else "were rewritten"
    lead: tuple[str, ...] = (
        f"{_count(summary.files, 'file')} with {_count(summary.kernels, 'kernel')}: "
        f"{_count(summary.changed, 'file')} {verb}, at {_count(len(entries), 'place')}; "
        f"{_count(summary.missed, 'place')} not rewritten.",
        "Every change was run against the original first."
        if verifies
        else "Nothing was run: `--verify` runs every change against the original.",
    )
    if failed := sum(bool(subject.problems) for subject in subjects):
        lead += (
            f"In {_count(failed, 'file')} an error occurred; the file's entry has the message.",
        )
    listing = Listing("Rewrites", _ORDER, _GAIN, verifies, tuple(entry for _, entry in entries))
    return Contents(
        "What was rewritten" if not apply else "What would be rewritten",
        lead,
        facts,
        (listing,) if entries else (),
        tuple(subjects),
        groups_of(files),
        _problems(summary, subjects),
        tuple(summary.notes),
    )


def _suggested(file: FileFindings, anchor: str) -> Subject:
    places = [
        suggested(file.path, s, f"{anchor}p{at}", _diff_of(file, s))
        for at, s in enumerate(file.suggestions)
    ]
    places.sort(key=lambda place: (place.label not in _FINDINGS, -rank_of(place.worth)))
    return Subject(anchor, file.path, problems=file.errors, places=tuple(places))


def _rewritten(file: FileFindings, anchor: str, apply: str, verifies: bool) -> Subject:
    places = [
        place_of(file.path, remark, f"{anchor}p{at}")
        for at, remark in enumerate(file.remarks)
        if remark.kind is RemarkKind.PASSED
    ]
    places.sort(key=lambda place: -rank_of(place.worth))
    problems = (*file.errors, *file.refused)
    return Subject(
        anchor,
        file.path,
        (file.verified,) if file.verified and file.verdict is None else (),
        problems,
        apply if file.changed else "",
        _evidence(file, verifies),
        places=tuple(places),
        diff=diff_of(file.before, file.after) if file.changed else None,
    )


def _evidence(file: FileFindings, verifies: bool) -> Evidence | None:
    if not file.changed:
        return None
    if file.verdict is not None:
        return evidence_of(file.verdict)
    return None if verifies else NOT_RUN


def _short(file: FileFindings, verifies: bool) -> tuple[str, str]:
    if file.verdict is not None:
        return in_short(file.verdict), "yes"
    return ("", "open") if verifies else ("not run", "open")


def _entry(place: Place, evidence: str, grade: str) -> Entry:
    what = f"{place.pass_name}: {place.says}"
    return Entry(place.anchor, place.where, what, place.worth, evidence, grade)


def _best_first(subject: Subject) -> tuple[int, float]:
    """Files with mistakes, then those with the largest gain."""
    mistakes = sum(place.label in _FINDINGS for place in subject.places)
    return -mistakes, -max((rank_of(place.worth) for place in subject.places), default=0.0)


def _diff_of(file: FileFindings, suggestion: Suggestion) -> Diff | None:
    if not suggestion.fix:
        return None
    return diff_of(file.before, replaced(file.before, suggestion.fix))


def replaced(text: str, fix: Iterable[Replacement]) -> str:
    """A text with lines replaced; the ends of lines are kept."""
    lines = lines_of(text, ends=True)
    for part in sorted(fix, key=lambda part: -part.first):
        lines[part.first - 1 : part.behind - 1] = [part.text]
    return "".join(lines)


def _problems(summary: Summary, subjects: Sequence[Subject]) -> tuple[str, ...]:
    """Errors that stand in no part of the page."""
    shown = {message for subject in subjects for message in subject.problems}
    return tuple(m for messages in summary.errors.values() for m in messages if m not in shown)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
