"""The page of `verify`, for one pair of files and for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt.reporting.page.compiled_kernels import table_of_verdict
from tritonopt.reporting.page.contents import Contents, Entry, Listing, Subject
from tritonopt.reporting.page.evidence import evidence_of, grade_of, in_short
from tritonopt.reporting.page.side_by_side import Diff, diff_of
from tritonopt.source import SourceError, read_file

if TYPE_CHECKING:
    from tritonopt.reporting.findings import PairFinding

_FIRST = {"no": 0, "open": 1, "yes": 2}
_ORDER = (
    "Counterexamples first, then inconclusive files. Nothing was timed: `tritonopt bench` does."
)


def verdict_page(found: PairFinding, facts: Mapping[str, str]) -> Contents:
    """One pair of files."""
    subject = _subject(found, "f0")
    assert subject.evidence is not None
    lead = (f"{subject.evidence.headline}.", f"{found.original} against {found.rewritten}.")
    return Contents("Do two versions give the same answer?", lead, facts, subjects=(subject,))


def pairs_page(found: Sequence[PairFinding], same: int, facts: Mapping[str, str]) -> Contents:
    """Several; `same` files say the same in both versions."""
    ranked = sorted(found, key=lambda one: _FIRST[grade_of(one.verdict.verdict)])
    subjects = [_subject(one, f"f{at}") for at, one in enumerate(ranked)]
    entries = tuple(
        Entry(
            subject.anchor,
            one.name,
            subject.evidence.headline if subject.evidence else "",
            "",
            in_short(one.verdict),
            grade_of(one.verdict.verdict),
        )
        for subject, one in zip(subjects, ranked, strict=True)
    )
    grades = [entry.grade for entry in entries]
    lead = (
        f"{len(found)} files differ: {grades.count('yes')} verified, {grades.count('no')} with a "
        f"counterexample, {grades.count('open')} without a verdict; {same} more say the same.",
    )
    listing = Listing("All files that differ", _ORDER, "", True, entries)
    title = "Do the versions give the same answers?"
    return Contents(title, lead, facts, (listing,) if entries else (), tuple(subjects))


def diff_of_files(original: str, rewritten: str) -> tuple[Diff | None, tuple[str, ...]]:
    """What differs between two files; and why that cannot be shown."""
    try:
        texts = [read_file(Path(path)).text for path in (original, rewritten)]
    except SourceError as error:
        return None, (f"no diff: {error}",)
    return diff_of(*texts), ()


def _subject(found: PairFinding, anchor: str) -> Subject:
    verdict = found.verdict
    diff, notes = diff_of_files(found.original, found.rewritten)
    if found.where:
        notes = (*notes, f"This was found on {found.where}, in {found.seconds:.0f} s.")
    if found.script is not None:
        notes = (*notes, f"The counterexample as a script: python {found.script}")
    return Subject(
        anchor,
        found.name,
        evidence=evidence_of(verdict),
        compiled=table_of_verdict(verdict.compiled),
        diff=diff,
        notes=notes,
    )
