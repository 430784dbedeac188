"""The page of `bench`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tritonopt.reporting.page.compiled_kernels import tables_of_rows
from tritonopt.reporting.page.contents import Contents, Entry, Listing, Subject
from tritonopt.reporting.page.timed_calls import saved, saved_text
from tritonopt.reporting.page.verdict_page import diff_of_files
from tritonopt.reporting.timing_table import call_labels

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison, Machine, Ratio, Row

SAVED = "Time saved (one call of each shape)"
ORDER = "Sorted by the time that was saved, added up over one call of each shape that was timed."


def timing_page(found: Comparison, facts: Mapping[str, str]) -> Contents:
    """What `bench` found of one file, or of two."""
    subjects = []
    entries: list[tuple[float, Entry]] = []
    for at, launcher in enumerate(dict.fromkeys(row.launcher for row in found.rows)):
        rows = tuple(row for row in found.rows if row.launcher == launcher)
        subject = _subject(replace(found, rows=rows), launcher, f"f{at}")
        subjects.append(subject)
        less = saved_by(rows, found.versions)
        if less is not None:
            what = sentence(row.ratio for row in rows)
            entry = Entry(subject.anchor, launcher, what, saved_text(less), "")
            entries.append((less, entry))
    order = {entry.anchor: less for less, entry in entries}
    subjects.sort(key=lambda subject: -order.get(subject.anchor, -math.inf))
    entries.sort(key=lambda pair: -pair[0])
    listing = Listing("What is faster", ORDER, SAVED, False, tuple(entry for _, entry in entries))
    notes = found.notes
    diff = None
    if len(found.paths) == 2:
        diff, more = diff_of_files(*found.paths)
        notes += more
    if diff is not None:
        subjects.append(Subject("changes", "What differs between the files", diff=diff))
    paths = dict(zip(found.versions, found.paths, strict=True))
    lead: tuple[str, ...] = ()
    if found.ratios:
        lead = (f"{sentence(found.ratios)}.",)
    if not any(row.times for row in found.rows):
        lead += ("Nothing was timed: the kernels were only compiled.",)
    return Contents(
        "Which is faster?" if len(found.versions) > 1 else "What it takes",
        lead,
        {**paths, **facts, **facts_of(found.machine)},
        (listing,) if entries else (),
        tuple(subjects),
        notes=notes + (found.machine.notes if found.machine is not None else ()),
    )


def facts_of(machine: Machine | None) -> dict[str, str]:
    """What was measured on."""
    if machine is None:
        return {}
    found = {"GPU": machine.gpu, "torch": machine.torch, "triton": machine.triton}
    if machine.cuda:
        found["CUDA"] = machine.cuda
    if machine.driver:
        found["driver"] = machine.driver
    if (clocks := machine.clocks) is not None:
        at = f"{clocks.low}" if clocks.low == clocks.high else f"{clocks.low} to {clocks.high}"
        found["clock while timing"] = f"{at} of {clocks.highest} MHz"
    return found


def saved_by(rows: Iterable[Row], versions: Sequence[str]) -> float | None:
    """Microseconds over one call of each shape; None where nothing was compared."""
    found = [less for row in rows if (less := saved(row, versions)) is not None]
    return sum(found) if found else None


def sentence(given: Iterable[Ratio | None]) -> str:
    """How many calls are faster."""
    ratios = [ratio for ratio in given if ratio is not None]
    if not ratios:
        return "no call could be timed in both versions"
    gains, losses = sum(r.is_gain for r in ratios), sum(r.is_loss for r in ratios)
    mean = math.exp(sum(math.log(r.value) for r in ratios) / len(ratios))
    calls = "1 call" if len(ratios) == 1 else f"{len(ratios)} calls"
    return (
        f"{calls}: {gains} faster, {losses} slower, {len(ratios) - gains - losses} without a "
        f"difference that was seen; geometric mean {mean:.3f}x"
    )


def _subject(found: Comparison, launcher: str, anchor: str) -> Subject:
    labels = call_labels(found.rows)
    return Subject(
        anchor,
        launcher,
        (sentence(found.ratios),) if found.ratios else (),
        timing=found,
        compiled=tables_of_rows(found.rows, labels, found.versions),
    )
