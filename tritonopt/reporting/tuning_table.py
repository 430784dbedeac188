"""What `tune` found, as a table for a person: a line for every call, and what stood in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tritonopt.measurement.tuned import ORIGINAL, TUNED, Fate
from tritonopt.reporting.text import BOLD, GREEN, RED, YELLOW, Style, counted, shown_path
from tritonopt.reporting.timing_table import call_labels, compiled_lines

if TYPE_CHECKING:
    from tritonopt.measurement.results import Compiled, Times
    from tritonopt.measurement.tuned import Answer, TunedRow

_FATES = {
    Fate.REFUSED: "not verified",
    Fate.SAME_CODE: "the same machine code",
    Fate.FAILED: "could not be timed",
    Fate.WAITING: "not tried",
}
_SHOWN = 4
"""Variants that were not verified, of which the reason is told."""
_LONGEST = 160


def tuning_lines(answers: Sequence[Answer], style: Style) -> Iterator[str]:
    """The whole report, line by line."""
    machines = dict.fromkeys(a.machine for a in answers if a.machine is not None)
    for machine in machines:
        yield f"{machine.gpu}, torch {machine.torch}, triton {machine.triton}"
        yield from (style.paint(f"note: {note}", YELLOW) for note in machine.notes)
    for answer in answers:
        yield ""
        yield from _answer(answer, style)


def _answer(answer: Answer, style: Style) -> Iterator[str]:
    head = f"{shown_path(answer.path)}: {answer.launcher}"
    if answer.failure:
        yield style.paint(head, BOLD)
        yield style.paint(f"    {answer.failure}", RED)
        return
    if answer.machine is not None:  # else nothing was timed, and nothing is known of it
        head += f": {answer.what or 'stays unchanged'}"
        head += f", where {answer.condition}" if answer.condition else ""
    yield style.paint(head, BOLD)
    if answer.machine is not None:
        yield from _table(answer, style)
    yield from _without_times(answer)
    counts = Counter(tried.fate for tried in answer.tried)
    rest = [f"{counts[fate]} {text}" for fate, text in _FATES.items() if counts[fate]]
    spent = ", ".join(f"{phase} {seconds:.0f} s" for phase, seconds in answer.spent.items())
    yield f"    {counted(len(answer.tried), 'variant')} in {answer.seconds:.0f} s" + (
        (f" ({spent})" if spent else "") + (f": {', '.join(rest)}" if rest else "")
    )
    if answer.evidence is not None:
        found = answer.evidence
        yield f"    verified: {found.verdict} on {found.examples} examples ({found.backend})"
    refused = [tried for tried in answer.tried if tried.fate is Fate.REFUSED]
    for tried in refused[:_SHOWN]:
        yield style.paint(f"    {tried.name}: {_short(tried.reason)}", YELLOW)
    if len(refused) > _SHOWN:
        yield style.paint(f"    and {len(refused) - _SHOWN} more (--format json)", YELLOW)
    yield from (style.paint(f"    {line}", YELLOW) for line in _failed(answer))
    for note in answer.notes:
        yield style.paint(f"    note: {note}", YELLOW)


def _failed(answer: Answer) -> Iterator[str]:
    """Why variants could not be timed, each reason once."""
    names: dict[str, list[str]] = {}
    for tried in answer.tried:
        if tried.fate is Fate.FAILED:
            names.setdefault(_short(tried.reason), []).append(tried.name)
    for reason, of in [*names.items()][:_SHOWN]:
        more = f" and {len(of) - 1} more" if len(of) > 1 else ""
        yield f"{of[0]}{more}: {reason}"


def _without_times(answer: Answer) -> Iterator[str]:
    """What each variant needs as machine code, next to the original."""
    compiled = kernels_of_variants(answer)
    versions = tuple(dict.fromkeys(each.version for each in compiled))
    yield from (f"    {line}" for line in compiled_lines(compiled, versions))
    if compiled:
        yield f"    next: {_outlook(compiled, versions)}"


def _outlook(compiled: Sequence[Compiled], versions: Sequence[str]) -> str:
    """What machine code lets expect of the variants; only spills and barriers are clear signs."""
    needs: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in versions}
    for each in compiled:
        needs[each.version][each.target, "failures to compile"] += bool(each.failure)
        for sign, key in (("spills", "stack bytes (spills)"), ("barriers", "barriers")):
            needs[each.version][each.target, sign] += each.numbers.get(key, 0)
    groups: dict[str, list[str]] = {}
    for name in versions[1:]:
        more, less = needs[name] - needs[ORIGINAL], needs[ORIGINAL] - needs[name]
        signs = sorted({sign for _, sign in (more or less)})
        expected = "likely slower" if more else "time first" if less else "no clear sign"
        if signs:
            expected += f" ({'more' if more else 'fewer'} {' and '.join(signs)})"
        groups.setdefault(expected, []).append(name)
    found = "; ".join(f"{expected}: {', '.join(names)}" for expected, names in groups.items())
    return f"{found}. Only times decide: tritonopt tune on a GPU"


def kernels_of_variants(answer: Answer) -> list[Compiled]:
    """The kernels of the original and of the variants, where nothing was timed."""
    others = [t for t in answer.tried if t.compiled and t.fate is not Fate.SAME_CODE]
    if not others:
        return []
    original = [c for row in answer.rows if row.original for c in row.original.compiled]
    compiled = [replace(each, version=ORIGINAL) for each in original]
    return compiled + [each for tried in others for each in tried.compiled]


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _table(answer: Answer, style: Style) -> Iterator[str]:
    rows = answer.rows
    waiting = [tried.fate is Fate.WAITING for tried in answer.tried]
    nothing = "no variant was faster"
    if any(waiting):
        nothing = "no variant was tried" if all(waiting) else "none was faster so far"
    labels = call_labels(rows)
    width = max(map(len, [*labels, "call"]), default=0)
    yield f"    {'call':{width}}{'original':>12}{'new':>12}{'ratio':>9}{'95 % interval':>18}  runs"
    for label, row in zip(labels, rows, strict=True):
        yield f"    {label:{width}}{_cells(row, style, nothing)}".rstrip()


def _cells(row: TunedRow, style: Style, nothing: str) -> str:
    """Of one call; `nothing` is said where no variant was faster on it."""
    ratio = row.ratio
    times = row.row.times if row.row is not None else {}
    if not times and row.original is not None:
        times = row.original.times
    cells = "".join(f"{_time(times.get(n)):>12}" for n in (ORIGINAL, TUNED))
    if ratio is None:
        failures = row.original.failures if row.original is not None else {}
        why = next(iter(failures.values()), nothing)
        if row.best and row.best_ratio is not None:
            why = f"{row.best_ratio.value:.3f}x in the search with {row.best}, not accepted"
        return f"{cells}  {why}"
    value = f"{f'{ratio.value:.3f}x':>9}"
    color = GREEN if ratio.is_gain else RED if ratio.is_loss else ""
    cells += style.paint(value, color) if color else value
    cells += f"{f'{ratio.low:.3f} to {ratio.high:.3f}':>18}"
    return f"{cells}  {'new code' if row.uses_new else 'the original'}"


def _time(times: Times | None) -> str:
    if times is None:
        return "-"
    if times.median >= 10_000:
        return f"{times.median / 1000:.2f} ms"
    return f"{times.median:.2f} us"
