"""Registers, spills and the widths of memory accesses, before and after, as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tritonopt.reporting.page.contents import Table
from tritonopt.reporting.timing_table import by_kernel

if TYPE_CHECKING:
    from tritonopt.measurement.results import Compiled, Row
    from tritonopt.verification.process.compiled_programs import Comparison

_COLUMNS = {
    "registers": "registers",
    "bytes spilled": "stack bytes (spills)",
    "bytes of shared memory": "shared bytes",
    "instructions": "instructions",
    "barriers": "barriers",
}
_ACCESS = re.compile(r"global (?P<kind>loads|stores|atomics)\b.*?(?P<bits>\d+) bits")
_NUMBERS = (*_COLUMNS, "loads", "stores")
_SHOWN_CALLS = 4


def tables_of_rows(
    rows: Sequence[Row], labels: Sequence[str], versions: Sequence[str]
) -> tuple[Table, ...]:
    """One table for every set of kernels that calls launch; calls with the same ones share it."""
    groups: dict[object, tuple[Row, list[str]]] = {}
    for row, label in zip(rows, labels, strict=True):
        if any(each.numbers or each.failure for each in row.compiled):
            key = tuple((c.version, c.kernel, c.target, c.digest, c.failure) for c in row.compiled)
            groups.setdefault(key, (row, []))[1].append(label)
    tables = []
    for row, calls in groups.values():
        title = "; ".join(calls[:_SHOWN_CALLS])
        if len(calls) > _SHOWN_CALLS:
            title += f"; and {len(calls) - _SHOWN_CALLS} more calls"
        tables.append(Table(title, _columns(versions), tuple(_lines(row.compiled, versions))))
    return tuple(tables)


def table_of_variants(compiled: Sequence[Compiled]) -> tuple[Table, ...]:
    """Of many versions, where nothing was timed: a line for each, kernel by kernel."""
    kernels: dict[tuple[str, str], list[Compiled]] = {}
    for each in compiled:
        kernels.setdefault((each.kernel, each.target), []).append(each)
    rows = []
    for (kernel, target), versions in kernels.items():
        for each in versions:
            version = f"{each.version}: {each.failure}" if each.failure else each.version
            rows.append((f"{kernel}, {target}", version, *_cells([each.numbers], "")[1:]))
    return (Table("", ("kernel, GPU", "version", *_NUMBERS), tuple(rows)),) if rows else ()


def table_of_verdict(pairs: Sequence[Comparison]) -> tuple[Table, ...]:
    """What the `compile` backend of a verification found to differ; the rest is one sentence."""
    rows = []
    for pair in pairs:
        ours, theirs = pair.original, pair.rewritten
        if pair.identical:
            continue
        if theirs is None:
            cells = _cells([ours.statistics], "not launched by the rewritten version")
        else:
            failures = [p.failure for p in (ours, theirs) if p.failure]
            cells = _cells([ours.statistics, theirs.statistics], "; ".join(failures) or "differs")
        rows.append((f"{ours.kernel}({ours.signature}), {ours.target}", *cells))
    if not rows:
        return ()
    return (
        Table(
            "Of all signatures that were launched, those that differ",
            _columns(("original", "rewritten")),
            tuple(rows),
        ),
    )


def _columns(versions: Sequence[str]) -> tuple[str, ...]:
    arrow = " → ".join(versions)
    return ("kernel, GPU", f"machine code, {arrow}", *_NUMBERS)


def _lines(compiled: Sequence[Compiled], versions: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One line for each kernel and target."""
    for head, versioned, same in by_kernel(compiled, versions):
        if same:
            for each in versioned[versions[0]]:
                yield head, *_cells([each.numbers], "same")
        elif all(len(versioned.get(name, ())) == 1 for name in versions):
            found = [versioned[name][0] for name in versions]
            failures = "; ".join(f"{c.version}: {c.failure}" for c in found if c.failure)
            word = failures or ("differs" if len(versions) > 1 else "")
            yield head, *_cells([c.numbers for c in found], word)
        else:
            # Several programs of one kernel: which belongs to which cannot be told.
            for name in versions:
                for each in versioned.get(name, ()):
                    yield f"{head}, {name}", *_cells([each.numbers], each.failure or "differs")


def _cells(numbers: Sequence[Mapping[str, int]], word: str) -> tuple[str, ...]:
    cells = [word]
    cells += [_arrow([_number(n, key) for n in numbers]) for key in _COLUMNS.values()]
    cells += [_arrow([_accesses(n, kind) for n in numbers]) for kind in ("loads", "stores")]
    return tuple(cells)


def _number(numbers: Mapping[str, int], key: str) -> str:
    if not numbers:
        return "-"
    return str(numbers[key]) if key in numbers else "0" if "spills" in key else "-"


def _accesses(numbers: Mapping[str, int], kind: str) -> str:
    """`6 of 128 bits, 1 of 32 bits`; the widest first."""
    found = [
        (int(match["bits"]), numbers[name])
        for name in numbers
        if (match := _ACCESS.match(name)) is not None and match["kind"] == kind
    ]
    return (
        ", ".join(f"{count} of {bits} bits" for bits, count in sorted(found, reverse=True)) or "-"
    )


def _arrow(texts: Sequence[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else " → ".join(texts)
