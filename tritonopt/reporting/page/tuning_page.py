"""The page of `tune`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tritonopt.checks import reasons
from tritonopt.measurement.results import Comparison
from tritonopt.measurement.tuned import ORIGINAL, TUNED, Fate
from tritonopt.reporting.page.compiled_kernels import table_of_variants, tables_of_rows
from tritonopt.reporting.page.contents import (
    Check,
    Contents,
    Entry,
    Group,
    Left,
    Listing,
    Place,
    Subject,
    Table,
)
from tritonopt.reporting.page.evidence import grade_of, kinds_of, of_tuning
from tritonopt.reporting.page.places import meaning_of
from tritonopt.reporting.page.side_by_side import diff_of
from tritonopt.reporting.page.timed_calls import saved_text
from tritonopt.reporting.page.timing_page import ORDER, SAVED, facts_of, saved_by, sentence
from tritonopt.reporting.text import counted, shown_path
from tritonopt.reporting.timing_table import call_labels
from tritonopt.reporting.tuning_table import kernels_of_variants

if TYPE_CHECKING:
    from tritonopt.measurement.results import Row
    from tritonopt.measurement.tuned import Answer, Applied, Tried

_FATES = {
    Fate.ACCEPTED: "accepted",
    Fate.FINALIST: "timed to the end, not chosen or not accepted",
    Fate.DROPPED: "timed, and others were faster",
    Fate.FAILED: "could not be timed on any call",
    Fate.SAME_CODE: "the compiler gives the same machine code for it",
    Fate.REFUSED: "not verified",
    Fate.WAITING: "not tried: out of time",
}
_SHOWN = 60
"""Variants of a launcher that are listed."""


def tuning_page(answers: Sequence[Answer], facts: Mapping[str, str], *, apply: str) -> Contents:
    """What `tune` found; `apply` is the command that writes it, "" where that was done."""
    ranked = sorted(answers, key=lambda answer: -_saved(answer))
    subjects = [_subject(answer, f"f{at}", apply) for at, answer in enumerate(ranked)]
    entries = tuple(
        Entry(
            subject.anchor,
            subject.name,
            _what(answer),
            saved_text(_saved(answer)) if answer.changed else "-",
            _evidence(answer),
            grade_of(answer.evidence.verdict) if answer.evidence is not None else "open",
        )
        for subject, answer in zip(subjects, ranked, strict=True)
        if not answer.failure
    )
    if not any(map(_is_timed, answers)) and not all(answer.failure for answer in answers):
        return _without_times(ranked, subjects, facts)
    accepted = sum(answer.changed for answer in answers)
    ratios = [row.ratio for answer in answers if answer.changed for row in answer.rows]
    lead = [
        f"{len(answers)} launcher{'s were' if len(answers) != 1 else ' was'} tuned; for "
        f"{accepted} a change was accepted. "
        "An accepted change is verified, and was faster in a second, independent measurement."
    ]
    if any(ratios):
        lead.append(f"What was accepted, as measured again: {sentence(ratios)}.")
    machines = dict.fromkeys(a.machine for a in answers if a.machine is not None)
    found = {name: text for machine in machines for name, text in facts_of(machine).items()}
    return Contents(
        "What is faster on this GPU, for these shapes",
        tuple(lead),
        {**facts, **found},
        (Listing("Launchers", ORDER, SAVED, True, entries),) if entries else (),
        tuple(subjects),
        tuple(_groups(answers)),
        notes=tuple(note for machine in machines for note in machine.notes),
    )


def _without_times(
    answers: Sequence[Answer], subjects: Sequence[Subject], facts: Mapping[str, str]
) -> Contents:
    """Where nothing was timed: what each variant needs as machine code, and whether it is the
    same function."""
    lead = (
        "Nothing was timed, so nothing was accepted: `tritonopt tune` on a machine with a GPU "
        "tells what is faster.",
    )
    pairs = list(zip(subjects, answers, strict=True))
    entries = tuple(
        Entry(subject.anchor, subject.name, _looked_at(answer), "", "")
        for subject, answer in pairs
        if not answer.failure
    )
    return Contents(
        "Variants, and what the compiler makes of them",
        lead,
        facts,
        (Listing("Launchers", "In the order in which they were given.", "", False, entries),)
        if entries
        else (),
        tuple(subjects),
        tuple(_groups(answers)),
    )


def _looked_at(answer: Answer) -> str:
    """How many variants there are, and how many of them were looked at."""
    waiting = sum(one.fate is Fate.WAITING for one in answer.tried)
    of = counted(len(answer.tried), "variant")
    if not waiting:
        return f"{of} looked at in {answer.seconds:.0f} s"
    return f"{len(answer.tried) - waiting} of {of} looked at in {answer.seconds:.0f} s"


def _fresh(answer: Answer) -> tuple[Row, ...]:
    """What was measured again; where nothing was, the original alone."""
    found = [row.row or row.original for row in answer.rows]
    return tuple(row for row in found if row is not None)


def _is_timed(answer: Answer) -> bool:
    """With `--no-gpu` nothing is."""
    return answer.changed or any(row.times for row in _fresh(answer))


def _saved(answer: Answer) -> float:
    if not answer.changed:
        return 0.0
    return saved_by(_fresh(answer), (ORIGINAL, TUNED)) or 0.0


def _what(answer: Answer) -> str:
    if not answer.changed:
        return "stays unchanged"
    return f"{answer.what}, where {answer.condition}" if answer.condition else answer.what


def _evidence(answer: Answer) -> str:
    found = answer.evidence
    if found is None:
        return ""
    return f"{found.verdict} on {found.examples} inputs ({kinds_of(found.backend)})"


def _subject(answer: Answer, anchor: str, apply: str) -> Subject:
    name = f"{shown_path(answer.path)}: {answer.launcher}"
    if answer.failure:
        return Subject(anchor, name, problems=(answer.failure,), notes=answer.notes)
    rows = _fresh(answer)
    names = (ORIGINAL, TUNED) if any(TUNED in row.times for row in rows) else (ORIGINAL,)
    timing = Comparison(names, (answer.path,) * len(names), rows, answer.machine)
    lead = []
    if _is_timed(answer):
        what = _what(answer)
        lead.append(f"Accepted: {what}." if answer.changed else "The original stays as it is.")
    if answer.changed and answer.condition:
        old = sum(not row.uses_new for row in answer.rows)
        lead.append(
            f"The launcher chooses: new code where {answer.condition}, and the original, "
            f"untouched, for the other {old} of {len(answer.rows)} calls that were timed."
        )
    lead.append(f"{_looked_at(answer)}.")
    chosen = next((t for t in answer.tried if t.fate is Fate.ACCEPTED), None)
    places = [
        _place(shown_path(answer.path), remark, f"{anchor}p{at}")
        for at, remark in enumerate(chosen.remarks if chosen is not None else ())
        if remark.kind == "passed"
    ]
    labels = call_labels(rows) if rows else []
    return Subject(
        anchor,
        name,
        tuple(lead),
        apply=apply if answer.changed else "",
        evidence=None if answer.evidence is None else of_tuning(answer.evidence),
        timing=timing if rows else None,
        tables=tuple(_tables(answer)),
        compiled=tables_of_rows(rows, labels, names)
        if _is_timed(answer)
        else table_of_variants(kernels_of_variants(answer)),
        places=tuple(places),
        diff=diff_of(answer.original, answer.text),
        notes=answer.notes,
    )


def _place(path: str, remark: Applied, anchor: str) -> Place:
    checks = tuple(
        Check(claim, status, detail, reasons.CLAIMS.get(claim, ""))
        for claim, status, detail in remark.conditions
    )
    return Place(
        anchor,
        f"{path}:{remark.line}",
        remark.kernel,
        remark.pass_name,
        "",
        remark.message,
        checks=checks,
    )


def _tables(answer: Answer) -> Iterator[Table]:
    """Which code each call runs, and what came of every variant."""
    if answer.changed:
        rows = tuple(
            (
                label,
                "new code" if row.uses_new else "the original",
                row.best or "-",
                "-" if row.best_ratio is None else f"{row.best_ratio.value:.3f}x",
            )
            for label, row in zip(call_labels(answer.rows), answer.rows, strict=True)
        )
        columns = ("call", "runs", "fastest variant of the search", "its ratio in the search")
        yield Table("What each call runs", columns, rows)
    tried = sorted(answer.tried, key=lambda one: list(_FATES).index(one.fate))
    if tried:
        title = "Variants (`tritonopt explain NAME` describes each rewrite"
        if len(tried) > _SHOWN:
            title += f"; the first {_SHOWN} of {len(tried)}, --format json has all"
        names = ("variant", "what came of it", "ratio in the search, least to most", "reason")
        cells = [_tried(one, _is_timed(answer)) for one in tried[:_SHOWN]]
        # A column that says nothing of any variant is none.
        kept = [at for at in range(len(names)) if any(row[at] for row in cells)]
        shown = tuple(tuple(row[at] or "-" for at in kept) for row in cells)
        yield Table(f"{title})", tuple(names[at] for at in kept), shown)


def _tried(one: Tried, timed: bool) -> tuple[str, str, str, str]:
    values = [ratio.value for ratio in one.ratios.values()]
    ratios = f"{min(values):.2f}x to {max(values):.2f}x" if values else ""
    fate = _FATES[one.fate]
    if one.fate is Fate.DROPPED and not timed:
        fate = "the same function, and compiled: see below"
    return one.name, fate, ratios, one.reason


def _groups(answers: Iterable[Answer]) -> Iterator[Group]:
    """Places that no variant changed, by the pass and the condition that failed."""
    found: dict[tuple[str, str], dict[tuple[str, int], Left]] = {}
    for answer in answers:
        for one in answer.tried:
            for remark in one.remarks:
                if remark.kind != "missed":
                    continue
                checks = [
                    Check(claim, status, detail, reasons.CLAIMS.get(claim, ""))
                    for claim, status, detail in remark.conditions
                ]
                failed = tuple(c for c in checks if c.status in ("refuted", "unknown"))
                reason = remark.reason or (failed[0].claim if failed else "")
                left = Left(
                    f"{shown_path(answer.path)}:{remark.line}",
                    remark.kernel,
                    remark.message,
                    failed,
                    len(checks) - len(failed),
                )
                places = found.setdefault((remark.pass_name, reason), {})
                places.setdefault((answer.path, remark.line), left)
    ranked = sorted(found.items(), key=lambda item: -len(item[1]))
    for (name, reason), places in ranked:
        means, advice = meaning_of(reason)
        yield Group(name, reason, means, advice, len(places), tuple(places.values())[:20])
